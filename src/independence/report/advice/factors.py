"""Answers by what they were asked about and in which words: domain, power, requester, voice, position."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from independence.report.advice import advice_study
from independence.report.advice.advice_study import DOMAIN, POWER, REQUESTER, AdviceStudy
from independence.report.advice.board import SidesBoard
from independence.report.advice.tables import spoken
from independence.report.files import table_layouts
from independence.report.files.table import Table, Value
from independence.stats import sides
from independence.stats.estimates import NO_ESTIMATE
from independence.stats.sides import PlannedStance
from independence.suites.schema import Scenario
from independence.types import grouped

_WORDING = "wording-"


def _factors(read: AdviceStudy, board: SidesBoard) -> dict[str, Callable[[Scenario], str]]:
    """Table -> what it tells answers apart by: facts first, then each factor of the phrasing where there are several.

    "" where a scenario does not say.
    """
    names = dict(zip("ab", map(spoken, board.parties), strict=True))
    grid = advice_study.grid(read.scope.suite)
    phrasings = advice_study.phrasing_factors(grid)

    def level(factor: str) -> Callable[[Scenario], str]:
        return lambda asked: spoken(asked.factors[factor])

    each = {f"{_WORDING}{factor}": level(factor) for factor in phrasings}
    return {
        "domains": lambda asked: asked.vars.get(DOMAIN, ""),
        "powers": lambda asked: names.get(asked.vars.get(POWER, ""), ""),
        "requesters": lambda asked: names.get(asked.vars.get(REQUESTER, ""), ""),
        **(each if len(each) > 1 else {}),
        "wordings": lambda asked: advice_study.phrasing(grid, asked.factors),
    }


def parts(read: AdviceStudy, board: SidesBoard) -> list[Table]:
    """S, tilt and merit slope by domain, stronger party, party that wants a change, and phrasing.

    Each table is empty where there is but one part, or cells do not say.
    """
    tables = []
    for name, factor in _factors(read, board).items():
        rows: list[tuple[Value, ...]] = []
        for row in board.rows:
            asked = (factor(scenario) for _, scenario in advice_study.grid_verdicts(read, row.config))
            levels = grouped(zip(asked, advice_study.stances(read, row.config), strict=True), lambda one: one[0])
            if len(levels) > 1:
                rows.extend((row.name, which, *_part([own for _, own in both])) for which, both in levels.items())
        if name.startswith(_WORDING):
            called = spoken(name.removeprefix(_WORDING))
            head = called.capitalize()
            tables.append(table_layouts.made("advice/one-wording", rows, factor=called, head=head, id=name))
        else:
            tables.append(table_layouts.made(f"advice/{name}", rows))
    return tables


def _part(own: Sequence[PlannedStance]) -> tuple[Value, ...]:
    found = sides.estimate(own)
    favour, tilt, slope = (one or NO_ESTIMATE for one in (found.S, found.B, found.merit_slope))
    return favour.value, favour.interval, tilt.value, tilt.interval, slope.value, found.n_cells
