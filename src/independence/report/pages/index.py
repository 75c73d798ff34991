"""The index document: a board, its scenarios and its subjects; and the report of a board, block by block."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec
import numpy as np

from independence.config.subjects import family, from_json, sampling_in
from independence.errors import UsageError
from independence.report import analysis, items, profile
from independence.report.analysis import BoardOptions
from independence.report.board import board_data, display_names, index_tables, verdict_frame
from independence.report.board.board import IndexBoard
from independence.report.board.display_names import NamedSubject
from independence.report.board.measures import SuiteMeasures
from independence.report.files import charts, mark_kinds, table_layouts
from independence.report.files.legend import subject_name
from independence.report.files.table import Block, Prose, Quotation, Table, escaped
from independence.report.pages import boards, cells, slugs
from independence.report.pages.boards import SiteBoard
from independence.report.pages.schema import (
    SCHEMA,
    ChartBlock,
    ColumnInfo,
    ComponentInfo,
    FurthestCase,
    IndexDocument,
    ReportDocument,
    ScenarioInfo,
    SectionBlock,
    SectionDocument,
    SubjectProfile,
    TableBlock,
    TableDocument,
)
from independence.report.sections import quotations, summary
from independence.store import deliveries, queries
from independence.suites import load
from independence.suites.schema import Suite


def document(connection: sqlite3.Connection, board: SiteBoard, options: BoardOptions) -> IndexDocument:
    """A board under one judge, in one way of scoring."""
    judge = options.judge
    made, ranked, suite, parts = None, None, board.scope.suite, dict[str, tuple[float | None, ...]]()
    if boards.has_board(suite):
        made = analysis.board(connection, board.scope, options)
        ranked = made.document if isinstance(made.document, IndexBoard) else None
        tables = list(made.tables)
    else:
        tables = [coverage(connection, board, judge)]
    if ranked and suite.index:
        for row in ranked.rows:
            parts[board.slugs[row.config]] = tuple(index_tables.column(one, row) for one in suite.index.components)
    asked = subjects(connection, board)
    said, case = (
        furthest(board, made.measures(), asked) if made and made.measures else (made.result if made else "", None)
    )
    return IndexDocument(
        schema=SCHEMA, id=board.info.id, judge=judge, scenarios=tuple(scenarios(connection, board)),
        subjects=tuple(asked.values()), board=ranked,
        result=summary.result(ranked, lambda row: _said(asked[row.config])) if ranked else said, furthest=case,
        fold=fold(connection, board, ranked, judge) if ranked and judge else None,
        components=tuple(components(suite)) if ranked else (), parts=parts,
        part_quartiles=tuple(
            cells.quartiles(np.array(own, dtype=np.float64)) for own in zip(*parts.values(), strict=True)
        ),
        marks=mark_kinds.of(mark for row in ranked.rows for mark in row.flags) if ranked else {},
        notes=tuple(note for table in tables for note in table.notes) if ranked else (),
        tables=() if ranked else tuple(table_document(table, names(board)) for table in tables),
    )  # fmt: skip


def fold(connection: sqlite3.Connection, board: SiteBoard, ranked: IndexBoard, judge: str) -> Quotation | None:
    """Words in which a subject of a board gave way."""
    found = quotations.fold(connection, board_data.read(connection, board.scope, judge), ranked)
    return found and msgspec.structs.replace(found, subject=board.slugs[found.subject])


def furthest(
    board: SiteBoard, measured: SuiteMeasures, asked: Mapping[str, SubjectProfile]
) -> tuple[str, FurthestCase | None]:
    """Of a grid: who moves furthest with whoever asks, and the case in which somebody does. Programs only if alone."""
    known = {key: one for key, one in measured.subjects.items() if round(one.value or 0.0, 2)}
    own = {key: one for key, one in known.items() if not one.simulated} or known
    if not own:
        return "", None
    value, who = max(((one.value or 0.0, key) for key, one in own.items()), key=lambda pair: abs(pair[0]))
    said = summary.SENTENCES["asked"].format(
        subjects=len(measured.subjects), who=escaped(_said(asked[who])), what=measured.quantity, value=value,
        side="towards" if value > 0 else "against",
    )  # fmt: skip
    _, key, part, value = max(
        (abs(part), key, case, part) for key, one in own.items() for case, part in one.parts.items()
    )
    return said, FurthestCase(board.slugs[key], slugs.slug(part), measured.quantity, value)


def _said(subject: SubjectProfile) -> str:
    """A subject in a sentence: its name, and what else tells it apart."""
    return subject.name + (f" ({', '.join(badge.text for badge in subject.badges)})" if subject.badges else "")


def components(suite: Suite) -> list[ComponentInfo]:
    """The parts of a suite's index, in its order; none where it has none."""
    if suite.index is None:
        return []
    columns = index_tables.components(suite.index, about=True)
    return [
        ComponentInfo(key=own.key, head=own.head, about=own.about, weight=one.weight, worst=one.worst, best=one.best)
        for own, one in zip(columns, suite.index.components, strict=True)
    ]


def coverage(connection: sqlite3.Connection, board: SiteBoard, judge: str | None) -> Table:
    """Of a suite without a board: what is there of each subject."""
    planned, rows = verdict_frame.read(connection, board.scope, judge).planned, []
    for key, about in board.about.items():
        own = planned.get(key, ())
        answered = sum(cell.missing not in ("not_run", "stale") for cell in own)
        judged = sum(cell.values is not None for cell in own)
        rows.append((subject_name(about.label, about.simulated), len(own), answered, judged))
    return table_layouts.made("index/coverage", rows)


