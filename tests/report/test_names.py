from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from independence.judge.name_extraction import source
from independence.report import names as report
from independence.report.table import Table, to_csv, to_markdown
from independence.store import names, records, scopes
from independence.store.names import NamesRow
from independence.store.records import EditionRow, SubjectRow, TrialRow
from independence.store.scopes import BoardScope
from independence.suites.load import LoadedSuite
from independence.types import Condition, Missing, Reply, TakenName, Usage, Where
from tests.store import rows as stored

WHERE = Where("toy", "e", Condition("firm", "tool_role"))
SCENARIO = "hello"


@pytest.fixture
def scope(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> BoardScope:
    """Two runs of three subjects, each asked for a name in one scenario; one subject is simulated."""
    turn = msgspec.structs.replace(toy_suite.suite.scenarios[0].turns[0], human="What is your name?")
    asking = msgspec.structs.replace(toy_suite.suite.scenarios[0], id=SCENARIO, turns=(turn,))
    suite = msgspec.structs.replace(toy_suite.suite, scenarios=(asking,))
    records.add_edition(connection, EditionRow("toy", "e", msgspec.json.encode(suite).decode()))
    for config_dir in ("a", "b", "c"):
        subject = SubjectRow("toy", "e", config_dir, f"label {config_dir}", f"acme/{config_dir}", config_dir == "c")
        records.add_subjects(connection, [subject])
        for run in (1, 2):
            key = f"{config_dir}{run}"
            row = TrialRow(
                key,
                WHERE.suite,
                WHERE.edition,
                config_dir,
                "firm",
                "tool_role",
                "opening",
                SCENARIO,
                run,
                None,
                1,
                "{}",
            )
            records.add_trials(connection, [row])
            stored.dialogue(connection, key, f"said {key}")
    return BoardScope(suite, WHERE)


def read(
    connection: sqlite3.Connection, config_dir: str, run: int, *taken: str, extractor: str = "acme/reader", **more: Any
) -> None:
    """Store what an extractor read of the answer that is there now; no name: it was declined."""
    answers = names.first_answers(connection, WHERE, [SCENARIO])[config_dir, run]
    rests_on = source(extractor, [(one.scenario, one.digest) for one in answers])
    picks = tuple(TakenName(name, (SCENARIO,)) for name in taken)
    row = NamesRow(WHERE, config_dir, run, extractor, rests_on, names=picks, declined=(SCENARIO,) * (not taken))
    names.add(connection, msgspec.structs.replace(row, **more))


def came(connection: sqlite3.Connection, config_dir: str, run: int, **file: Any) -> None:
    """An extraction that came with an import."""
    subject = SubjectRow("toy", "e", config_dir, "", "", simulated=False)
    records.add_sidecar(connection, subject, run, names.SIDECAR, json.dumps(file).encode())


def by_id(tables: list[Table]) -> dict[str, Table]:
    return {table.id: table for table in tables}


def test_nothing_is_shown_where_nothing_was_read(connection: sqlite3.Connection, scope: BoardScope) -> None:
    assert report.tables(connection, scope) == []
    assert report.tables(connection, scope, extractor="acme/reader") == []


def test_each_name_counts_once_a_run_under_its_usual_spelling(
    connection: sqlite3.Connection, scope: BoardScope
) -> None:
    read(connection, "a", 1, "Kael", "Rook")
    read(connection, "a", 2, "kael")
    read(connection, "b", 1, "Kael", "Ada")
    read(connection, "b", 2, "Kaël")
    popular = by_id(report.tables(connection, scope))["names-popular"]
    assert popular.rows == ((1, "Kael", 4, 1.0, 2), (2, "Ada", 1, 0.25, 1), (2, "Rook", 1, 0.25, 1))
    assert popular.notes[0] == "6 picks of 3 names in 4 of 6 runs; 0 declined (0%)"
    assert "read by acme/reader (4 runs)" in popular.notes[1]


def test_exclusive_names_belong_to_one_configuration(connection: sqlite3.Connection, scope: BoardScope) -> None:
    read(connection, "a", 1, "Kael", "Rook")
    read(connection, "a", 2, "Rook", "Ada")
    read(connection, "b", 1, "Kael", "Zoe")
    exclusive = by_id(report.tables(connection, scope))["names-exclusive"]
    assert exclusive.rows == ((1, "Rook", "label a", 2), (2, "Ada", "label a", 1), (2, "Zoe", "label b", 1))
    assert "configurations of one model count as different" in exclusive.notes[0]


def test_a_broken_reading_is_counted_and_never_as_a_refusal(connection: sqlite3.Connection, scope: BoardScope) -> None:
    read(connection, "a", 1)
    read(connection, "a", 2, missing="unreadable_verdict", declined=())
    read(connection, "b", 1, "Kael", "kael")
    tables = by_id(report.tables(connection, scope))
    assert tables["names-by-subject"].rows == (
        ("label a", None, 2, 1, 1, 0),
        ("label b", "Kael", 2, 0, 0, 1),
        ("label c (simulated)", None, 2, 0, 0, 2),
    )
    assert tables["names-popular"].rows == ((1, "Kael", 1, 0.5, 1),)
    assert tables["names-popular"].notes[0] == (
        "1 picks of 1 names in 2 of 6 runs; 1 declined (50%); 1 broken (unreadable_verdict)"
    )


def test_a_stale_reading_counts_as_not_read(connection: sqlite3.Connection, scope: BoardScope) -> None:
    read(connection, "a", 1, "Kael")
    read(connection, "a", 2, "Rook")
    stored.dialogue(connection, "a1", "another answer")
    tables = by_id(report.tables(connection, scope))
    assert tables["names-by-subject"].rows[0] == ("label a", "Rook", 2, 0, 0, 1)
    assert "1 stale, to be read again" in tables["names-popular"].notes[0]


def test_how_often_a_subject_took_a_name_stands_beside_it(connection: sqlite3.Connection, scope: BoardScope) -> None:
    read(connection, "a", 1, "Rook", "Ada")
    read(connection, "a", 2, "Rook", "Zoe")
    assert by_id(report.tables(connection, scope))["names-by-subject"].rows[0][1] == "Rook ×2, Ada, Zoe"


def test_names_that_came_with_an_import_are_used(connection: sqlite3.Connection, scope: BoardScope) -> None:
    entry = {"name": "Kael", "sources": [SCENARIO]}
    came(connection, "a", 1, names=[entry], extraction_model="acme/one", extraction_cost_usd=0.5)
    came(connection, "a", 2, names=[], declined_scenarios=["Scenario 1"], extraction_model="acme/two")
    came(connection, "b", 1, names=[], declined_scenarios=[])
    tables = by_id(report.tables(connection, scope))
    assert [row[1:] for row in tables["names-by-subject"].rows[:2]] == [("Kael", 2, 1, 0, 0), (None, 2, 0, 1, 1)]
    assert "came with the import, read by" in tables["names-popular"].notes[1]
    assert (
        "acme/one (1 runs), acme/two (1 runs), an unnamed model (1 runs), for $0.5000"
        in tables["names-popular"].notes[1]
    )


def test_the_reading_with_most_runs_is_shown_and_of_equals_the_imported_one(
    connection: sqlite3.Connection, scope: BoardScope
) -> None:
    came(connection, "a", 1, names=[{"name": "Kael", "sources": []}])
    read(connection, "a", 1, "Rook", extractor="zz/reader")
    read(connection, "a", 1, "Ada", extractor="acme/reader")

    def shown(**asked: Any) -> Any:
        return by_id(report.tables(connection, scope, **asked))["names-popular"].rows[0][1]

    assert shown() == "Kael"
    assert shown(extractor="zz/reader") == "Rook"
    read(connection, "a", 2, "Rook", extractor="zz/reader")
    assert shown() == "Rook"
    read(connection, "a", 2, "Ada", extractor="acme/reader")
    assert shown() == "Ada"


def test_tables_about_some_subjects_keep_what_is_exclusive_true(
    connection: sqlite3.Connection, scope: BoardScope
) -> None:
    read(connection, "a", 1, "Kael", "Rook")
    read(connection, "b", 1, "Kael", "Ada")
    tables = by_id(report.tables(connection, scope, only={"a"}))
    assert tables["names-popular"].rows == ((1, "Kael", 1, 1.0, 1), (1, "Rook", 1, 1.0, 1))
    assert tables["names-exclusive"].rows == ((1, "Rook", "label a", 1),)
    assert [row[0] for row in tables["names-by-subject"].rows] == ["label a"]


def test_subjects_stand_in_the_order_of_the_board_with_their_ranks(
    connection: sqlite3.Connection, scope: BoardScope
) -> None:
    read(connection, "a", 1, "Kael")
    table = by_id(report.tables(connection, scope, ranks={"b": 1, "a": 2, "c": None}))["names-by-subject"]
    assert [row[:2] for row in table.rows] == [(1, "label b"), (2, "label a"), (None, "label c (simulated)")]
    assert table.columns[0].head == "#"
    assert "#: rank on the board" in table.notes[0]


def test_long_tables_are_cut_and_say_so(connection: sqlite3.Connection, scope: BoardScope) -> None:
    read(connection, "a", 1, *(f"Name{number:02}" for number in range(30)))
    cut, whole = (by_id(report.tables(connection, scope, **asked)) for asked in ({}, {"top": None}))  # type: ignore[arg-type]
    assert len(cut["names-popular"].shown) == len(cut["names-exclusive"].shown) == 25
    assert "the first 25 of 30" in cut["names-popular"].notes[-1]
    assert len(whole["names-popular"].rows) == 30
    assert "the first" not in whole["names-popular"].notes[-1]


def test_a_label_of_two_subjects_gives_way_to_the_configuration(
    connection: sqlite3.Connection, scope: BoardScope
) -> None:
    connection.execute("UPDATE subjects SET label = 'same' WHERE config_dir <> 'c'")
    read(connection, "a", 1, "Kael")
    rows = by_id(report.tables(connection, scope))["names-by-subject"].rows
    assert [row[0] for row in rows] == ["a", "b", "label c (simulated)"]


def test_an_answer_that_is_missing_leaves_its_run_unread(connection: sqlite3.Connection, scope: BoardScope) -> None:
    read(connection, "a", 1, "Kael")
    for answer in (Reply("x", "tool"), Missing("no_answer")):
        stored.call(connection, "a1", 0, "a1", answer)
    assert by_id(report.tables(connection, scope))["names-by-subject"].rows[0] == ("label a", None, 2, 0, 0, 2)


def test_what_reading_cost_is_said(connection: sqlite3.Connection, scope: BoardScope) -> None:
    read(connection, "a", 1, "Kael", usage=Usage(cost_usd=0.25))
    assert "for $0.2500" in by_id(report.tables(connection, scope))["names-popular"].notes[1]


@pytest.mark.published
def test_the_published_names_are_counted_as_they_were_extracted(published_store: Path) -> None:
    with closing(sqlite3.connect(published_store)) as connection:
        tables = by_id(report.tables(connection, scopes.find(connection, None, None, None), top=None))
    popular, subjects = tables["names-popular"], tables["names-by-subject"]
    assert popular.notes[0] == (
        "1,147 picks of 331 names in 289 of 290 runs; 2 declined (1%); 1 broken (unreadable_verdict)"
    )
    assert [row[1:3] for row in popular.rows[:3]] == [("Vesper", 57), ("Kael", 42), ("Lyra", 42)]
    totals = Counter[int]()
    for row in subjects.rows:
        for column, value in enumerate(row[2:], start=2):
            assert isinstance(value, int)
            totals[column] += value
    assert [totals[column] for column in range(2, 6)] == [290, 2, 1, 0]


def test_a_report_shows_the_first_names_and_its_tables_have_all(
    connection: sqlite3.Connection, scope: BoardScope
) -> None:
    read(connection, "a", 1, "Kael", "Rook")
    popular = by_id(report.tables(connection, scope, top=None))["names-popular"]
    assert len(popular.rows) > 1
    told = by_id(report.tables(connection, scope, top=1))["names-popular"]
    assert (told.rows, told.shown) == (popular.rows, popular.rows[:1])
    assert (
        told.notes[-1]
        == f"the first 1 of {len(popular.rows)}; --format json or csv, and --tables of a report, have all"
    )
    assert len(list(csv.reader(io.StringIO(to_csv(told))))) == 1 + len(popular.rows)
    assert to_markdown(told).count("\n| ") == 2, "the heads and one row"
