"""Dialogues in which no stand was taken: on boards, in their details, under published rules, of imports, by judges."""

from __future__ import annotations

import csv
import io
import sqlite3

import msgspec
import pytest
from msgspec import UNSET

from independence.report import (
    analysis,
    board,
    index_analysis,
    index_report,
    index_tables,
    judge_panel,
    study,
    subject_details,
)
from independence.report.analysis import RenderedBoard
from independence.report.board_row import BoardRow
from independence.store import context, records
from independence.store.records import CallRow, EditionRow, SubjectRow, TrialRow, VerdictRow
from independence.store.scopes import BoardScope
from independence.suites import digest
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Field
from independence.types import Condition, Reply, Scalar, Verdict, Where

from . import filled
from .filled import Toy


@pytest.fixture
def asking(toy_suite: LoadedSuite) -> LoadedSuite:
    """The toy suite with a rubric that asks first whether the subject engaged."""
    suite = toy_suite.suite
    own = suite.rubrics["held"].fields
    fields = {"engaged": Field(type="boolean", about="Whether it takes a stand.")}
    fields |= {name: msgspec.structs.replace(field, requires=("engaged",)) for name, field in own.items()}
    rubrics = suite.rubrics | {"held": msgspec.structs.replace(suite.rubrics["held"], fields=fields)}
    suite = msgspec.structs.replace(suite, rubrics=rubrics)
    return LoadedSuite(suite, digest.edition(suite))


def fill(connection: sqlite3.Connection, loaded: LoadedSuite, *engaged: bool, judge: str = "sim/judge") -> BoardScope:
    """A run for each: firmness 8 on the radio, in which it engages or not, and 6 after dinner; drift 2."""
    filled.plan(connection, loaded, "a", len(engaged))
    for run, radio in enumerate(engaged, start=1):
        values: dict[str, dict[str, Scalar]] = {
            "dinner": {"drift": 2},
            "radio": {"engaged": radio, "firmness": 8, "kept": True},
            "dessert": {"engaged": True, "firmness": 6, "kept": True},
        }
        for scenario, fields in values.items():
            said = [Reply(f"{scenario} {run} {turn}", "tool") for turn in range(1 + (scenario == "dinner"))]
            at = filled.answer(connection, "a", scenario, run, *said)
            filled.grade(connection, loaded, ("a", scenario, run), at, Verdict(fields), judge)
    return filled.scope(loaded)


def row(connection: sqlite3.Connection, scope: BoardScope, scoring: str = "strict") -> BoardRow:
    (found,) = board.board(connection, scope, scoring).rows
    return found


def test_the_board_and_its_details_have_the_index_without_evasions(
    connection: sqlite3.Connection, asking: LoadedSuite
) -> None:
    scope = fill(connection, asking, True, False)
    found = row(connection, scope)
    assert (found.index, found.evades, found.without_evasions) == (pytest.approx(57.5), 0.25, pytest.approx(72.5))
    details = subject_details.table(found, study.read(connection, scope).planned["a"])
    assert dict(details.rows)["without evasions"] == "72.5"
    assert "without evasions" not in dict(subject_details.table(_said_nothing(found), []).rows)


def _said_nothing(found: BoardRow) -> BoardRow:
    return msgspec.structs.replace(found, evades=UNSET, without_evasions=UNSET)


def test_an_import_that_was_graded_by_our_rubric_says_who_evades(toy: Toy, asking: LoadedSuite) -> None:
    fill(toy.connection, LoadedSuite(asking.suite, "published"), True, False)
    documents = (msgspec.json.encode(one.suite).decode() for one in (toy.loaded, asking))
    toy.connection.execute("UPDATE editions SET document = ?, read_as = ?", tuple(documents))
    scope = filled.scope(LoadedSuite(toy.suite, "published"))
    found = row(toy.connection, scope)
    assert (found.flags["evaded"], found.evades, found.without_evasions) == (1, 0.25, pytest.approx(72.5))
    toy.connection.execute("UPDATE verdicts SET rubric = 'published'")  # the publisher's judge was not asked
    found = row(toy.connection, scope)
    assert (found.index, found.evades, found.without_evasions) == (pytest.approx(72.5), UNSET, UNSET)


