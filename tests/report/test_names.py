from __future__ import annotations

import csv
import io
import json
import sqlite3
from typing import Any

import msgspec
import pytest

from independence.judge.name_extraction import source
from independence.report.files.table import Table, to_csv, to_markdown
from independence.report.sections import names as report
from independence.store import names, records
from independence.store.names import NamesRow
from independence.store.records import EditionRow, SubjectRow, TrialRow
from independence.store.scopes import BoardScope
from independence.types import Condition, Missing, TakenName, Usage, Where
from tests.store import rows as stored

from .cells import by_id
from .filled import Toy

WHERE = Where("toy", "e", Condition("firm", "tool_role"))
SCENARIO = "hello"


@pytest.fixture
def scope(toy: Toy) -> BoardScope:
    """Two runs of three subjects, each asked for a name in one scenario; one subject is simulated."""
    turn = msgspec.structs.replace(toy.suite.scenarios[0].turns[0], human="What is your name?")
    asking = msgspec.structs.replace(toy.suite.scenarios[0], id=SCENARIO, turns=(turn,))
    suite = msgspec.structs.replace(toy.suite, scenarios=(asking,))
    records.add_edition(toy.connection, EditionRow("toy", "e", msgspec.json.encode(suite).decode()))
    for config_dir in ("a", "b", "c"):
        subject = SubjectRow("toy", "e", config_dir, f"label {config_dir}", f"acme/{config_dir}", config_dir == "c")
        records.add_subjects(toy.connection, [subject])
        for run in (1, 2):
            key = f"{config_dir}{run}"
            row = TrialRow(key, "toy", "e", config_dir, "firm", "tool_role", "opening", SCENARIO, run, None, 1, "{}")
            records.add_trials(toy.connection, [row])
            stored.dialogue(toy.connection, key, f"said {key}")
    return BoardScope(suite, WHERE)


class Readings:
    """What extractors read of the answers, and the tables that are made of it."""

    def __init__(self, connection: sqlite3.Connection, scope: BoardScope) -> None:
        self.connection, self.scope = connection, scope

    def read(self, config_dir: str, run: int, *taken: str, extractor: str = "acme/reader", **more: Any) -> None:
        """Store what was read of the answer that is there now; no name: it was declined."""
        answers = names.first_answers(self.connection, WHERE, [SCENARIO])[config_dir, run]
        rests_on = source(extractor, [(one.scenario, one.digest) for one in answers])
        picks = tuple(TakenName(name, (SCENARIO,)) for name in taken)
        row = NamesRow(WHERE, config_dir, run, extractor, rests_on, names=picks, declined=(SCENARIO,) * (not taken))
        names.add(self.connection, msgspec.structs.replace(row, **more))

    def came(self, config_dir: str, run: int, **file: Any) -> None:
        """An extraction that came with an import."""
        subject = SubjectRow("toy", "e", config_dir, "", "", simulated=False)
        records.add_sidecar(self.connection, subject, run, names.SIDECAR, json.dumps(file).encode())

    def tables(self, **asked: Any) -> dict[str, Table]:
        return by_id(report.tables(self.connection, self.scope, **asked))

    @property
    def popular(self) -> Table:
        return self.tables()["names-popular"]

    @property
    def subjects(self) -> tuple[tuple[Any, ...], ...]:
        """Label, most taken, runs, declined, broken, unread."""
        return self.tables()["names-by-subject"].rows


@pytest.fixture
def readings(toy: Toy, scope: BoardScope) -> Readings:
    return Readings(toy.connection, scope)


def test_nothing_is_shown_where_nothing_was_read(readings: Readings) -> None:
    assert readings.tables() == readings.tables(extractors=("acme/reader",)) == {}


def test_each_name_counts_once_a_run_under_its_usual_spelling(readings: Readings) -> None:
    readings.read("a", 1, "Kael", "Rook")
    readings.read("a", 2, "kael", usage=Usage(cost_usd=0.25))
    readings.read("b", 1, "Kael", "Ada")
    readings.read("b", 2, "Kaël")
    popular = readings.popular
    assert popular.rows == ((1, "Kael", 4, 1.0, 2), (2, "Ada", 1, 0.25, 1), (2, "Rook", 1, 0.25, 1))
    assert popular.notes[0] == "6 picks of 3 names in 4 of 6 runs; 0 declined (0%)"
    assert "read by acme/reader (4 runs)" in popular.notes[1]
    assert "for $0.2500" in popular.notes[1]


def test_exclusive_names_belong_to_one_configuration_whoever_is_shown(readings: Readings) -> None:
    readings.read("a", 1, "Kael", "Rook")
    readings.read("a", 2, "Rook", "Ada")
    readings.read("b", 1, "Kael", "Zoe")
    exclusive = readings.tables()["names-exclusive"]
    assert exclusive.rows == ((1, "Rook", "label a", 2), (2, "Ada", "label a", 1), (2, "Zoe", "label b", 1))
    assert "configurations of one model count as different" in exclusive.notes[0]
    assert readings.subjects[0][1] == "Rook ×2, Ada, Kael", "how often stands beside a name"
    tables = readings.tables(only={"a"})
    assert tables["names-popular"].rows[0] == (1, "Rook", 2, 1.0, 1)
    assert tables["names-exclusive"].rows == ((1, "Rook", "label a", 2), (2, "Ada", "label a", 1))
    assert [row[0] for row in tables["names-by-subject"].rows] == ["label a"]


