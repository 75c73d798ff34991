"""The same answers by what they were asked about and in which words: domain, power, requester, voice, position."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from independence.report import declared
from independence.report.advice import advice_study
from independence.report.advice.advice_study import DOMAIN, POWER, REQUESTER, AdviceStudy
from independence.report.advice.board import SidesBoard
from independence.report.advice.tables import ends, est, spoken
from independence.report.legend import subject_name
from independence.report.table import Table, Value
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
    """S, tilt and merit slope by domain, stronger party, party that wants a change, and phrasing; then by how much.

    Each is empty where there is but one part, or cells do not say.
    """
    factors = _factors(read, board)
    found = {name: _levels(read, board, factor) for name, factor in factors.items()}
    tables = [_split(name, factors[name].name, own) for name, own in found.items()]
    return [*tables, _differences(factors, found)]


Levels = list[tuple[str, dict[str, list[PlannedStance]]]]  # subject, its answers by level of a factor


def _levels(read: AdviceStudy, board: SidesBoard, factor: AdviceFactor) -> Levels:
    """Of every subject whose answers have several levels."""
    out: Levels = []
    for row in board.rows:
        found: dict[str, list[PlannedStance]] = {}
        asked = (scenario for _, scenario in advice_study.grid_verdicts(read, row.config))
        for scenario, stance in zip(asked, advice_study.stances(read, row.config), strict=True):
            found.setdefault(factor.of(scenario), []).append(stance)
        if len(found) > 1:
            out.append((subject_name(row.label, row.simulated), found))
    return out


def _split(name: str, factor: str, found: Levels) -> Table:
    rows = [(subject, which, *_part(own)) for subject, levels in found for which, own in levels.items()]
    if not name.startswith("wording-"):
        return declared.made(f"advice/{name}", rows)
    return declared.made("advice/one-wording", rows, factor=factor, head=factor.capitalize(), id=name)


def _differences(factors: Mapping[str, AdviceFactor], found: Mapping[str, Levels]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for name, subjects in found.items():
        for subject, levels in subjects:
            if len(levels) != 2:
                continue
            one, other = levels.values()
            gap = sides.level_difference(one, other)
            if gap is not None:
                shown = (est(gap.S), ends(gap.S), est(gap.B), ends(gap.B), gap.S.n_cells)
                rows.append((subject, factors[name].name, " − ".join(levels), *shown))
    return declared.made("advice/factors", rows)


def _part(own: Sequence[PlannedStance]) -> tuple[Value, ...]:
    found = sides.estimate(own)
    return est(found.S), ends(found.S), est(found.B), ends(found.B), est(found.merit_slope), found.n_cells
