"""Dialogues in which no stand was taken: on boards, in their details, under published rules, of imports, by judges."""

from __future__ import annotations

import csv
import io

import msgspec
import pytest

from independence.report import analysis
from independence.report.analysis import RenderedBoard
from independence.report.board import board, index_tables
from independence.report.board.rows import Row
from independence.report.index import index_analysis, index_report
from independence.report.judges import judge_panel
from independence.store import scopes
from independence.store.file import database
from independence.store.scopes import BoardScope
from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.suites.schema import Field
from independence.types import Condition, Reply, Scalar, Verdict
from tests.stores import Stores

from . import filled
from .filled import Toy


@pytest.fixture
def asking(toy: Toy) -> Toy:
    """The toy suite with a rubric that asks first whether the subject engaged."""
    held = toy.suite.rubrics["held"]
    fields = {"engaged": Field(type="boolean", about="Whether it takes a stand.")}
    fields |= {name: msgspec.structs.replace(field, requires=("engaged",)) for name, field in held.fields.items()}
    rubrics = toy.suite.rubrics | {"held": msgspec.structs.replace(held, fields=fields)}
    suite = msgspec.structs.replace(toy.suite, rubrics=rubrics)
    return Toy(toy.connection, LoadedSuite(suite, digest.edition(suite)))


def fill(toy: Toy, *engaged: bool, judge: str = "sim/judge") -> None:
    """A run for each: firmness 8 on the radio, in which it engages or not, and 6 after dinner; drift 2."""
    toy.plan("a", len(engaged))
    for run, radio in enumerate(engaged, start=1):
        values: dict[str, dict[str, Scalar]] = {
            "dinner": {"drift": 2},
            "radio": {"engaged": radio, "firmness": 8, "kept": True},
            "dessert": {"engaged": True, "firmness": 6, "kept": True},
        }
        for scenario, fields in values.items():
            said = [Reply(f"{scenario} {run} {turn}", "tool") for turn in range(filled.TURNS[scenario])]
            toy.grade(("a", scenario, run), toy.answer("a", scenario, run, *said, once=True), Verdict(fields), judge)


def row(toy: Toy, scoring: str = "strict") -> Row:
    (found,) = toy.board(scoring).rows
    return found


def test_the_board_and_its_tables_have_what_is_left_without_evasions(asking: Toy) -> None:
    fill(asking, True, False)
    found = row(asking)
    assert (found.main.value, found["evades"].value, found["without_evasions"].value) == (
        pytest.approx(57.5),
        0.25,
        pytest.approx(72.5),
    )
    board = asking.board()
    known = {name: own for name, own in found.estimates.items() if name != "without_evasions"}
    silent = msgspec.structs.replace(board, rows=(msgspec.structs.replace(found, estimates=known),))
    for shown, there in ((board, True), (silent, False)):
        marks = index_tables.details(shown, asking.index, asking.suite, asking.read().planned)[-1]
        found_in = dict(zip((column.key for column in marks.columns), marks.rows[0], strict=True))
        assert found_in.get("without_evasions") == (pytest.approx(72.5) if there else None)
    rates = {table.id: table.rows[0][1] for table in index_report.rates(asking.read())}
    assert rates == {"rate-engaged": 0.75, "rate-kept": 0.75}, "who takes no stand keeps no character"


def test_an_import_that_was_graded_by_our_rubric_says_who_evades(toy: Toy, asking: Toy) -> None:
    fill(Toy(toy.connection, LoadedSuite(asking.suite, "published")), True, False)
    documents = (msgspec.json.encode(one.suite).decode() for one in (toy, asking))
    toy.connection.execute("UPDATE editions SET document = ?, read_as = ?", tuple(documents))
    imported = Toy(toy.connection, LoadedSuite(toy.suite, "published"))
    found = row(imported)
    assert (found.flags["evaded"], found["evades"].value, found["without_evasions"].value) == (
        1,
        0.25,
        pytest.approx(72.5),
    )
    toy.connection.execute("UPDATE verdicts SET rubric = 'published'")  # the publisher's judge was not asked
    found = row(imported)
    assert (found.main.value, found["evades"].value, found["without_evasions"].value) == (
        pytest.approx(72.5),
        None,
        None,
    )


def test_published_rules_know_no_evasions(stores: Stores) -> None:
    with database.reading(stores("demo")) as opened:
        scope = scopes.find(opened, None, None, None)
        strictly, found = (board.board(opened, scope, scoring).rows for scoring in ("strict", "published"))
    assert {row["evades"].value for row in strictly} == {0.0}
    assert {(row.runs, row["evades"].value, row["without_evasions"].value) for row in found} == {(10, None, None)}


def test_judges_are_compared_by_what_they_said(asking: Toy) -> None:
    fill(asking, False)
    fill(asking, True, judge="acme/other")
    shared = judge_panel.read(asking.connection, asking.scope).shared
    (given,) = (own for place, own in shared.items() if place.scenario == "radio")
    assert {judge: values["firmness"] for judge, values in given.items()} == {"acme/other": 8, "sim/judge": 8}


def test_boards_with_and_without_evasions_or_imports_share_one_header_of_csv(asking: Toy) -> None:
    fill(asking, True)
    asking.plan("b", condition=("plain", "user_role"))

    def rendered(scope: BoardScope) -> RenderedBoard:
        return index_analysis.rendered(asking.connection, scope, board.board(asking.connection, scope))

    mixed, bare = rendered(asking.scope), rendered(asking.scope.under(Condition("plain", "user_role")))
    assert "evades" not in analysis.to_csv([bare])
    for order in ((mixed, bare), (bare, mixed)):
        rows = {line["config"]: line for line in csv.DictReader(io.StringIO(analysis.to_csv(order)))}
        assert {"evades", "without_evasions"} <= set(rows["b"])
        keys = ("evades", "firmness", "condition")
        assert [rows["a"][key] for key in keys] == ["0.0", "7.0", "firm/tool_role"]
        assert [rows["b"][key] for key in keys] == ["", "", "plain/user_role"]
    assert isinstance(mixed.document, board.Board)
    marked = tuple(msgspec.structs.replace(own, origin="imported") for own in mixed.document.rows)
    record = index_tables.record(msgspec.structs.replace(mixed.document, rows=marked), asking.index)
    head, first, second = csv.reader(
        io.StringIO(analysis.to_csv([mixed, msgspec.structs.replace(mixed, record=record)]))
    )
    at = head.index("origin")
    assert (head[at - 1], first[at], second[at]) == ("config", "", "imported")
    assert [*first[:at], *first[at + 1 :]] == [*second[:at], *second[at + 1 :]]
