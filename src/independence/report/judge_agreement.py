"""How far the judges agree, together and two by two, and whether one favours subjects of its own family."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from independence.config.subjects import family
from independence.report import declared
from independence.report.judge_panel import JudgePanel, Values, indices_by_judge
from independence.report.table import Table, Value
from independence.stats import agreement, strict
from independence.stats.agreement import Array, Coefficient, FamilyPreference, JudgeDelta, Points
from independence.stats.strict import ScoringFrame, VerdictValues
from independence.stats.subject_points import subject_points
from independence.suites.schema import Dimension, Field, Suite
from independence.types import Ends


class Measure(NamedTuple):
    """Something all judges put a number on, wherever a dialogue has it."""

    name: str
    scenarios: frozenset[str]
    read: Callable[[Values], float]
    scale: tuple[float, ...] | None  # every value it can have; None: any number
    boolean: bool = False


def coefficients(panel: JudgePanel) -> list[Table]:
    """Alpha and AC2 of every dimension of the index and of every field."""
    suite = panel.scope.suite
    by_field = _table(panel, "judges/judge-agreement", fields(suite))
    if suite.index is None:
        return [by_field]
    return [_table(panel, "judges/judge-agreement-dimensions", dimensions(suite)), by_field]


def pairs(panel: JudgePanel) -> Table:
    """Every two judges, field by field, then on the index."""
    measures = fields(panel.scope.suite)
    whole = indices_by_judge(panel) if panel.scope.suite.index is not None else {}
    rows: list[tuple[Value, ...]] = []
    for first, second in combinations(panel.judges, 2):
        heads = (panel.heads[first], panel.heads[second])
        for measure in measures:
            ratings = ratings_of(panel, measure, (first, second))
            pair = agreement.pairwise(ratings[:, 0], ratings[:, 1])
            if pair is not None:
                near = None if measure.boolean else pair.near
                rows.append((*heads, measure.name, pair.units, pair.exact, near, pair.difference, pair.spearman))
        if whole:
            indices = [np.array(list(whole[judge].values()), dtype=np.float64) for judge in (first, second)]
            pair = agreement.pairwise(*indices)
            if pair is not None:
                rows.append((*heads, "index", pair.units, None, None, pair.difference, pair.spearman))
    return declared.made("judges/judge-pairs", rows)


def fields(suite: Suite) -> list[Measure]:
    """The fields of a suite's rubrics; one that two rubrics share on one scale is one measure."""
    found: dict[tuple[str, str, tuple[float, float]], list[str]] = {}
    kinds: dict[tuple[str, str, tuple[float, float]], Field] = {}
    for scenario in suite.scenarios:
        for name, field in suite.rubrics[scenario.rubric].fields.items():
            key = (name, field.type, field.range or (0.0, 1.0))
            found.setdefault(key, []).append(scenario.id)
            kinds[key] = field
    names = [name for name, _, _ in found]
    return [
        Measure(
            key[0] if names.count(key[0]) == 1 else f"{key[0]} ({key[2][0]:g} to {key[2][1]:g})",
            frozenset(scenarios), _reader(key[0]), _scale([kinds[key]]), key[1] == "boolean",
        )
        for key, scenarios in found.items()
    ]  # fmt: skip


def dimensions(suite: Suite) -> list[Measure]:
    """The dimensions of a suite's index."""
    assert suite.index is not None
    members = strict.frame(suite).members
    out = []
    for name, dimension in suite.index.dimensions.items():
        rubrics = [suite.rubrics[suite.scenario(scenario).rubric].fields for scenario in members[name]]
        scales = {_scale([rubric[field] for field in dimension.fields]) for rubric in rubrics}
        scale = scales.pop() if len(scales) == 1 else None
        out.append(Measure(name, frozenset(members[name]), _sum(dimension), scale))
    return out


