"""How far the judges agree, together and two by two, and whether one favours subjects of its own family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from independence.config.subjects import family
from independence.report.files import table_layouts
from independence.report.files.table import Table, Value
from independence.report.judges.judge_panel import DialogueKey, JudgePanel, Values, indices_by_judge
from independence.stats import agreement, self_preference, strict
from independence.stats.agreement import Array
from independence.stats.intervals import Interval
from independence.stats.self_preference import FamilyPreference, JudgedSubject, Points
from independence.stats.strict import ScoringFrame, VerdictValues
from independence.stats.subject_points import leverage, subject_points
from independence.suites.schema import Field, Suite
from independence.types import Ends, grouped


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
    return table_layouts.made("judges/judge-pairs", rows)


def _sum_of(names: Sequence[str]) -> Callable[[Values], float]:
    return lambda values: float(sum(values.get(name, np.nan) for name in names))


def fields(suite: Suite) -> list[Measure]:
    """The fields of a suite's rubrics; one that two rubrics share on one scale is one measure."""
    found: dict[tuple[str, str, Ends], tuple[Field, list[str]]] = {}
    for scenario in suite.scenarios:
        for name, field in suite.rubrics[scenario.rubric].fields.items():
            key = (name, field.type, field.range or (0.0, 1.0))
            found.setdefault(key, (field, []))[1].append(scenario.id)
    names = [name for name, _, _ in found]
    return [
        Measure(
            name if names.count(name) == 1 else f"{name} ({low:g} to {high:g})",
            frozenset(scenarios), _sum_of([name]), _scale([field]), kind == "boolean",
        )
        for (name, kind, (low, high)), (field, scenarios) in found.items()
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
        out.append(Measure(name, frozenset(members[name]), _sum_of(dimension.fields), scale))
    return out


def ratings_of(panel: JudgePanel, measure: Measure, judges: Sequence[str]) -> Array:
    """(dialogues, judges), NaN where a judge gave nothing; dialogues graded by at least two of the panel."""
    rows = [
        [measure.read(given[judge]) if judge in given else np.nan for judge in judges]
        for dialogue, given in panel.shared.items()
        if dialogue.scenario in measure.scenarios
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, len(judges))


def subjects_of(panel: JudgePanel, measure: Measure) -> list[str]:
    """Whom each row of `ratings_of` is about."""
    return [dialogue.config_dir for dialogue in panel.shared if dialogue.scenario in measure.scenarios]


def _table(panel: JudgePanel, name: str, measures: Iterable[Measure]) -> Table:
    rows = filter(None, (_agreed(panel, measure) for measure in measures))
    return table_layouts.made(name, rows, fewest=agreement.FEWEST_SUBJECTS)


def _agreed(panel: JudgePanel, measure: Measure) -> tuple[Value, ...] | None:
    ratings = ratings_of(panel, measure, panel.judges)
    if not len(ratings):
        return None
    judges = int((~np.isnan(ratings)).any(axis=0).sum())
    subjects = subjects_of(panel, measure)
    return (measure.name, *alpha_and_ac2(measure, ratings, subjects), len(ratings), len(set(subjects)), judges)


def alpha_and_ac2(measure: Measure, ratings: Array, subjects: Sequence[str]) -> Iterator[Value]:
    """Both coefficients of some ratings, each with its interval, as cells."""
    scale = measure.scale or tuple(sorted(set(ratings[~np.isnan(ratings)].tolist())))
    for found in (agreement.alpha(ratings, subjects), agreement.gwet(ratings, scale, subjects)):
        yield from (found.value, found.interval) if found else (None, None)


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
    families = {config: family(who.model_id) for config, who in panel.about.items()}
    rows: list[tuple[Value, ...]] = []
    for judge in panel.judges:
        found = favour(judge, points, families)
        if not found.own and not found.others:
            continue
        unread = Counter(families[dialogue.config_dir] == family(judge) for dialogue in panel.unread)
        ends = _with_unread(panel, frame, judge, families, found.interval) if unread else found.interval
        rows.append(
            (judge, family(judge), found.own, found.self_bias, found.others, found.elsewhere, found.slope,
             found.difference, ends, f"{unread[True]} + {unread[False]}" if unread else "0")
        )  # fmt: skip
    return table_layouts.made("judges/self-preference", rows, fewest=self_preference.FEWEST)


def _with_unread(
    panel: JudgePanel, frame: ScoringFrame, judge: str, families: Mapping[str, str], without: Interval | None
) -> Ends | None:
    """The interval that also holds whatever the unreadable verdicts could have been, by this judge and the others.

    `without` them: it need not lie between those with them, since they move the slope, too.
    """
    own = {config for config, one in families.items() if one == family(judge)}
    filled = [
        favour(judge, points_by_judge(panel, frame, _fill(judge, own, most)), families).interval
        for most in (False, True)
    ]
    known = [one for one in (without, *filled) if one is not None]
    return (min(one.low for one in known), max(one.high for one in known)) if all(filled) else None


def _fill(judge: str, own: Collection[str], most: bool) -> Callable[[str, str], bool]:
    """Unreadable verdicts that make a judge prefer its `own` subjects as much, or as little, as can be."""
    return lambda other, config: ((other == judge) == (config in own)) == most


def favour(judge: str, points: Mapping[str, Mapping[str, Points]], families: Mapping[str, str]) -> FamilyPreference:
    """One judge's preference. `points`: judge -> config_dir -> the same dialogues; `families`: of the subjects."""
    own: list[JudgedSubject] = []
    others: list[JudgedSubject] = []
    for config, given in points[judge].items():
        reference = [points[other][config] for other in points if other != judge and family(other) != families[config]]
        if reference:
            group = own if families[config] == family(judge) else others
            group.append(self_preference.judged(given, reference))
    return self_preference.prefer(own, others)


def points_by_judge(
    panel: JudgePanel, frame: ScoringFrame, best: Callable[[str, str], bool] | None = None
) -> dict[str, dict[str, Points]]:
    """Judge -> config_dir -> index points of the dialogues that every judge graded; subjects that lack no scenario.

    `best` (judge, config_dir): whether a verdict that could not be read is put at the end of its scales that adds most
    to the index, else at the one that adds least. Without it such dialogues are left out.
    """
    common: dict[DialogueKey, Mapping[str, Values]] = dict(panel.common)
    if best is not None:
        ends = _ends(frame)
        for dialogue, lost in panel.unread.items():
            filled = {one: ends[dialogue.scenario][best(one, dialogue.config_dir)] for one in lost}
            common[dialogue] = {**panel.given[dialogue], **filled}
    out: dict[str, dict[str, Points]] = {}
    subjects = grouped(common, lambda dialogue: dialogue.config_dir)
    for judge in panel.judges:
        found = {
            config: subject_points(frame, [VerdictValues(one.scenario, one.run, common[one][judge]) for one in own])
            for config, own in subjects.items()
        }
        out[judge] = {config: one.totals for config, one in found.items() if one is not None}
    return out


def _ends(frame: ScoringFrame) -> dict[str, tuple[Values, Values]]:
    """Scenario -> the values that add least to the index, and those that add most."""
    weights = leverage(frame).weights
    return {
        scenario: (
            {name: scale[int(own.get(name, 0.0) < 0)] for name, scale in scales.items()},
            {name: scale[int(own.get(name, 0.0) >= 0)] for name, scale in scales.items()},
        )
        for scenario, scales in frame.scenarios.items()
        for own in [weights.get(scenario, {})]
    }