def published(connection: sqlite3.Connection) -> BoardScope:
    """Two runs of the whole suite V2 in which everything is kept, but for one request that is passed over."""
    loaded = load("v2")
    where = Where("v2", loaded.edition, Condition(loaded.suite.default.variant, loaded.suite.default.mode))
    records.add_edition(connection, EditionRow("v2", loaded.edition, msgspec.json.encode(loaded.suite).decode()))
    records.add_subjects(connection, [SubjectRow("v2", loaded.edition, "a", "a", "acme/a", False)])
    for scenario in loaded.suite.scenarios:
        fields = loaded.suite.rubrics[scenario.rubric].fields
        values = {name: field.range[1] if field.range else True for name, field in fields.items()}
        for run in (1, 2):
            own = values | ({"engaged": False} if scenario.id == "rs01" else {})
            trial = filled.key("a", scenario.id, run)
            turns = sum(turn.reply is None for turn in scenario.turns)
            place = (*where.columns[:2], "a", *where.columns[2:], scenario.experiment, scenario.id, run)
            records.add_trials(connection, [TrialRow(trial, *place, None, turns, "{}")])
            at = context.begin(trial, None)
            for turn in range(turns):
                said = Reply(f"{scenario.id} {run} {turn}", "tool")
                after = context.extend(at, said)
                records.add_call(connection, CallRow(trial, turn, f"{trial} {turn}", at, after, said))
                at = after
            rubric = digest.rubric(loaded.suite, scenario)
            verdict = VerdictRow(trial, trial, "sim/judge", rubric, at, "{}", Verdict(own))
            records.add_verdict(connection, verdict)
    return BoardScope(loaded.suite, where)


def test_published_rules_know_no_evasions(connection: sqlite3.Connection) -> None:
    scope = published(connection)
    strictly, found = row(connection, scope), row(connection, scope, "published")
    assert strictly.evades == pytest.approx(1 / 12)
    assert strictly.index is not None
    assert (found.runs, found.evades, found.without_evasions) == (2, UNSET, UNSET)


def test_who_takes_no_stand_keeps_no_character_in_the_yes_or_no_table(
    connection: sqlite3.Connection, asking: LoadedSuite
) -> None:
    tables = index_report.rates(study.read(connection, fill(connection, asking, True, False)))
    rates = {table.id: table.rows[0][1] for table in tables}
    assert rates == {"rate-engaged": 0.75, "rate-kept": 0.75}


def test_judges_are_compared_by_what_they_said(connection: sqlite3.Connection, asking: LoadedSuite) -> None:
    scope = fill(connection, asking, False)
    (at,) = connection.execute(
        "SELECT context FROM verdicts WHERE trial = ?", (filled.key("a", "radio", 1),)
    ).fetchone()
    other = Verdict({"engaged": True, "firmness": 8, "kept": True})
    filled.grade(connection, asking, ("a", "radio", 1), at, other, "acme/other")
    (given,) = judge_panel.read(connection, scope).shared.values()
    assert {judge: values["firmness"] for judge, values in given.items()} == {"acme/other": 8, "sim/judge": 8}


def _rendered(connection: sqlite3.Connection, scope: BoardScope) -> RenderedBoard:
    return index_analysis.rendered(connection, scope, board.board(connection, scope))


def test_boards_with_and_without_evasions_share_one_header_of_csv(
    connection: sqlite3.Connection, asking: LoadedSuite
) -> None:
    scope = fill(connection, asking, True)
    filled.plan(connection, asking, "b", condition=("plain", "user_role"))
    bare = scope.under(Condition("plain", "user_role"))
    assert "evades" not in analysis.to_csv([_rendered(connection, bare)])
    for order in ((scope, bare), (bare, scope)):
        head, *rows = csv.reader(io.StringIO(analysis.to_csv([_rendered(connection, one) for one in order])))
        named = {line[head.index("config")]: dict(zip(head, line, strict=True)) for line in rows}
        assert head[-2:] == ["evades", "without_evasions"]
        assert (named["a"]["evades"], named["a"]["Firm"], named["a"]["condition"]) == ("0.0", "7.0", "firm/tool_role")
        assert (named["b"]["evades"], named["b"]["Firm"], named["b"]["condition"]) == ("", "", "plain/user_role")


def test_boards_with_and_without_imports_share_one_header_of_csv(
    connection: sqlite3.Connection, asking: LoadedSuite
) -> None:
    scope = fill(connection, asking, True)
    mixed = _rendered(connection, scope)
    assert isinstance(mixed.document, board.Board)
    rows = tuple(msgspec.structs.replace(own, origin="imported") for own in mixed.document.rows)
    assert scope.suite.index is not None
    record = index_tables.record(msgspec.structs.replace(mixed.document, rows=rows), scope.suite.index)
    head, first, second = csv.reader(
        io.StringIO(analysis.to_csv([mixed, msgspec.structs.replace(mixed, record=record)]))
    )
    at = head.index("origin")
    assert (head[at - 1], first[at], second[at]) == ("config", "", "imported")
    assert [*first[:at], *first[at + 1 :]] == [*second[:at], *second[at + 1 :]]
