from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from independence.exchange import storing
from independence.exchange.rent import reader, records
from independence.exchange.storing import NewRows
from independence.store import queries
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite
from independence.types import Where

from . import folders
from .folders import JUDGE, MODEL, OTHER, TRIPLET, answer, judged

CONFIG = "acme--small:free@off-t0.2"


def take(connection: sqlite3.Connection, suite: Suite, top: Path) -> NewRows:
    found = records.find(top)
    assert found is not None
    return storing.store_folder(connection, reader.read(found, LoadedSuite(suite, "")))


def dump(connection: sqlite3.Connection) -> list[str]:
    return list(connection.iterdump())


def test_answers_and_scores_stand_where_every_other_result_stands(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    assert take(connection, rent, folders.whole(tmp_path / "run", rent)) == (3, 3, 3)
    assert queries.subjects(connection, Where("rent", "published")) == {CONFIG: (MODEL, MODEL, False)}
    assert queries.conditions(connection, Where("rent", "published")) == [("helper", "user_role")]
    states = queries.states(connection, Where("rent", "published"))
    assert [(s.scenario, s.run, s.end is not None) for s in states] == [(prompt, 1, True) for prompt in TRIPLET]
    verdicts = queries.verdicts(connection, Where("rent", "published"), JUDGE)
    assert {v.judge for v in verdicts} == {JUDGE}
    ends = {state.key: state.end for state in states}
    assert all(verdict.context == ends[verdict.trial] for verdict in verdicts)
    assert sorted(verdict.fields["stance"] for verdict in verdicts) == [-0.5, 0.0, 0.5]


def test_importing_twice_changes_nothing(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    top = folders.whole(tmp_path / "run", rent)
    take(connection, rent, top)
    before = dump(connection)
    assert take(connection, rent, top) == (0, 0, 0)
    assert dump(connection) == before


def test_planned_is_what_the_grid_says_and_nothing_is_made_up(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    top = folders.write(
        tmp_path / "run", answers=[answer(rent, "000"), answer(rent, "000", OTHER)],
        snapshot=folders.snapshot(rent, TRIPLET, [MODEL, OTHER]),
    )  # fmt: skip
    take(connection, rent, top)
    states = queries.states(connection, Where("rent", "published"))
    assert [(s.config_dir, s.scenario, s.answered) for s in states] == [
        ("acme--large@off-t0.2", "000", 1), ("acme--large@off-t0.2", "001", 0), ("acme--large@off-t0.2", "002", 0),
        (CONFIG, "000", 1), (CONFIG, "001", 0), (CONFIG, "002", 0),
    ]  # fmt: skip


def test_a_failure_is_a_missing_answer_without_a_verdict(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    said = folders.failed(rent, "000")
    take(connection, rent, folders.write(tmp_path / "run", answers=[said], judged=[judged(said)]))
    (state,) = queries.states(connection, Where("rent", "published"))
    assert (state.missing, state.answered) == ("transport", 0)
    assert queries.verdicts(connection, Where("rent", "published"), JUDGE) == []


@pytest.mark.parametrize("score", [3, "0.5", None])
def test_a_score_that_is_none_is_a_missing_verdict(
    score: float | str | None, tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    said = answer(rent, "000")
    take(connection, rent, folders.write(tmp_path / "run", answers=[said], judged=[judged(said, score)]))
    (verdict,) = queries.verdicts(connection, Where("rent", "published"), JUDGE)
    assert (verdict.missing, verdict.fields) == ("unreadable_verdict", {})


def test_a_score_of_other_words_is_bound_to_those_words(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    said = answer(rent, "000")
    other = judged(said, response_text="What was never said.")
    take(connection, rent, folders.write(tmp_path / "run", answers=[said], judged=[other]))
    where = Where("rent", "published")
    (verdict,), (state,) = queries.verdicts(connection, where, JUDGE), queries.states(connection, where)
    assert verdict.context != state.end


def test_another_run_of_a_model_gets_the_next_number_and_keeps_it(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    for name, run_id in (("b", 20), ("a", 10)):
        folders.write(tmp_path / name, answers=[answer(rent, "000", run_id=run_id, response_text=name)])
    folders.write(tmp_path / "c", answers=[answer(rent, "000", OTHER, run_id=30)])
    for name in ("b", "a", "c", "b"):
        take(connection, rent, tmp_path / name)
    rows = connection.execute(
        "SELECT p.config_dir, p.run, c.text FROM planned p JOIN calls c ON c.trial = p.trial ORDER BY 1, 2"
    ).fetchall()
    assert rows == [
        ("acme--large@off-t0.2", 1, f"Advice of {OTHER} on 000."), (CONFIG, 1, "b"), (CONFIG, 2, "a")
    ]  # fmt: skip


def test_a_second_judge_of_a_stored_run_adds_its_verdicts(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    top = folders.whole(tmp_path / "run", rent)
    take(connection, rent, top)
    said = [answer(rent, prompt) for prompt in TRIPLET]
    folders.write(top, judged=[judged(one, 1.0, scorer_model="acme/other") for one in said])
    assert take(connection, rent, top) == (0, 0, 3)


def test_a_run_of_simulated_subjects_says_so_when_it_comes_back(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    take(connection, rent, folders.write(tmp_path / "run", answers=[answer(rent, "000", "sim/half")]))
    assert queries.subjects(connection, Where("rent", "published")) == {
        "sim--half@off-t0.2": ("sim/half", "sim/half", True)
    }  # fmt: skip


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TRIGGER no BEFORE INSERT ON sidecars BEGIN SELECT raise(ABORT, 'no'); END")
    before = dump(connection)
    with pytest.raises(sqlite3.Error):
        take(connection, rent, folders.whole(tmp_path / "run", rent))
    assert dump(connection) == before