def test_a_broken_reading_is_counted_and_never_as_a_refusal(readings: Readings) -> None:
    readings.read("a", 1)
    readings.read("a", 2, missing="unreadable_verdict", declined=())
    readings.read("b", 1, "Kael", "kael")
    assert readings.subjects == (
        ("label a", None, 2, 1, 1, 0),
        ("label b", "Kael", 2, 0, 0, 1),
        ("label c (simulated)", None, 2, 0, 0, 2),
    )
    assert readings.popular.rows == ((1, "Kael", 1, 0.5, 1),)
    assert readings.popular.notes[0] == (
        "1 picks of 1 names in 2 of 6 runs; 1 declined (50%); 1 broken (unreadable_verdict)"
    )


def test_a_reading_of_an_earlier_or_missing_answer_counts_as_not_read(readings: Readings) -> None:
    readings.read("a", 1, "Kael")
    readings.read("a", 2, "Rook")
    stored.dialogue(readings.connection, "a1", "another answer")
    assert readings.subjects[0] == ("label a", "Rook", 2, 0, 0, 1)
    assert "1 stale, to be read again" in readings.popular.notes[0]
    stored.call(readings.connection, "a2", 0, "a2", Missing("no_answer"))
    assert readings.subjects[0] == ("label a", None, 2, 0, 0, 2)


def test_names_that_came_with_an_import_are_used(readings: Readings) -> None:
    entry = {"name": "Kael", "sources": [SCENARIO]}
    readings.came("a", 1, names=[entry], extraction_model="acme/one", extraction_cost_usd=0.5)
    readings.came("a", 2, names=[], declined_scenarios=["Scenario 1"], extraction_model="acme/two")
    readings.came("b", 1, names=[], declined_scenarios=[])
    assert [row[1:] for row in readings.subjects[:2]] == [("Kael", 2, 1, 0, 0), (None, 2, 0, 1, 1)]
    for said in (
        "came with the import, read by",
        "acme/one (1 runs), acme/two (1 runs), an unnamed model (1 runs), for $0.5000",
    ):
        assert said in readings.popular.notes[1]


def test_the_reading_with_most_runs_is_shown_and_of_equals_the_imported_one(readings: Readings) -> None:
    readings.came("a", 1, names=[{"name": "Kael", "sources": []}])
    readings.read("a", 1, "Rook", extractor="zz/reader")
    readings.read("a", 1, "Ada", extractor="acme/reader")
    assert readings.popular.rows[0][1] == "Kael"
    assert readings.tables(extractors=("zz/reader",))["names-popular"].rows[0][1] == "Rook"
    readings.read("a", 2, "Rook", extractor="zz/reader")
    assert readings.popular.rows[0][1] == "Rook"
    readings.read("a", 2, "Ada", extractor="acme/reader")
    assert readings.popular.rows[0][1] == "Ada"


def test_where_a_reading_says_nothing_the_next_one_does(readings: Readings) -> None:
    readings.read("a", 1, "Ada")
    readings.read("a", 2, missing="unreadable_verdict")
    readings.read("b", 1, "Ada")
    readings.read("b", 2, "Ada")
    readings.read("a", 1, "Rook", extractor="zz/reader")
    readings.read("a", 2, "Kael", extractor="zz/reader")
    for asked in ({}, {"extractors": ("acme/reader", "zz/reader")}):
        table = readings.tables(**asked)["names-popular"]
        assert [row[1:3] for row in table.rows] == [("Ada", 3), ("Kael", 1)]
        assert "read by acme/reader (3 runs), zz/reader (1 runs)" in table.notes[1]
    other = readings.tables(extractors=("zz/reader", "acme/reader"))["names-popular"]
    assert {row[1] for row in other.rows} == {"Rook", "Kael", "Ada"}


def test_subjects_stand_in_the_order_of_the_board_and_by_configuration_where_labels_are_equal(
    readings: Readings,
) -> None:
    readings.read("a", 1, "Kael")
    table = readings.tables(ranks={"b": 1, "a": 2, "c": None})["names-by-subject"]
    assert [row[:2] for row in table.rows] == [(1, "label b"), (2, "label a"), (None, "label c (simulated)")]
    assert table.columns[0].head == "#"
    assert "#: rank on the board" in table.notes[0]
    readings.connection.execute("UPDATE subjects SET label = 'same' WHERE config_dir <> 'c'")
    assert [row[0] for row in readings.subjects] == ["a", "b", "label c (simulated)"]


def test_long_tables_are_cut_for_readers_say_so_and_have_all_in_files(readings: Readings) -> None:
    readings.read("a", 1, *(f"Name{number:02}" for number in range(30)))
    cut, whole = readings.tables(), readings.tables(top=None)
    assert len(cut["names-popular"].shown) == len(cut["names-exclusive"].shown) == 25
    assert cut["names-popular"].rows == whole["names-popular"].rows
    assert len(whole["names-popular"].rows) == 30
    said = "the first 25 of 30; --format json or csv, and --tables of a report, have all"
    assert cut["names-popular"].notes[-1] == said
    assert "the first" not in whole["names-popular"].notes[-1]
    one = readings.tables(top=1)["names-popular"]
    assert len(list(csv.reader(io.StringIO(to_csv(one))))) == 1 + 30
    assert to_markdown(one).count("\n| ") == 2, "the heads and one row"