def ratings_of(panel: JudgePanel, measure: Measure, judges: Sequence[str]) -> Array:
    """(dialogues, judges), NaN where a judge gave nothing; dialogues graded by at least two of the panel."""
    rows = [
        [measure.read(given[judge]) if judge in given else np.nan for judge in judges]
        for dialogue, given in panel.shared.items()
        if dialogue.scenario in measure.scenarios
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, len(judges))


def _table(panel: JudgePanel, name: str, measures: Iterable[Measure]) -> Table:
    return declared.made(name, filter(None, (_agreed(panel, measure) for measure in measures)))


def _agreed(panel: JudgePanel, measure: Measure) -> tuple[Value, ...] | None:
    ratings = ratings_of(panel, measure, panel.judges)
    if not len(ratings):
        return None
    scale = measure.scale or tuple(float(value) for value in np.unique(ratings[~np.isnan(ratings)]))
    judges = int((~np.isnan(ratings)).any(axis=0).sum())
    alpha, ac2 = agreement.alpha(ratings), agreement.gwet(ratings, scale)
    return (measure.name, *capped_coefficient(alpha), *capped_coefficient(ac2), len(ratings), judges)


def capped_coefficient(coefficient: Coefficient | None) -> tuple[float | None, Ends | None]:
    """Value and interval; no agreement is above 1."""
    if coefficient is None:
        return None, None
    interval = coefficient.interval
    return coefficient.value, (interval.low, min(interval.high, 1.0)) if interval else None


def _reader(name: str) -> Callable[[Values], float]:
    return lambda values: float(values[name])


def _sum(dimension: Dimension) -> Callable[[Values], float]:
    return lambda values: strict.value(dimension, values)


def _scale(fields: Collection[Field]) -> tuple[float, ...] | None:
    """Every sum of whole fields; None where one takes any number."""
    if any(field.type == "number" for field in fields):
        return None
    ends = [field.range or (0.0, 1.0) for field in fields]
    low, high = sum(low for low, _ in ends), sum(high for _, high in ends)
    return tuple(float(value) for value in range(int(low), int(high) + 1))


def favours(panel: JudgePanel) -> Table:
    """Each judge's own family against other subjects, in points of the index."""
    frame = strict.frame(panel.scope.suite)
    points = points_by_judge(panel, frame)
    rows: list[tuple[Value, ...]] = []
    for judge in panel.judges:
        found = favour(judge, points, {config: family(who.model_id) for config, who in panel.about.items()})
        if not found.own and not found.others:
            continue
        rows.append(
            (judge, family(judge), found.own, found.self_bias, found.others, found.elsewhere, found.difference,
             (found.interval.low, found.interval.high) if found.interval else None)
        )  # fmt: skip
    return declared.made("judges/self-preference", rows)


def favour(judge: str, points: Mapping[str, Mapping[str, Points]], families: Mapping[str, str]) -> FamilyPreference:
    """One judge's preference. `points`: judge -> config_dir -> the same dialogues; `families`: of the subjects."""
    own: list[JudgeDelta] = []
    others: list[JudgeDelta] = []
    for config, judged in points[judge].items():
        reference = [points[other][config] for other in points if other != judge and family(other) != families[config]]
        if reference:
            group = own if families[config] == family(judge) else others
            group.append(agreement.delta(judged, reference))
    return agreement.prefer(own, others)


def points_by_judge(panel: JudgePanel, frame: ScoringFrame) -> dict[str, dict[str, Points]]:
    """Judge -> config_dir -> index points of the dialogues that every judge graded; subjects that lack no scenario."""
    common = panel.common
    out: dict[str, dict[str, Points]] = {}
    for judge in panel.judges:
        cells: dict[str, list[VerdictValues]] = {}
        for dialogue, given in common.items():
            cells.setdefault(dialogue.config_dir, []).append(
                VerdictValues(dialogue.scenario, dialogue.run, given[judge])
            )
        found = {config: subject_points(frame, own) for config, own in cells.items()}
        out[judge] = {config: one.totals for config, one in found.items() if one is not None}
    return out
