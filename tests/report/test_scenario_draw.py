"""What boards with too few scenarios say of intervals for other scenarios."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import msgspec
import pytest

from independence.report import board_notes, headline, index_report, index_tables, study, subject_details
from independence.report.board import Board, InferenceOptions, board
from independence.report.table import Prose, Table, to_markdown
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.suites.load import LoadedSuite
from tests import toy
from tests.e2e import command
from tests.report import filled
from tests.report.filled import Toy

NOTE = (
    "There are too few scenarios for 95 % intervals about other scenarios of this kind: a dimension of the index rests "
    "on 1 scenario, and 10 are needed. Such intervals contain the true index in more or in less than 95 % of cases."
)


def built(connection: sqlite3.Connection, loaded: LoadedSuite, reading: str = LIKE_THESE) -> Board:
    return board(connection, filled.scope(loaded), reading=InferenceOptions(reading))


@pytest.fixture
def two(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> sqlite3.Connection:
    filled.complete(connection, toy_suite, "good", ((9, 9, 0), (9, 8, 1)))
    filled.complete(connection, toy_suite, "bad", ((1, 2, 9), (2, 1, 9)))
    return connection


def test_it_stands_once_beside_the_intervals_that_it_is_about(two: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    found = built(two, toy_suite)
    index = toy_suite.suite.index
    assert index is not None
    for shown in (index_tables.compact(found, index), index_tables.full(found, index)):
        assert shown.notes.count(NOTE) == 1
        assert "intervals for other scenarios of this kind" in shown.title
    (prose,) = headline.of_index(study.read(two, filled.scope(toy_suite)), found).body
    assert isinstance(prose, Prose)
    assert prose.markdown.count(NOTE) == 1
    assert json.loads(msgspec.json.encode(found))["few_scenarios"]["note"] == NOTE


def test_boards_for_these_scenarios_say_it_where_they_print_the_other_intervals(
    two: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    found = built(two, toy_suite, THESE)
    index = toy_suite.suite.index
    assert index is not None
    assert NOTE not in index_tables.compact(found, index).notes
    assert index_tables.ranked(found, index).notes.count(NOTE) == 1
    assert index_tables.runs(found, index).notes.count(NOTE) == 1
    planned = study.read(two, filled.scope(toy_suite)).planned["good"]
    details = dict(subject_details.table(found.rows[0], planned, few=True).rows)
    assert str(details[LIKE_THESE]).endswith("(too few scenarios for 95 %)")
    assert "too few" not in str(details[THESE])


def test_every_form_of_a_report_says_it(two: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    for reading in (THESE, LIKE_THESE):
        made = index_report.sections(two, filled.scope(toy_suite), reading=InferenceOptions(reading))
        tables = [block for section in made if section.id == "board" for block in section.body]
        assert any(NOTE in to_markdown(one) for one in tables if isinstance(one, Table))


def test_without_an_interval_there_is_nothing_to_say(toy: Toy) -> None:
    toy.complete("once", ((9, 9, 0),))
    found = built(toy.connection, toy.loaded)
    assert found.few_scenarios is not msgspec.UNSET
    assert board_notes.few_scenarios(found) == []


@pytest.mark.parametrize(("each", "few"), [(9, 9), (10, None)])
def test_ten_scenarios_of_each_dimension_are_enough(tmp_path: Path, each: int, few: int | None) -> None:
    suite = toy.write_many(tmp_path / "many", each)
    done = command.run(
        "run", "--db", str(tmp_path / "store.db"), "--suite", str(suite), "-m", "sim/half,sim/yield-35", "-j", "cues",
        "--runs", "2", "--format", "json",
    )  # fmt: skip
    assert done.board.get("few_scenarios", {}).get("fewest") == few
    shown = command.run("leaderboard", "--db", str(tmp_path / "store.db"), "--generalises-to", LIKE_THESE).out
    assert ("too few scenarios" in " ".join(shown.split())) is (few is not None)
