"""Reports on advice, section by section: on paired sides, and on the published instrument."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from independence.report import audit, declared, headline, health, study
from independence.report.advice import advice_study, breakdown, figures, published, tables
from independence.report.advice import board as boards
from independence.report.advice.advice_study import AdviceStudy
from independence.report.judges import validation
from independence.report.table import Block, Prose, Section, Table, Value
from independence.report.table_formats import quoted
from independence.stats.asker_guess import guess_askers
from independence.stats.comparison import Correction
from independence.store import artefacts, queries
from independence.store.scopes import BoardScope
from independence.suites.schema import Scenario

_WORST = 5


def sides(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    correction: Correction,
    models: Collection[str],
) -> list[Section]:
    """The report on a suite of paired sides. `models`: only these labels or ids. Raises StoreError, UsageError."""
    everyone = advice_study.read(connection, scope, judge)
    board = boards.board(everyone, correction, models)
    read = _only(everyone, models)
    plot, open_ = figures.slopes(read, board), tables.incomplete(board)
    made = [
        headline.of_sides(read, board),
        Section("board", "The board", [
            Prose(quoted(read.scope.suite.about.strip())), figures.forest(board), tables.full(board),
            *_as_blocks(open_),
        ], folds=False),
        Section("tilt", "Tilt and merit", [
            *_as_blocks(plot), tables.of_rows("tilt", board), tables.of_rows("harm", board),
            *_filled(breakdown.merits(read, board)),
        ]),
        Section("pairs", "Pairs", [tables.of_rows("pairs", board)]),
        Section("parts", "Domains and wordings", _filled(*breakdown.parts(read, board))),
        Section("checks", "Other methods", [tables.of_rows("checks", board)]),
        Section("guess", "What gives the asker away", _filled(table(connection, read))),
        *_shared(connection, read),
        Section("thresholds", "Appendix: thresholds", breakdown.threshold_tables(read)),
    ]  # fmt: skip
    return [section for section in made if section.body]


def stance(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    models: Collection[str],
) -> list[Section]:
    """The report on the published instrument. `models`: only these labels or ids. Raises StoreError, UsageError."""
    everyone = advice_study.read(connection, scope, judge)
    board = published.board(everyone, models)
    read = _only(everyone, models)
    contrast, summary = published.boards(board)
    made = [
        headline.of_stance(read, board, [published.interval_phrase(row.contrast) for row in board.rows]),
        Section("board", "The board", [
            Prose(quoted(read.scope.suite.about.strip())), figures.contrast(board),
            contrast,
        ], folds=False),
        Section("published", "The published columns", [summary], folds=False),
        Section("guess", "What gives the asker away", _filled(table(connection, read))),
        *_shared(connection, read),
        Section("thresholds", "Appendix: thresholds", breakdown.threshold_tables(read)),
    ]  # fmt: skip
    return [section for section in made if section.body]


def _only(read: AdviceStudy, models: Collection[str]) -> AdviceStudy:
    if not models:
        return read
    chosen = study.config_dirs_named(read, models)
    return read._replace(
        about={config: read.about[config] for config in chosen},
        planned={config: read.planned[config] for config in chosen},
    )


def _shared(connection: sqlite3.Connection, read: AdviceStudy) -> list[Section]:
    """What every report has, whatever its suite measures."""
    costs = audit.audit(read, read.planned, audit.spent_by(connection, read.scope))
    return [
        Section("judges", "Judges", _judges(connection, read)),
        Section("costs", "Costs", _filled(costs, audit.table(connection))),
        Section("health", "Run health", [health.table(connection, read), *health.tables(read)]),
    ]


def _judges(connection: sqlite3.Connection, read: AdviceStudy) -> list[Block]:
    scope = read.scope
    verdicts = queries.verdicts(connection, scope.where)
    if len({verdict.judge for verdict in verdicts}) < 2:
        return []
    wanted = validation.ValidationOptions(models=tuple(read.planned), worst=_WORST)
    return list(validation.validate(connection, scope, wanted))


def _as_blocks(block: Block | None) -> Sequence[Block]:
    return [] if block is None else [block]


def _filled(*found: Table) -> list[Block]:
    return [table for table in found if table.rows]


_ANSWERS = "answers"


class _AnswerText(NamedTuple):
    scenario: Scenario
    text: str


def table(connection: sqlite3.Connection, read: AdviceStudy) -> Table:
    """A classifier's hits for every subject, on answers to the two parties and on each step's output."""
    scope = read.scope
    where = scope.where
    asked = {scenario.id: scenario for scenario in scope.suite.scenarios if scenario.side in read.parties}
    found: defaultdict[str, defaultdict[str, list[_AnswerText]]] = defaultdict(lambda: defaultdict(list))
    for said in queries.last_answers(connection, where):
        if said.scenario in asked:
            found[said.config_dir][_ANSWERS].append(_AnswerText(asked[said.scenario], said.text))
    for own in artefacts.of_condition(connection, where):
        if own.scenario in asked and own.judge == read.judge and own.missing is None:
            found[own.config_dir][own.step].append(_AnswerText(asked[own.scenario], own.text))
    rows = [
        row
        for config in read.planned
        for source, given in found[config].items()
        if (row := _row(read.about[config].name, source, given)) is not None
    ]
    return declared.made("advice/guess", rows, judged=_judged(read))


def _row(name: str, source: str, given: Sequence[_AnswerText]) -> tuple[Value, ...] | None:
    guess = guess_askers(
        [one.text for one in given], [one.scenario.side for one in given], [one.scenario.cell for one in given]
    )  # fmt: skip
    if guess is None:
        return None
    return name, source, guess.accuracy, guess.ci, guess.chance, guess.tells, guess.n


def _judged(read: AdviceStudy) -> str:
    """What a judge sees."""
    steps = [step.name for rubric in read.scope.suite.rubrics.values() for step in rubric.steps]
    return f"A model judge grades `{steps[-1]}`, not the answer." if steps else "The judge reads the answer itself."
