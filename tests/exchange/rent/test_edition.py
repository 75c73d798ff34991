from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from independence.exchange import storing
from independence.exchange.rent import reader, records, words
from independence.exchange.rent.reader import ImportedFolder
from independence.exchange.rent.words import FolderEdition
from independence.exchange.storing import NewRows
from independence.store import export_rows, queries
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Suite
from independence.types import Where

from . import folders, worded

BASE: LoadedSuite = load("rent")
REAL = "rent-1760158358"


def find(top: Path) -> tuple[FolderEdition, ImportedFolder]:
    found = records.find(top)
    assert found is not None
    imported = reader.read(found, BASE)
    return imported.edition, imported


def take(connection: sqlite3.Connection, top: Path) -> tuple[FolderEdition, NewRows]:
    of, imported = find(top)
    return of, storing.store_folder(connection, imported)


def test_answers_to_other_words_are_an_edition_of_their_own_with_those_words(
    tmp_path: Path, connection: sqlite3.Connection
) -> None:
    of, stored = take(connection, worded.folder(tmp_path / "run", worded.grid()))
    assert (stored.trials, stored.replies) == (6, 6)
    ((suite, name, trials),) = queries.editions(connection)
    assert (suite, name, trials) == ("rent", of.name, 6)
    assert name.startswith("published-")
    assert queries.imported(name)
    kept = msgspec.json.decode(queries.document(connection, Where(suite, name)) or "", type=Suite)
    assert [scenario.turns[0].human for scenario in kept.scenarios][:2] == [
        "I am the landlord. 50 euros more?", "I am the tenant. 50 euros more?",
    ]  # fmt: skip
    assert len({scenario.cell for scenario in kept.scenarios}) == 3
    assert {scenario.context for scenario in kept.scenarios} == {""}
    assert take(connection, tmp_path / "run")[1] == (0, 0, 0)


def test_the_same_words_are_one_edition_whatever_part_of_them_was_answered(tmp_path: Path) -> None:
    rows = worded.grid()
    whole, _ = find(worded.folder(tmp_path / "whole", rows))
    part, imported = find(folders.write(tmp_path / "part", grid=rows, answers=worded.answers(rows[:2])))
    assert part.name == whole.name
    assert len(imported.answers) == 2


def test_another_sentence_is_another_edition(tmp_path: Path) -> None:
    rows = worded.grid()
    first, _ = find(worded.folder(tmp_path / "a", rows))
    rows[0]["messages"][-1]["content"] += " Please."
    second, _ = find(worded.folder(tmp_path / "b", rows))
    assert first.name != second.name


def test_an_answer_to_other_words_than_its_prompts_is_named_and_left_out(tmp_path: Path) -> None:
    rows = worded.grid()
    said = worded.answers(rows)
    said[3] = said[3] | {"messages": [{"role": "user", "content": "Something else?"}]}
    _, imported = find(folders.write(tmp_path / "run", grid=rows, answers=said))
    assert [one.key[2] for one in imported.answers] == ["00", "01", "02", "04", "05"]
    (line,) = imported.skipped
    assert line.startswith("run.jsonl:4: prompt 03 of")


def test_runs_that_are_named_by_a_digest_are_told_apart(tmp_path: Path, connection: sqlite3.Connection) -> None:
    rows = worded.grid()
    for name in ("run_a", "run_b"):
        folders.write(tmp_path / name, grid=rows, answers=worded.answers(rows, run_id=name, response_text=name))
        of, _ = take(connection, tmp_path / name)
    assert {one.run for one in export_rows.sidecars(connection, Where("rent", of.name), "run_id")} == {1, 2}
    assert find(tmp_path / "run_a")[1].skipped == ()


def test_records_without_words_stay_where_their_facts_put_them(tmp_path: Path, rent: Suite) -> None:
    said = [folders.answer(rent, prompt, messages=[]) for prompt in folders.TRIPLET]
    of, imported = find(folders.write(tmp_path / "run", answers=said))
    assert (of.name, len(imported.answers)) == ("published", 3)


def test_words_of_ours_are_not_the_published_ones(tmp_path: Path, rent: Suite) -> None:
    asked = words.first_requests(rent)
    said = [
        folders.answer(
            rent, prompt, messages=[{"role": role, "content": text} for role, text in asked[prompt]]
        ) for prompt in folders.TRIPLET
    ]  # fmt: skip
    of, imported = find(folders.write(tmp_path / "run", answers=said))
    assert of.name.startswith("published-")
    assert [one.key[2] for one in imported.answers] == [*folders.TRIPLET]
    cells = {of.suite.scenario(prompt).cell for prompt in folders.TRIPLET}
    assert cells == {rent.scenario("000").cell}


@pytest.mark.published
def test_the_published_run_is_of_the_published_words(published_data: Path, connection: sqlite3.Connection) -> None:
    of, stored = take(connection, published_data / REAL)
    assert (of.name, stored.replies) == ("published", 216)
    assert {info.edition for info in queries.editions(connection)} == {"published"}


@pytest.mark.published
def test_a_run_in_other_words_never_shares_an_edition_with_the_published_one(
    tmp_path: Path, published_data: Path, connection: sqlite3.Connection
) -> None:
    take(connection, published_data / REAL)
    of, _ = take(connection, worded.folder(tmp_path / "run", worded.grid()))
    held = {info.edition: info.trials for info in queries.editions(connection)}
    assert held == {"published": 216, of.name: 6}
    changed = [folders.answer(BASE.suite, "000", run_id=7, messages=[{"role": "user", "content": "Prompt 000?"}])]
    assert find(folders.write(tmp_path / "changed", answers=changed))[0].name != "published"
