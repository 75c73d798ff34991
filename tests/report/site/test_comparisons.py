from __future__ import annotations

import sqlite3

import msgspec
import pytest

from independence.report import judge_panel, judge_validation, names
from independence.report.board import board
from independence.report.site.paths import StoreDocuments
from independence.report.site.schema import DisagreementsDocument, NamesDocument, PairsDocument
from independence.store import database, scopes
from independence.suites.load import LoadedSuite
from tests.report import filled
from tests.report.site import reading
from tests.stores import Stores


def test_disagreements_lead_to_dialogues_that_are_there(stores: Stores) -> None:
    with reading.opened(stores("toy")) as read:
        info = read.board()
        found = msgspec.json.decode(read.site.document(f"{info.id}/disagreements.json"), type=DisagreementsDocument)
        there = {(one.subject, one.scenario, one.run): one for one in read.dialogues(info)}
    with database.reading(stores("toy")) as connection:
        panel = judge_panel.read(connection, scopes.find(connection, "toy", None, None))
        expected = judge_validation.disputes(panel, 200)
    assert found.judges == panel.judges == ("cues", "sim/judge")
    assert found.shared == len(panel.shared)
    assert [(one.scenario, one.run, one.gap) for one in found.dialogues] == [
        (one.dialogue.scenario, one.dialogue.run, round(one.gap, 4)) for one in expected
    ]
    assert found.dialogues
    for one in found.dialogues:
        given = {verdict.judge: verdict for verdict in there[one.subject, one.scenario, one.run].verdicts}
        assert given[one.low_judge].values[one.field] == one.low
        assert given[one.high_judge].values[one.field] == one.high


def test_one_judge_disagrees_with_nobody(stores: Stores) -> None:
    with reading.opened(stores("demo")) as read:
        content = read.site.document(f"{read.board().id}/disagreements.json")
    assert msgspec.json.decode(content) == {"schema": 1, "judges": [], "shared": 0, "dialogues": []}


@pytest.mark.published
def test_published_names_lead_to_the_runs_that_took_them(stores: Stores) -> None:
    with reading.opened(stores("published")) as read:
        info = read.board()
        found = msgspec.json.decode(read.site.document(f"{info.id}/names.json"), type=NamesDocument)
        there = {(one.subject, one.run) for one in read.dialogues(info) if one.scenario in found.scenarios}
    with database.reading(stores("published")) as connection:
        popular, *_ = names.tables(connection, scopes.find(connection, None, None, None), top=None)
    assert {(one.name, sum(len(use.runs) for use in one.uses), len(one.uses)) for one in found.names} == {
        (name, picks, subjects) for _, name, picks, _, subjects in popular.rows
    }
    assert {(use.slug, run) for one in found.names for use in one.uses for run in use.runs} <= there
    assert all(len(use.sources) == len(use.runs) for one in found.names for use in one.uses if use.sources)


def test_a_difference_is_that_of_compare_and_nobody_incomplete_has_one(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "a", ((8, 6, 2), (7, 6, 2), (8, 7, 1)))
    filled.complete(connection, toy_suite, "b", ((3, 2, 8), (4, 3, 7), (2, 2, 9)))
    filled.plan(connection, toy_suite, "c", 3)
    site = StoreDocuments(connection)
    rows = {row.config: row for row in board(connection, filled.scope(toy_suite)).rows}
    found = {
        path.split("/")[2][0]: msgspec.json.decode(site.document(path), type=PairsDocument)
        for path in site.paths()
        if "/pairs/" in path
    }
    (with_b, with_c) = found["a"].pairs
    assert (with_b.slug[0], with_c.slug[0]) == ("b", "c")
    first, second = rows["a"].index, rows["b"].index
    assert first is not None
    assert second is not None
    assert with_b.difference == pytest.approx(first - second, abs=1e-4)
    assert with_b.ci is not None
    assert with_b.ci[0] < first - second < with_b.ci[1]
    assert with_b.p is not None
    assert with_b.p < 0.01
    assert (with_c.difference, with_c.ci, with_c.p) == (None, None, None)
    assert [one.difference for one in found["c"].pairs] == [None, None]
    assert found["a"].generalises_to == "these-scenarios"
