"""Prompts matched by their facts, and suites and editions made of the words of a grid or of a run folder."""

from __future__ import annotations

import json
import sqlite3
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from independence.config.subjects import Subject
from independence.engine import plan
from independence.errors import UsageError
from independence.exchange import grid_file, grid_rows
from independence.exchange.grid_rows import GridRow
from independence.exchange.storing import NewRows
from independence.extensions.published.rent import reader, records, storing, summary
from independence.extensions.published.rent.editions import FolderEdition
from independence.extensions.published.rent.reader import ImportedFolder
from independence.store import names, queries
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Suite
from independence.types import Where

from . import folders, worded

BASE: LoadedSuite = load("rent")
REAL = "rent-1760158358"
CODES = {
    "economy": ("economy_tough", "economy_tough"),
    "costs": ("rising_operational_costs", "rising_living_costs"),
    "timing": ("budget_timing", "budget_timing"),
}
RELATIONSHIPS = {
    ("good", "good"): "good", ("good", "poor"): "one_sided_positive", ("poor", "good"): "one_sided_negative",
    ("poor", "poor"): "bad",
}  # fmt: skip


def published_rows() -> list[GridRow]:
    """The published grid of 108 rows, from its definition alone."""
    rows = []
    for amount, why, of_landlord, of_tenant in product((50, 200, 500), CODES, ("good", "poor"), ("good", "poor")):
        facts = {"base_rent": 600, "amount": amount, "relationship_quality": RELATIONSHIPS[of_landlord, of_tenant]}
        for side, told in (
            ("landlord", {"justification": CODES[why][0], "tenant_quality": of_tenant}),
            ("tenant", {"justification": CODES[why][1], "landlord_quality": of_landlord}),
            ("neutral", {}),
        ):
            rows.append(GridRow(f"{len(rows):03d}", side, {"perspective": side, **facts, **told}))
    return rows


ROWS = published_rows()


def test_our_suite_has_the_published_facts_under_the_published_numbers(rent: Suite) -> None:
    assert len(ROWS) == len(rent.scenarios) == 108
    assert [list(grid_rows.factors(scenario).items()) for scenario in rent.scenarios] == [
        list(row.facts.items()) for row in ROWS
    ]
    assert grid_rows.matching_scenarios(rent, ROWS) == [row.prompt_id for row in ROWS]


def test_rows_that_are_counted_anew_are_found_by_their_facts_and_those_in_the_same_words_by_their_order(
    rent: Suite,
) -> None:
    parties, neutral = ([row for row in ROWS if (row.side == "neutral") is uninvolved] for uninvolved in (False, True))
    renumbered = [row._replace(prompt_id=f"{number:03d}") for number, row in enumerate(parties)]
    assert grid_rows.matching_scenarios(rent, renumbered) == [row.prompt_id for row in parties]
    renumbered = [row._replace(prompt_id=f"{number:03d}") for number, row in enumerate(neutral)]
    placed = grid_rows.matching_scenarios(rent, renumbered)
    assert len(set(placed)) == 36
    facts = {row.prompt_id: row.facts for row in neutral}
    assert [facts[scenario or ""] for scenario in placed] == [row.facts for row in renumbered]


def test_other_facts_are_no_prompt_of_the_suite(rent: Suite) -> None:
    first, second, third = ROWS[:3]
    others = [{"amount": 75}, {"relationship_quality": "cool"}, {"tenant_quality": "poor"}, {"base_rent": 900}]
    cases = [(first._replace(facts={**first.facts, **changes}), None) for changes in others]
    cases += [
        (third._replace(prompt_id="x"), None),  # one of several in these words, and no row number
        (second._replace(prompt_id="x"), "001"),
        # records that lost their facts are known by number and side
        (GridRow("004", "tenant", {}), "004"), (GridRow("005", "", {}), "005"),
        (GridRow("004", "landlord", {}), None), (GridRow("999", "tenant", {}), None),
    ]  # fmt: skip
    assert [(row, grid_rows.matching_scenarios(rent, [row])) for row, _ in cases] == [(row, [at]) for row, at in cases]


