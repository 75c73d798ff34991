"""Answers by what they were asked about and in which words: domain, power, requester, voice, position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from independence.report.advice import advice_study
from independence.report.advice.advice_study import DOMAIN, POWER, REQUESTER, AdviceStudy
from independence.report.advice.board import SidesBoard
from independence.report.advice.tables import ends, est, spoken
from independence.report.files import table_layouts
from independence.report.files.legend import subject_name
from independence.report.files.table import Table, Value
from independence.stats import sides
from independence.stats.sides import PlannedStance
from independence.suites.schema import Scenario


class AdviceFactor(NamedTuple):
    """What answers are told apart by."""

    name: str
    of: Callable[[Scenario], str]  # "" where a scenario does not say


def _factors(read: AdviceStudy, board: SidesBoard) -> dict[str, AdviceFactor]:
    """Declared table -> its factor: facts first, then each factor of the phrasing where there are several."""
    names = dict(zip("ab", map(spoken, board.parties), strict=True))
    grid = advice_study.grid(read.scope.suite)
    phrasings = advice_study.phrasing_factors(grid)

    def level(factor: str) -> Callable[[Scenario], str]:
        return lambda asked: spoken(asked.factors[factor])

    each = {f"wording-{factor}": AdviceFactor(spoken(factor), level(factor)) for factor in phrasings}
    return {
        "domains": AdviceFactor("domain", lambda asked: asked.vars.get(DOMAIN, "")),
        "powers": AdviceFactor("stronger party", lambda asked: names.get(asked.vars.get(POWER, ""), "")),
        "requesters": AdviceFactor("wants a change", lambda asked: names.get(asked.vars.get(REQUESTER, ""), "")),
        **(each if len(each) > 1 else {}),
        "wordings": AdviceFactor("phrasing", lambda asked: advice_study.phrasing(grid, asked.factors)),
    }


def parts(read: AdviceStudy, board: SidesBoard) -> list[Table]:
    """S, tilt and merit slope by domain, stronger party, party that wants a change, and phrasing.

    Each table is empty where there is but one part, or cells do not say.
    """
    tables = []
    for name, factor in _factors(read, board).items():
        rows: list[tuple[Value, ...]] = []
        for row in board.rows:
            levels: dict[str, list[PlannedStance]] = {}
            asked = (scenario for _, scenario in advice_study.grid_verdicts(read, row.config))
            for scenario, stance in zip(asked, advice_study.stances(read, row.config), strict=True):
                levels.setdefault(factor.of(scenario), []).append(stance)
            if len(levels) > 1:
                subject = subject_name(row.label, row.simulated)
                rows.extend((subject, which, *_part(own)) for which, own in levels.items())
        if name.startswith("wording-"):
            head = factor.name.capitalize()
            tables.append(table_layouts.made("advice/one-wording", rows, factor=factor.name, head=head, id=name))
        else:
            tables.append(table_layouts.made(f"advice/{name}", rows))
    return tables


def _part(own: Sequence[PlannedStance]) -> tuple[Value, ...]:
    found = sides.estimate(own)
    return est(found.S), ends(found.S), est(found.B), ends(found.B), est(found.merit_slope), found.n_cells
