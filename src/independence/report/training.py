"""How well a trained judge agrees with its teacher on families, scenarios, configurations it never saw, as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.judge.offline.prediction import CalibrationLine
from independence.judge.offline.training.cross_validation import HeldOutPredictions
from independence.judge.offline.training.training_set import FieldScale
from independence.report.table import Column, Ends, Table, Value
from independence.stats import strict
from independence.stats.strict import ScoringFrame, VerdictValues

Array = NDArray[np.float64]
DRAWS, SEED = 400, 42
COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
LEAST = 0.1  # share of the squares that has to be explained out of family, or else nothing was learned
_ODD = 0.5
_FEWEST = 5  # configurations from which an index can be set against another

_SAID = (
    Column("n", "n", "count"),
    Column("r", "r", "number", 3),
    Column("r_ci", "95 %", "interval", 2),
    Column("spearman", "Spearman", "number", 3),
    Column("mae", "MAE", "number", 2),
    Column("constant", "of a constant", "number", 2),
    Column("bias", "Bias", "signed", 2),
    Column("auc", "AUC odd", "number", 3),
)


class TeacherStudentIndices(NamedTuple):
    """Indices of configurations: the teacher's, the pupil's, and whose family each is."""

    configs: tuple[str, ...]
    families: tuple[str, ...]
    truth: Array
    said: Array


def agreement(held: Sequence[HeldOutPredictions], scales: Mapping[str, FieldScale], id_: str, title: str) -> Table:
    """A row a field."""
    rows = tuple((one.field, *_row(one, scales[one.field], np.arange(len(one.truth)))) for one in held)
    note = (
        "r: Pearson; interval by bootstrap over families. MAE and bias in the field's own units; `of a constant`: "
        "the MAE of always predicting the best constant. AUC: how well values on the unusual half of the scale are "
        "recognised. Predictions that the judge would withhold as unsure are included."
    )
    return Table(id_, title, (Column("field", "Field"), *_SAID), rows, (note,))


def by_scenario(held: Sequence[HeldOutPredictions], scales: Mapping[str, FieldScale], id_: str, title: str) -> Table:
    """A row a field and scenario."""
    rows: list[tuple[Value, ...]] = []
    for one in held:
        names = np.array([lesson.scenario for lesson in one.lessons])
        scale = scales[one.field]
        rows += [
            (one.field, str(name), *_row(one, scale, np.flatnonzero(names == name))) for name in sorted(set(names))
        ]
    return Table(id_, title, (Column("field", "Field"), Column("scenario", "Scenario"), *_SAID), tuple(rows))


def trainable(one: HeldOutPredictions) -> bool:
    """Whether predictions of unseen groups explain more of the squares than a constant, by `LEAST`."""
    spread = float(np.square(one.truth - one.constant).mean())
    return float(np.square(one.truth - one.value).mean()) < (1 - LEAST) * spread


def _row(one: HeldOutPredictions, scale: FieldScale, rows: NDArray[np.intp]) -> tuple[Value, ...]:
    truth, said, width = one.truth[rows], one.value[rows], scale.high - scale.low
    families = [one.lessons[row].family for row in rows]
    return (
        len(rows),
        correlation(truth, said),
        _drawn(families, lambda own: correlation(truth[own], said[own])),
        correlation(ranks(truth), ranks(said)),
        float(np.abs(said - truth).mean() * width),
        float(np.abs(truth - np.median(truth)).mean() * width),
        float((said - truth).mean() * width),
        _auc(truth, said),
    )


def teacher_student_indices(
    held: Sequence[HeldOutPredictions], scales: Mapping[str, FieldScale], frame: ScoringFrame
) -> TeacherStudentIndices:
    """Index of every configuration of which each scenario was graded, from the teacher's values and from ours."""
    verdicts: dict[str, dict[tuple[str, int], tuple[dict[str, float], dict[str, float]]]] = {}
    families = {}
    for one in held:
        scale = scales[one.field]
        low, width = scale.low, scale.high - scale.low
        for lesson, truth, said in zip(one.lessons, one.truth, one.value, strict=True):
            families[lesson.config] = lesson.family
            mine = verdicts.setdefault(lesson.config, {}).setdefault((lesson.scenario, lesson.run), ({}, {}))
            mine[0][one.field], mine[1][one.field] = low + truth * width, low + said * width
    out = []
    for config, own in sorted(verdicts.items()):
        pair = [_index(frame, {place: both[side] for place, both in own.items()}) for side in (0, 1)]
        if pair[0] is not None and pair[1] is not None:
            out.append((config, families[config], pair[0], pair[1]))
    columns = list(zip(*out, strict=True)) if out else [(), (), (), ()]
    return TeacherStudentIndices(
        columns[0], columns[1], np.array(columns[2], dtype=float), np.array(columns[3], dtype=float)
    )


def _index(frame: ScoringFrame, verdicts: Mapping[tuple[str, int], Mapping[str, float]]) -> float | None:
    needed = {scenario: frame.scenarios[scenario].keys() for scenario, _ in verdicts}
    cells = [
        VerdictValues(scenario, run, values)
        for (scenario, run), values in sorted(verdicts.items())
        if _used(frame, scenario) <= values.keys() <= needed[scenario]
    ]
    return strict.score(frame, cells).index if cells else None


def _used(frame: ScoringFrame, scenario: str) -> set[str]:
    """The fields of a scenario that the index reads."""
    return {
        field
        for name, dimension in frame.index.dimensions.items()
        if scenario in frame.members[name]
        for field in dimension.fields
    }


