"""The index document: a board, its scenarios and its subjects."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence

from independence.config.subjects import SUFFIX, family, from_json
from independence.report import analysis, board_tables, declared, planned_verdicts
from independence.report.analysis import BoardOptions
from independence.report.board import Board
from independence.report.legend import subject_name
from independence.report.site import boards
from independence.report.site.boards import SiteBoard
from independence.report.site.schema import (
    SCHEMA,
    ColumnInfo,
    ComponentInfo,
    IndexDocument,
    ScenarioInfo,
    SubjectProfile,
    TableDocument,
)
from independence.report.table import Table
from independence.store import deliveries, queries
from independence.suites.schema import Scenario, Suite
from independence.types import Sampling


def document(connection: sqlite3.Connection, board: SiteBoard, judge: str | None) -> IndexDocument:
    """A board under one judge."""
    ranked = None
    if boards.has_board(board.scope.suite):
        made = analysis.board(connection, board.scope, BoardOptions(judge=judge))
        ranked = made.document if isinstance(made.document, Board) else None
        tables = list(made.tables)
    else:
        tables = [coverage(connection, board, judge)]
    return IndexDocument(
        schema=SCHEMA,
        id=board.info.id,
        judge=judge,
        scenarios=tuple(scenarios(connection, board)),
        subjects=tuple(subjects(connection, board).values()),
        board=ranked,
        components=tuple(components(board.scope.suite)) if ranked else (),
        parts=_parts(board, ranked) if ranked else {},
        notes=tuple(note for table in tables for note in table.notes) if ranked else (),
        tables=() if ranked else tuple(table_document(table, names(board)) for table in tables),
    )


def components(suite: Suite) -> list[ComponentInfo]:
    """The parts of a suite's index, in its order; none where it has none."""
    if suite.index is None:
        return []
    columns = board_tables.components(suite.index, about=True)
    return [
        ComponentInfo(key=own.key, head=own.head, about=own.about, weight=one.weight, worst=one.worst, best=one.best)
        for own, one in zip(columns, suite.index.components, strict=True)
    ]


def _parts(board: SiteBoard, ranked: Board) -> dict[str, tuple[float | None, ...]]:
    assert board.scope.suite.index is not None
    parts = board.scope.suite.index.components
    return {board.slugs[row.config]: tuple(board_tables.column(one, row) for one in parts) for row in ranked.rows}


def coverage(connection: sqlite3.Connection, board: SiteBoard, judge: str | None) -> Table:
    """Of a suite without a board: what is there of each subject."""
    read = planned_verdicts.planned_verdicts(connection, board.scope, judge)
    own = read.planned
    rows = [
        (
            subject_name(about.label, about.simulated),
            len(own.get(key, ())),
            sum(cell.missing not in ("not_run", "stale") for cell in own.get(key, ())),
            sum(cell.values is not None for cell in own.get(key, ())),
        )
        for key, about in board.about.items()
    ]
    return declared.made("index/coverage", rows)


def scenarios(connection: sqlite3.Connection, board: SiteBoard) -> list[ScenarioInfo]:
    """The scenarios that were planned, in the order of the suite; those of an import by their ids alone."""
    known = {one.id: one for one in board.scope.suite.scenarios}
    experiments = dict(_experiments(connection, board))
    return [
        _scenario(known[name], unit, words=not board.info.imported)
        if name in known
        else ScenarioInfo(id=name, unit=unit, experiment=experiments[name])
        for name, unit in board.units.items()
    ]


def _experiments(connection: sqlite3.Connection, board: SiteBoard) -> list[tuple[str, str]]:
    sql = f"SELECT DISTINCT scenario, experiment FROM planned WHERE {queries.UNDER}"
    return [row for one in board.scope.editions for row in connection.execute(sql, one.where.columns)]


def _scenario(one: Scenario, unit: str, *, words: bool) -> ScenarioInfo:
    return ScenarioInfo(
        id=one.id,
        unit=unit,
        experiment=one.experiment,
        title=one.title if words else "",
        cell=one.cell,
        side=one.side,
        factors=one.factors,
        follows=one.follows or "",
        turns=tuple(turn.id for turn in one.turns if turn.reply is None),
    )


def subjects(connection: sqlite3.Connection, board: SiteBoard) -> dict[str, SubjectProfile]:
    """Who was asked, by key. A label that several bear makes room for the directory name."""
    configured = board.scope.by_key(lambda where: queries.configurations(connection, where))
    often = Counter(about.label for about in board.about.values())
    out = {}
    for key, slug in board.slugs.items():
        about = board.about[key]
        endpoint, sampling = _settings(key, configured)
        out[key] = SubjectProfile(
            slug=slug,
            config=key,
            label=about.label if often[about.label] == 1 else key,
            model=about.model_id,
            family=family(about.model_id),
            runs=board.runs[key],
            simulated=about.simulated,
            endpoint=endpoint,
            effort=sampling.effort or "",
            temperature=sampling.temperature,
            pin=sampling.provider or "",
            delivery=_delivery(connection, board, configured.get(key)),
            origin=about.origin,
        )
    return out


def _delivery(connection: sqlite3.Connection, board: SiteBoard, configured: str | None) -> str:
    condition = board.scope.where.condition
    if configured is None or condition is None:
        return ""
    return deliveries.of_subject(connection, from_json(configured), condition.mode)


def _settings(key: str, configured: Mapping[str, str]) -> tuple[str, Sampling]:
    """Endpoint and settings: as they are stored, else as far as the directory name tells them."""
    if key in configured:
        subject = from_json(configured[key])
        return subject.endpoint, subject.sampling
    found = re.search(SUFFIX, key)
    if found is None:
        return "", Sampling()
    limit = found["max_tokens"]
    return "", Sampling(float(found["temperature"]), found["effort"], found["pin"], int(limit) if limit else None)


def names(board: SiteBoard) -> dict[str, str]:
    """What tables call a subject -> its slug; of names that several bear, none."""
    named = [(subject_name(about.label, about.simulated), board.slugs[key]) for key, about in board.about.items()]
    often = Counter(name for name, _ in named)
    return {name: slug for name, slug in named if often[name] == 1}


def table_document(table: Table, known: Mapping[str, str]) -> TableDocument:
    """A table; `known`: what subjects are called, for the rows that are about one."""
    about = [_subject(row, known) for row in table.rows]
    return TableDocument(
        id=table.id,
        title=table.title,
        columns=tuple(ColumnInfo(one.key, one.head, one.kind, one.digits, about=one.about) for one in table.columns),
        rows=table.rows,
        notes=table.notes,
        limit=table.limit,
        subjects=tuple(filter(None, about)) if all(about) else (),
    )


def _subject(row: Sequence[object], known: Mapping[str, str]) -> str | None:
    return next((known[value] for value in row if isinstance(value, str) and value in known), None)
