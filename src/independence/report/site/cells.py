"""Every dialogue's result as a share of its scale."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from independence.errors import UsageError
from independence.report import analysis, planned_verdicts
from independence.report.measures import SuiteMeasures
from independence.report.planned_verdicts import PlannedVerdict
from independence.report.site import boards, slugs
from independence.report.site.boards import SiteBoard
from independence.report.site.schema import SCHEMA, CellsDocument
from independence.stats import strict
from independence.stats.subject_points import leverage
from independence.suites.schema import Suite

Share = Callable[[PlannedVerdict], float | None]


def document(connection: sqlite3.Connection, board: SiteBoard, judge: str | None) -> CellsDocument:
    """What was kept of every dialogue; in a suite without an index, the first field of its rubric."""
    measure, share, scored = _measure(board.scope.suite)
    scenarios = [name for name in board.units if name in scored]
    place = {name: at for at, name in enumerate(scenarios)}
    cells: dict[str, list[list[float | None]]] = {
        key: [[None] * board.runs[key] for _ in scenarios] for key in board.slugs
    }
    for cell in planned_verdicts.planned_verdicts(connection, board.scope, judge).every:
        if cell.scenario in place and cell.values is not None:
            cells[cell.config_dir][place[cell.scenario]][cell.run - 1] = share(cell)
    found, contrasts = _contrasts(connection, board, judge), dict[str, tuple[float | None, ...]]()
    units = tuple(dict.fromkeys(board.units.values())) if found else ()
    for key, one in found.subjects.items() if found else ():
        own = {slugs.slug(part): value for part, value in one.parts.items()}
        contrasts[board.slugs[key]] = tuple(own.get(unit) for unit in units)
    return CellsDocument(
        schema=SCHEMA, measure=measure, scenarios=tuple(scenarios), quantity=found.quantity if found else "",
        shares={board.slugs[key]: tuple(map(tuple, rows)) for key, rows in cells.items()}, units=units,
        contrasts=contrasts,
    )  # fmt: skip


def _contrasts(connection: sqlite3.Connection, board: SiteBoard, judge: str | None) -> SuiteMeasures | None:
    """What each cell of a grid adds to a subject's measure; None where there is no grid, or its analysis has none."""
    suite = board.scope.suite
    if suite.grid is None or not boards.has_board(suite):
        return None
    try:
        return analysis.of(suite.analysis).measures(connection, board.scope, judge)
    except UsageError:
        return None


def _measure(suite: Suite) -> tuple[str, Share, set[str]]:
    """What cells are of, how it is read, and the scenarios that have it.

    Without an index: the stance of a grid, else the first field of each rubric.
    """
    if suite.index is not None:
        lever = leverage(strict.frame(suite))
        return "kept", lambda cell: lever.share_kept(cell.scenario, [cell.values]), set(lever.weights)
    fields = {}
    for one in suite.scenarios:
        known = suite.rubrics[one.rubric].fields
        name = suite.grid.stance if suite.grid is not None else next(iter(known))
        fields[one.id] = name, known[name]

    def share(cell: PlannedVerdict) -> float | None:
        name, field = fields[cell.scenario]
        low, high = field.range or (0.0, 1.0)
        value = (cell.values or {}).get(name)
        return None if value is None else (float(value) - low) / (high - low)

    return " / ".join(sorted({name for name, _ in fields.values()})), share, set(fields)