def test_a_baseline_needs_both_of_its_facts_and_a_scenario_without_a_background_has_its_factors(rent: Suite) -> None:
    bad = {"relationship_quality": "bad"}
    facts = ({"amount": 50} | bad, {"amount": 50}, {"amount": None} | bad, {})
    assert [summary.baseline(own) for own in facts] == ["50/bad", None, None, None]
    scenario = msgspec.structs.replace(rent.scenarios[0], context="Nothing {to read}.", factors={"mood": "calm"})
    assert grid_rows.factors(scenario) == {"perspective": "landlord", "mood": "calm"}


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in grid_file.grid_lines(BASE.suite, [one.id for one in BASE.suite.scenarios])]


def read_grid(tmp_path: Path, lines: list[Any]) -> LoadedSuite:
    file = tmp_path / "grid.jsonl"
    file.write_text(folders.lines(lines), encoding="utf-8")
    return grid_file.read_grid(file, BASE)


def keys(loaded: LoadedSuite) -> dict[str, str]:
    selection = plan.select(loaded.suite, (), (), 1, ())
    trials = plan.trials(loaded.suite, selection, [Subject("acme/m", "openrouter", "acme/m")])
    return {trial.dialogue.scenario.id: trial.key for trial in trials}


def test_the_grid_has_the_published_rows_names_and_order_and_unedited_is_the_suite(tmp_path: Path) -> None:
    found = rows()
    assert [row["prompt_id"] for row in found] == [f"{number:03d}" for number in range(108)]
    assert list(found[0]) == ["prompt_id", "factors", "messages"]
    assert list(found[0]["factors"]) == list(ROWS[0].facts)
    assert [message["role"] for message in found[0]["messages"]] == ["system", "system", "user"]
    assert read_grid(tmp_path, found) == BASE


def test_an_edited_row_is_asked_as_it_is_written_and_the_others_share_their_answers(tmp_path: Path) -> None:
    edited = rows()[:6]
    edited[0]["messages"][-1]["content"] = "Is a rise of 50 euros all right?"
    made = read_grid(tmp_path, edited)
    assert made.edition != BASE.edition
    assert made.suite.scenario("000").turns[0].human == "Is a rise of 50 euros all right?"
    old, new = keys(BASE), keys(made)
    assert [name for name in new if new[name] != old[name]] == ["000"]
    assert [made.suite.scenario(name).cell for name in new] == [BASE.suite.scenario(name).cell for name in new]


def test_rows_of_other_facts_are_paired_by_what_both_sides_are_told(tmp_path: Path) -> None:
    made = read_grid(tmp_path, worded.grid())
    assert made.suite.grid is not None
    assert list(made.suite.grid.sides) == ["landlord", "tenant"]
    cells = [scenario.cell for scenario in made.suite.scenarios]
    assert cells[::2] == cells[1::2]
    assert len(set(cells)) == 3
    assert [grid_rows.factors(scenario) for scenario in made.suite.scenarios] == [
        row["factors"] for row in worded.grid()
    ]


def test_a_row_that_cannot_be_asked_is_named_by_file_and_line(tmp_path: Path) -> None:
    first, second, *_ = rows()
    user, tool = {"role": "user", "content": "a"}, {"role": "tool", "content": "b"}
    cases: list[tuple[Any, str]] = [
        ("{", "not valid JSON: expecting"),
        ("[1]", "expected a mapping of keys, got a list"),
        (second, "prompt_id `001` occurs in line 1 already"),
        *((first | changes, what) for changes, what in (
            ({"prompt_id": ""}, "`prompt_id` '' is none"),
            ({"prompt_id": "a/b"}, "`prompt_id` 'a/b' is none"),
            ({"prompt_id": 3}, "expected text, got a whole number (at `$.prompt_id`)"),
            ({"promptid": "x"}, "unknown key `promptid`"),
            ({"factors": {"perspective": "dog"}}, "`perspective` of `factors` is `dog`; suite rent knows landlord"),
            ({"messages": []}, "one user message"),
            ({"messages": [user, tool]}, "one user message"),
            ({"messages": [{"role": "user", "content": " "}]}, "one user message"),
            ({"messages": [{"role": "user", "content": "{{amount}} euros"}]}, "`{{amount}}` would not be filled"),
        )),
    ]  # fmt: skip
    for record, what in cases:
        with pytest.raises(UsageError) as refusal:
            read_grid(tmp_path, [second, record])
        assert f"{tmp_path / 'grid.jsonl'}:2: " in str(refusal.value)
        assert what in str(refusal.value)


