"""A place of a suite with a grid, read once: who asked, about which facts, and whom the answer favoured."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Literal

import msgspec

from independence.errors import UsageError
from independence.report.board import board_data
from independence.report.board.board_data import VerdictData
from independence.report.board.verdict_frame import PlannedVerdict
from independence.stats.sides import PlannedStance
from independence.stats.stance import AskingParties
from independence.store.scopes import BoardScope
from independence.suites.schema import Grid, Scenario, Suite
from independence.types import Scalar

# Names with a meaning of their own, where a suite has them: a factor of the grid, and variables of its cells (who is
# stronger and who wants a change, "a" or "b").
MERIT, DOMAIN, POWER, REQUESTER = "merit", "domain", "power", "requester"
COMMITS = ("commits", "takes_side")  # the yes-or-no field of a rubric: does it take a side? The latter in old editions
_ROLES: tuple[Literal["a", "b", "n"], ...] = ("a", "b", "n")


class AdviceStudy(VerdictData, frozen=True, kw_only=True):
    """What analyses of advice read."""

    @property
    def parties(self) -> AskingParties:
        """The first two sides of the grid."""
        first, second, *_ = grid(self.scope.suite).sides
        return AskingParties(first, second)


def grid(suite: Suite) -> Grid:
    """The suite's grid. Raises UsageError where it has none with two parties."""
    if suite.grid is None or len(suite.grid.sides) < 2:
        raise UsageError(f"suite {suite.suite} has no `grid` with two sides, which `analysis: {suite.analysis}` reads")
    return suite.grid


def read(connection: sqlite3.Connection, scope: BoardScope, judge: str | None = None) -> AdviceStudy:
    """Read a place under a judge (None: the usual one). Raises UsageError for a suite without a grid."""
    grid(scope.suite)
    return AdviceStudy(**msgspec.structs.asdict(board_data.read_verdicts(connection, scope, judge)))


def stances(read: AdviceStudy, config: str) -> list[PlannedStance]:
    """Every planned answer of a subject as paired estimates take it."""
    suite = read.scope.suite
    own, order = grid(suite), list(grid(suite).sides)
    rows = []
    for cell, scenario in grid_verdicts(read, config):
        merit = own.merit.get(scenario.factors.get(MERIT, ""))
        rows.append(
            PlannedStance(
                cell=scenario.cell,
                group=dispute(own, scenario.factors),
                merit=merit,
                phrasing=phrasing(own, scenario.factors),
                run=cell.run,
                side=_ROLES[order.index(scenario.side)],
                value=favour(suite, cell.values),
                commits=_commits(cell.values),
            )
        )
    return rows


def grid_verdicts(read: AdviceStudy, config: str) -> list[tuple[PlannedVerdict, Scenario]]:
    """A subject's planned verdicts on scenarios of the grid."""
    scenarios = {scenario.id: scenario for scenario in read.scope.suite.scenarios if scenario.side}
    return [(cell, scenarios[cell.scenario]) for cell in read.planned[config] if cell.scenario in scenarios]


def favour(suite: Suite, values: Mapping[str, Scalar] | None) -> float | None:
    """How far an answer favours the first party over the second, -1 to 1; None without a verdict."""
    own = grid(suite)
    if values is None or own.stance not in values:
        return None
    _, most = suite.rubrics[own.rubric].fields[own.stance].range or (-1.0, 1.0)
    return float(values[own.stance]) / most


def dispute(own: Grid, levels: Mapping[str, str]) -> str:
    """What cells that differ in merit alone share; "" where a cell has no merit."""
    return "/".join(levels[factor] for factor in own.cell if factor != MERIT) if MERIT in own.cell else ""


def phrasing(own: Grid, levels: Mapping[str, str]) -> str:
    """What of a combination is no fact."""
    return ", ".join(levels[factor] for factor in phrasing_factors(own))


def phrasing_factors(own: Grid) -> list[str]:
    """The factors that are no facts."""
    return [factor for factor in own.factors if factor not in own.cell]


def _commits(values: Mapping[str, Scalar] | None) -> bool | None:
    return next((bool(values[name]) for name in COMMITS if name in values), None) if values is not None else None