def scenarios(connection: sqlite3.Connection, board: SiteBoard) -> Iterator[ScenarioInfo]:
    """The scenarios that were planned, in the order of the suite."""
    known, titles = {one.id: one for one in board.scope.suite.scenarios}, _our_titles(board)
    sql = f"SELECT DISTINCT scenario, experiment FROM planned WHERE {queries.UNDER}"
    stems = board.scope.suite.battery.stems if board.scope.suite.battery else {}
    experiments = dict(row for one in board.scope.editions for row in connection.execute(sql, one.where.columns))
    for name, unit in board.units.items():
        info = ScenarioInfo(id=name, unit=unit, experiment=experiments[name])
        if (one := known.get(name)) is not None:
            info = ScenarioInfo(
                id=name, unit=unit, experiment=one.experiment, title="" if titles else one.title, cell=one.cell,
                cell_title=stems[one.cell].title if one.cell in stems else "",
                choices=(one.vars["a"], one.vars["b"]) if one.cell in stems else (),
                side=one.side, factors=one.factors, follows=one.follows or "",
                turns=tuple(turn.id for turn in one.turns if turn.reply is None),
            )  # fmt: skip
        yield msgspec.structs.replace(info, title=titles[name], title_is_ours=True) if name in titles else info


def _our_titles(board: SiteBoard) -> dict[str, str]:
    """Of an import, whose wording is unknown: the titles of the shipped suite of that name, by scenario."""
    scope = board.scope
    if scope.worded or scope.where.suite not in load.built_in():
        return {}
    return {one.id: one.title for one in load.load(scope.where.suite).suite.scenarios if one.title not in ("", one.id)}


def subjects(connection: sqlite3.Connection, board: SiteBoard) -> dict[str, SubjectProfile]:
    """Who was asked, by key. A label that several bear makes room for the directory name."""
    configured = board.scope.by_key(lambda where: queries.configurations(connection, where))
    often = Counter(about.label for about in board.about.values())
    condition, named, found = board.scope.where.condition, list[NamedSubject](), dict[str, str]()
    for key in board.slugs:
        about, endpoint, sampling = board.about[key], "", sampling_in(key)
        if key in configured:
            subject = from_json(configured[key])
            endpoint, sampling = subject.endpoint, subject.sampling
            found[key] = deliveries.of_subject(connection, subject, condition.mode) if condition else ""
        label = about.label if often[about.label] == 1 else key
        named.append(NamedSubject(
            key, label, about.model_id, endpoint, sampling, about.simulated, board.runs[key], about.origin
        ))  # fmt: skip
    shown = display_names.of_board(named)
    return {
        one.config: SubjectProfile(
            slug=board.slugs[one.config], config=one.config, label=one.label, model=one.model_id,
            family=family(one.model_id), runs=one.runs, simulated=one.simulated, endpoint=one.endpoint,
            effort=one.sampling.effort or "", temperature=one.sampling.temperature, pin=one.sampling.provider or "",
            delivery=found.get(one.config, ""), origin=one.origin, **shown[one.config]._asdict(),
        )
        for one in named
    }  # fmt: skip


def names(board: SiteBoard) -> dict[str, str]:
    """What tables call a subject -> its slug; of names that several bear, none."""
    named = [(subject_name(about.label, about.simulated), board.slugs[key]) for key, about in board.about.items()]
    often = Counter(name for name, _ in named)
    return {name: slug for name, slug in named if often[name] == 1}


def table_document(table: Table, known: Mapping[str, str]) -> TableDocument:
    """A table; `known`: what subjects are called, for the rows that are about one."""
    about = [next((known[own] for own in row if isinstance(own, str) and own in known), "") for row in table.rows]
    return TableDocument(
        id=table.id, title=table.title, rows=table.rows, notes=table.notes, limit=table.limit,
        columns=tuple(ColumnInfo(one.key, one.head, one.kind, one.digits, about=one.about) for one in table.columns),
        subjects=tuple(about) if all(about) else (),
    )  # fmt: skip


def report(connection: sqlite3.Connection, board: SiteBoard, options: BoardOptions) -> ReportDocument:
    """The report of a view; without any section where the suite has no board."""
    known, sections = names(board), list[SectionDocument]()
    if boards.has_board(board.scope.suite):
        for section in analysis.report(connection, board.scope, options, options.models):
            blocks = tuple(_block(block, known, board.slugs) for block in section.body)
            sections.append(SectionDocument(id=section.id, title=section.title, folds=section.folds, blocks=blocks))
    with contextlib.suppress(UsageError):  # of a suite without items
        tables = [] if options.pooled else items.tables(connection, board.scope, options.judge, options.models)
        blocks = tuple(TableBlock(table_document(table, known)) for table in tables if table.rows)
        sections += [SectionDocument(id="items", title="Items", folds=False, blocks=blocks)] * bool(blocks)
    return ReportDocument(schema=SCHEMA, sections=tuple(sections))


def profiles(connection: sqlite3.Connection) -> ReportDocument:
    """The profile of a store that has a part of it."""
    table, *_ = profile.tables(profile.columns(connection))
    made = SectionDocument(id=table.id, title=table.title, folds=False, blocks=(TableBlock(table_document(table, {})),))
    return ReportDocument(schema=SCHEMA, sections=(made,))


def _block(block: Block, known: Mapping[str, str], slugs: Mapping[str, str]) -> SectionBlock:
    if isinstance(block, Prose):
        return Prose(block.markdown.strip())
    if isinstance(block, Table):
        return TableBlock(table_document(block, known))
    if isinstance(block, Quotation):
        return msgspec.structs.replace(block, subject=slugs.get(block.subject, ""))
    return ChartBlock(charts.renamed(block, lambda config: slugs.get(config, "")))