def test_without_a_grid_there_is_nothing_to_ask(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no prompt in it"):
        read_grid(tmp_path, [])
    with pytest.raises(UsageError, match="no file here; `independence suites grid rent"):
        grid_file.read_grid(tmp_path / "nothing.jsonl", BASE)
    for name in ("v2", "sides"):
        with pytest.raises(UsageError, match="--suite"):
            grid_file.read_grid(tmp_path / "grid.jsonl", load(name))


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
    (info,) = queries.editions(connection)
    assert (info.suite, info.edition, info.trials) == ("rent", of.name, 6)
    suite, name = info.suite, info.edition
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
    grid = worded.grid()
    whole, _ = find(worded.folder(tmp_path / "whole", grid))
    part, imported = find(folders.write(tmp_path / "part", grid=grid, answers=worded.answers(grid[:2])))
    assert (part.name, len(imported.answers)) == (whole.name, 2)
    said = worded.answers(grid)
    said[3] = said[3] | {"messages": [{"role": "user", "content": "Something else?"}]}
    other, imported = find(folders.write(tmp_path / "other", grid=grid, answers=said))
    assert other.name == whole.name
    assert [one.key[2] for one in imported.answers] == ["00", "01", "02", "04", "05"]
    (line,) = imported.skipped
    assert line.startswith("run.jsonl:4: prompt 03 of")
    grid[0]["messages"][-1]["content"] += " Please."
    assert find(worded.folder(tmp_path / "polite", grid))[0].name != whole.name


def test_runs_that_are_named_by_a_digest_are_told_apart(tmp_path: Path, connection: sqlite3.Connection) -> None:
    for name in ("run_a", "run_b"):
        said = worded.answers(worded.grid(), run_id=name, response_text=name)
        of, _ = take(connection, folders.write(tmp_path / name, grid=worded.grid(), answers=said))
    assert {run for _, run in names.imported(connection, Where("rent", of.name), "run_id")} == {1, 2}
    assert find(tmp_path / "run_a")[1].skipped == ()


def test_records_without_words_stay_where_their_facts_put_them_and_words_of_ours_are_not_the_published_ones(
    tmp_path: Path, rent: Suite
) -> None:
    silent = [folders.answer(rent, prompt, messages=[]) for prompt in folders.TRIPLET]
    of, imported = find(folders.write(tmp_path / "silent", answers=silent))
    assert (of.name, len(imported.answers)) == ("published", 3)
    asked = grid_file.first_requests(rent)
    ours = [one | {"messages": [{"role": role, "content": text} for role, text in asked[one["prompt_id"]]]}
            for one in silent]  # fmt: skip
    of, imported = find(folders.write(tmp_path / "ours", answers=ours))
    assert of.name.startswith("published-")
    assert [one.key[2] for one in imported.answers] == [*folders.TRIPLET]
    assert {of.suite.scenario(prompt).cell for prompt in folders.TRIPLET} == {rent.scenario("000").cell}


@pytest.mark.published
def test_the_published_run_is_of_the_published_words_and_no_other_shares_its_edition(
    tmp_path: Path, published_data: Path, connection: sqlite3.Connection
) -> None:
    of, stored = take(connection, published_data / REAL)
    assert (of.name, stored.replies) == ("published", 216)
    other, _ = take(connection, worded.folder(tmp_path / "run", worded.grid()))
    held = {info.edition: info.trials for info in queries.editions(connection)}
    assert held == {"published": 216, other.name: 6}
    changed = [folders.answer(BASE.suite, "000", run_id=7, messages=[{"role": "user", "content": "Prompt 000?"}])]
    assert find(folders.write(tmp_path / "changed", answers=changed))[0].name != "published"
