"""Item analysis of a board: which scenarios, stems or disputes, and which kinds of them, still tell subjects apart."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from independence.report import analysis
from independence.report.board import board_data, interim_looks, judge_choice, scenario_kinds
from independence.report.board.board_data import BoardData
from independence.report.board.interim_looks import NEVER, RunHistory
from independence.report.board.measures import SuiteMeasures
from independence.report.board.scenario_kinds import OTHERS
from independence.report.files import legend, table_layouts
from independence.report.files.table import Table, Value
from independence.stats import index_uncertainty, items, lost_points, ranks, single_runs, subject_points
from independence.stats.index_uncertainty import Array
from independence.stats.ranks import RankedSubject
from independence.stats.subject_points import Stratum, SubjectPoints
from independence.store import scopes
from independence.store.scopes import BoardScope, Names
from independence.suites.schema import Suite
from independence.types import Ends, grouped

_LEVELS: Final = ("family", "merit")  # factors whose levels are kinds, of stems and of disputes
_FEW, _LEAST, _HALF = 0.05, 10, 0.5  # share of pairs, pairs, share of means: when a kind no longer separates


class _BoardItems(NamedTuple):
    part: str  # what an item is: Scenario, Stem or Cell
    kinds: Mapping[str, Sequence[str]]
    ends: Mapping[str, Ends]  # of the points of each item
    points: Mapping[str, Mapping[str, Array]]  # complete subject -> item -> (runs,), NaN where it has none
    lowest: float  # end of the scale of a mean, as it is shown
    best: float  # on it
    once: bool = True  # items are what is sampled, not runs
    histories: Mapping[str, RunHistory] = {}

    def sheets(self, names: Sequence[str]) -> dict[str, SubjectPoints]:
        """Subjects as if these were all items."""
        ends = tuple(self.ends[name] for name in names)
        rows = {config: tuple(own[name] for name in names) for config, own in self.points.items()}
        return {config: SubjectPoints(0.0, (Stratum(tuple(names), own, ends),)) for config, own in rows.items()}

    def values(self, names: Sequence[str]) -> Array:
        """Means over runs as they are shown, (subjects, items)."""
        low, high = np.array([self.ends[name] for name in names]).reshape(-1, 2).T
        means = np.array([one.means[0] for one in self.sheets(names).values()]).reshape(-1, len(names))
        return np.asarray(self.lowest + (max(self.best, -self.lowest) - self.lowest) * (means - low) / (high - low))


def tables(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None = None, models: Collection[str] = ()
) -> list[Table]:
    """Kinds, under a title that says what they show, and items, over subjects with complete verdicts.

    `models`: over these labels or ids alone. Raises UsageError for a suite that has no items, StoreError for an
    unknown name.
    """
    judge = judge or judge_choice.usual_judge(judge_choice.judges(connection, [one.where for one in scope.editions]))
    if scope.suite.index is not None:
        found = _of_index(board_data.read(connection, scope, judge))
    else:
        found = _of_parts(analysis.of(scope.suite.analysis).measures(connection, scope, judge), scope.suite)
    about = board_data.everybody(connection, scope)
    if models:
        known = {config: Names(config, about[config].label, about[config].model_id) for config in about}
        chosen = scopes.subjects(models, known, f"in {scope.where.edition_name}")
        found = found._replace(points={config: found.points[config] for config in chosen if config in found.points})
    # Disputes that differ in merit alone are no draws of their own: all together would seem too sure.
    whole = {} if scope.suite.grid or len(found.kinds) < 2 else {"all": [*found.ends]}
    kinds = [_kind(found, *own) for own in {**found.kinds, **whole}.items()]
    rows = [_item(found, kind, name) for kind, own in found.kinds.items() for name in own if found.points]
    count, small = len(found.points), found.part.lower()
    said = {
        "conclusion": _conclusion(kinds, count), "part": found.part, "small": small, "few": _FEW, "least": _LEAST,
        "sample": f"other {small}s like these" if found.once else "more runs of these scenarios", "subjects": count,
        "simulated": sum(about[config].simulated for config in found.points), "best": found.best, "low": found.lowest,
        "place": f"{scope.where.edition_name}, {scope.condition}, {f'judge {judge}' if judge else 'not judged'}",
    }  # fmt: skip
    made = (("kinds", kinds, [scope.prompt_note] if scope.prompt_note else ()), ("items", rows, ()))
    return [table_layouts.made(f"items/{name}", own, more, **said) for name, own, more in made]


def _of_index(data: BoardData) -> _BoardItems:
    """Scenarios by their kind, or of a suite without kinds by their experiment."""
    declared, ends = scenario_kinds.of(data), subject_points.leverage(data.frame).ends
    rest = {} if declared else {one.id: one.experiment for one in data.scope.suite.scenarios}
    kinds = grouped(ends, lambda name: scenario_kinds.kind_of(declared, name) or rest.get(name, OTHERS))
    kinds = dict(sorted(kinds.items(), key=lambda own: own[0] == OTHERS))
    points = {config: one.totals for config, one in data.points.items()}
    return _BoardItems("Scenario", kinds, ends, points, 0.0, 100.0, bool(data.single_runs), data.run_counts)


def _of_parts(measured: SuiteMeasures, suite: Suite) -> _BoardItems:
    """Stems by their family, J of each from -1 to 1; or disputes by merit, S of each, of which 0 is the best."""
    factors, subjects = {one.cell: one.factors for one in suite.scenarios}, measured.subjects.items()
    parts = {config: one.parts for config, one in subjects if one.coverage == 1 and one.value is not None}
    names = list(dict.fromkeys(chain(*parts.values())))
    kinds = grouped(names, lambda name: next((factors[name][one] for one in _LEVELS if one in factors[name]), OTHERS))
    points = {config: {name: np.array([own.get(name, np.nan)]) for name in names} for config, own in parts.items()}
    return _BoardItems(
        measured.part, kinds, dict.fromkeys(names, (-1.0, 1.0)), points, -1.0, 0.0 if suite.grid else 1.0
    )


def _tested(found: _BoardItems, names: Sequence[str]) -> Array:
    """p values of pairs, as on a board of these items alone (`ranks.pair_p_values`); of subjects that can be tested."""
    sheets = found.sheets(names)
    if found.once:
        made = [None if np.isnan(one.index) else single_runs.like_these(one) for one in sheets.values()]
        sure = {config: own._replace(se=0.0) for config, own in zip(sheets, made, strict=True) if own}
    else:
        repeated = {config: one for config, one in sheets.items() if index_uncertainty.repeated(one)}
        known = index_uncertainty.PRIOR_DF if len(names) == len(found.ends) else 0.0  # of whole indices
        sure = dict(zip(repeated, index_uncertainty.these_scenarios([*repeated.values()], known), strict=True))
    ranked = {one: RankedSubject(own.point, own.point, own, sheets[one]) for one, own in sure.items() if own.testable}
    looks = interim_looks.at_all_pairs([found.histories.get(config, NEVER) for config in ranked])
    return np.clip(ranks.pair_p_values([*ranked.values()], found.once) * looks.allowance, -1.0, 1.0)


def _kind(found: _BoardItems, kind: str, names: Sequence[str]) -> tuple[Value, ...]:
    values, p = found.values(names), _tested(found, names)
    pairs, differ, ceiling = len(p) * (len(p) - 1) // 2, items.differing(p), items.share_at(values, found.best)
    # Where few pairs differ though there is room above, more runs may tell subjects apart.
    many, full = differ >= _FEW * pairs, ceiling is not None and ceiling >= _HALF
    separates = many if pairs >= _LEAST and (many or full) else None
    every = [one for one in found.sheets([*found.ends]).values() if not np.isnan(one.index)]
    shares = lost_points.lost_points(every).shares
    share = round(sum(shares[name] for name in names), 12) if shares else None
    return kind, len(names), differ, pairs, ceiling, share, items.cronbach(values), separates


def _item(found: _BoardItems, kind: str, name: str) -> tuple[Value, ...]:
    values, at = found.values([*found.ends]), [*found.ends].index(name)
    own = values[~np.isnan(values[:, at]), at]
    mean, sd = float(own.mean()) if own.size else None, float(own.std(ddof=1)) if own.size > 1 else None
    ceiling, floor = items.share_at(own, found.best), items.share_at(own, found.lowest) if found.best else None
    reliable = items.reliability([one[name] for one in found.points.values()])
    return (name, kind, mean, sd, ceiling, floor, *items.item_rest(values, at), reliable, own.size)


def _conclusion(kinds: Sequence[Sequence[Value]], subjects: int) -> str:
    """How many pairs differ in each kind, first where one no longer separates."""
    told, faded = list[str](), [own[-1] is False and own[0] != "all" for own in kinds]
    for (kind, _, differ, pairs, *_), gone in sorted(zip(kinds, faded, strict=True), key=lambda own: not own[1]):
        what = f" no longer separates these {subjects} subjects" if gone else ""
        told += [f"{legend.words(str(kind)).capitalize()}{what}: {differ} of {pairs} pairs differ"] * bool(pairs)
    return ". ".join(told) or f"No pair of subjects can be tested ({subjects} with complete verdicts)"