def index(of: TeacherStudentIndices, id_: str, title: str) -> Table:
    """How near the indices are, as they come and after a line fitted to the other families."""
    columns = (
        Column("judge", "Index"),
        Column("n", "Configurations", "count"),
        Column("spearman", "Rank correlation", "number", 3),
        Column("spearman_ci", "95 %", "interval", 3),
        Column("mae", "MAE", "number", 2),
        Column("mae_ci", "95 %", "interval", 2),
        Column("bias", "Bias", "signed", 2),
        Column("worst", "Worst", "number", 1),
    )
    if len(of.configs) < _FEWEST:
        return Table(id_, title, columns, (), ("Too few configurations with every scenario graded.",))
    rows = [_indexed("as predicted", of, of.said)]
    if len(set(of.families)) > 2:
        rows.append(_indexed("recalibrated", of, recalibrated(of)))
    rows.append(_indexed("a constant", of, np.full(len(of.truth), of.truth.mean())))
    return Table(
        id_, title, columns, tuple(rows),
        ("Points of the index, 0-100. Recalibrated: by a line fitted to all other families. Intervals: bootstrap.",),
    )  # fmt: skip


def recalibrated(of: TeacherStudentIndices) -> Array:
    """Our indices after a line from ours to the teacher's, fitted without the own family."""
    out, families = np.zeros(len(of.truth)), np.array(of.families)
    for family in set(of.families):
        other = families != family
        slope, shift = np.polyfit(of.said[other], of.truth[other], 1)
        out[~other] = slope * of.said[~other] + shift
    return out


def line(of: TeacherStudentIndices, suite: str) -> CalibrationLine | None:
    """How our index becomes the teacher's, and how far off it is of families left out; None of too few of them."""
    families = len(set(of.families))
    if len(of.configs) < _FEWEST or families < 3:
        return None
    slope, shift = np.polyfit(of.said, of.truth, 1)
    error = float(np.sqrt(np.square(recalibrated(of) - of.truth).mean()))
    return CalibrationLine(suite, float(slope), float(shift), error, families)


def _indexed(name: str, of: TeacherStudentIndices, said: Array) -> tuple[Value, ...]:
    off = np.abs(said - of.truth)
    return (
        name,
        len(said),
        correlation(ranks(of.truth), ranks(said)),
        _drawn(of.families, lambda own: correlation(ranks(of.truth[own]), ranks(said[own]))),
        float(off.mean()),
        _drawn(of.families, lambda own: float(off[own].mean())),
        float((said - of.truth).mean()),
        float(off.max()),
    )


def verdict_doubts(held: Sequence[HeldOutPredictions]) -> tuple[list[tuple[str, str, int]], Array]:
    """Every verdict and its doubt: the mean expected error of its fields, as a share of the scale."""
    found: dict[tuple[str, str, int], list[float]] = {}
    for one in held:
        for lesson, error in zip(one.lessons, one.error, strict=True):
            found.setdefault((lesson.config, lesson.scenario, lesson.run), []).append(float(error))
    return list(found), np.array([np.mean(errors) for errors in found.values()])


def coverage(held: Sequence[HeldOutPredictions], scales: Mapping[str, FieldScale], id_: str, title: str) -> Table:
    """What agreement is had for which coverage, when the least certain verdicts are held back."""
    names, doubt = verdict_doubts(held)
    rows: list[tuple[Value, ...]] = []
    for share in COVERAGES:
        limit = float(np.quantile(doubt, share))
        kept = {name for name, own in zip(names, doubt, strict=True) if own <= limit}
        for one in held:
            own = np.array([(x.config, x.scenario, x.run) in kept for x in one.lessons])
            width = scales[one.field].high - scales[one.field].low
            off = float(np.abs(one.value[own] - one.truth[own]).mean() * width) if own.any() else None
            said = correlation(one.truth[own], one.value[own])
            rows.append((share, limit, one.field, int(own.sum()), float(own.mean()), said, off))
    columns = (
        Column("coverage", "Coverage", "percent"),
        Column("limit", "Doubt up to", "number", 3),
        Column("field", "Field"),
        Column("n", "n", "count"),
        Column("share", "of the field", "percent"),
        Column("r", "r", "number", 3),
        Column("mae", "MAE", "number", 2),
    )
    notes = ("Doubt: mean expected error of a verdict's fields as a share of their scales, learned out of family.",)
    return Table(id_, title, columns, tuple(rows), notes)


def correlation(one: Array, other: Array) -> float | None:
    """Pearson's r; None where one of the two does not vary."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def ranks(values: Array) -> Array:
    """Ranks from 1, ties at their mean."""
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    middle: Array = (ends - (counts - 1) / 2).astype(np.float64)
    return middle[at]


def _auc(truth: Array, said: Array) -> float | None:
    """Chance that a value on the unusual half of the scale is told from one on the other; None without both."""
    usual = truth.mean() > _ODD
    odd = truth <= _ODD if usual else truth > _ODD
    few, many = int(odd.sum()), int((~odd).sum())
    if not few or not many:
        return None
    place = ranks(-said if usual else said)
    return float((place[odd].sum() - few * (few + 1) / 2) / (few * many))


def _drawn(groups: Sequence[str], statistic: Callable[[NDArray[np.intp]], float | None]) -> Ends | None:
    """95 % percentile interval over draws of whole groups; None below three."""
    names = sorted(set(groups))
    if len(names) < 3:
        return None
    rows = {name: np.flatnonzero(np.array(groups) == name) for name in names}
    random = np.random.default_rng(SEED)
    found = []
    for _ in range(DRAWS):
        drawn = random.integers(len(names), size=len(names))
        value = statistic(np.concatenate([rows[names[at]] for at in drawn]))
        if value is not None:
            found.append(value)
    if not found:
        return None
    low, high = np.percentile(found, (2.5, 97.5))
    return float(low), float(high)
