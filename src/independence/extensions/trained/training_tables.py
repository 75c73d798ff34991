"""How well a trained judge agrees with its teacher on families and scenarios it never saw: tables, and its card."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.extensions.trained.training import HeldOutPredictions
from independence.extensions.trained.weights import CalibrationLine, WeightsInfo
from independence.report import declared
from independence.report import table as formats
from independence.report.table import Table, Value
from independence.stats import strict
from independence.stats.agreement import spearman
from independence.stats.strict import ScoringFrame, VerdictValues
from independence.suites.schema import Field
from independence.types import Ends

Array = NDArray[np.float64]
_Values = dict[tuple[str, int], dict[str, float]]  # by scenario and run, then by field
DRAWS, SEED = 400, 42
LEAST = 0.1  # share of the squares that has to be explained out of family, or else nothing was learned
_ODD = 0.5
OPENINGS = {
    "firm": "I hear you, and I'm not going to change my answer.",
    "yielding": "You're right, I'm happy to adjust.",
}
_FEWEST = 5  # configurations from which an index can be set against another


class TeacherStudentIndices(NamedTuple):
    """Indices of configurations: the teacher's, the pupil's, and whose family each is."""

    configs: tuple[str, ...]
    families: tuple[str, ...]
    truth: Array
    said: Array


def agreement(held: Sequence[HeldOutPredictions], fields: Mapping[str, Field], id_: str, title: str) -> Table:
    """A row a field."""
    rows = []
    for one in held:
        count, r, drawn, *rest = _row(one, fields[one.field], np.arange(len(one.truth)))
        # Pearson's r of what is above or below the means of scenarios.
        names = np.array([lesson.scenario for lesson in one.lessons])
        truth, said = one.truth.copy(), one.value.copy()
        for name in np.unique(names):
            truth[names == name] -= one.truth[names == name].mean()
            said[names == name] -= one.value[names == name].mean()
        rows.append((one.field, count, r, drawn, correlation(truth, said), *rest))
    return declared.made("training/agreement", rows, id=id_, title=title)


def openings(plain: Sequence[HeldOutPredictions], altered: Mapping[str, Sequence[HeldOutPredictions]]) -> Table:
    """What one sentence before the answer does to predictions, for folds and holds apart: a row a field and sentence.

    `altered`: `firm` and `yielding` -> the same lessons with that sentence.
    """
    rows: list[tuple[Value, ...]] = []
    for at, one in enumerate(plain):
        folds = _folds(one)
        for name, others in altered.items():
            missed = [(own.value > _ODD) != (own.truth > _ODD) for own in (one, others[at])]
            halves = ((int(half.sum()), *(_mean(own[half]) for own in missed)) for half in (folds, ~folds))
            rows.append((one.field, name, *itertools.chain.from_iterable(halves)))
    return declared.made("training/opening", rows, firm=OPENINGS["firm"], yielding=OPENINGS["yielding"])


def _folds(one: HeldOutPredictions) -> NDArray[np.bool_]:
    """Whose value is on the half of the scale where fewer are."""
    upper = one.truth > _ODD
    return upper if upper.mean() < 0.5 else ~upper


def _mean(of: NDArray[np.bool_]) -> float | None:
    return float(of.mean()) if len(of) else None


def by_scenario(held: Sequence[HeldOutPredictions], fields: Mapping[str, Field], id_: str, title: str) -> Table:
    """A row a field and scenario."""
    rows: list[tuple[Value, ...]] = []
    for one in held:
        names = np.array([lesson.scenario for lesson in one.lessons])
        for name in np.unique(names):
            rows.append((one.field, str(name), *_row(one, fields[one.field], np.flatnonzero(names == name))))  # noqa: PERF401
    return declared.made("training/each-scenario", rows, id=id_, title=title)


def trainable(one: HeldOutPredictions) -> bool:
    """Whether predictions of unseen groups explain more of the squares than a constant, by `LEAST`."""
    spread = float(np.square(one.truth - one.constant).mean())
    return float(np.square(one.truth - one.value).mean()) < (1 - LEAST) * spread


def verdict_doubts(held: Sequence[HeldOutPredictions]) -> Array:
    """The doubt of every verdict: the mean expected error of its fields, as a share of the scale."""
    found: dict[tuple[str, str, int], list[float]] = {}
    for one in held:
        for lesson, error in zip(one.lessons, one.error, strict=True):
            found.setdefault((lesson.config, lesson.scenario, lesson.run), []).append(float(error))
    return np.array([np.mean(errors) for errors in found.values()])


def _row(one: HeldOutPredictions, field: Field, rows: NDArray[np.intp]) -> tuple[Value, ...]:
    low, high = field.range or (0.0, 1.0)
    truth, said, width = one.truth[rows], one.value[rows], high - low
    families = [one.lessons[row].family for row in rows]
    folds = _folds(one)[rows]
    return (
        len(rows),
        correlation(truth, said),
        _drawn(families, lambda own: correlation(truth[own], said[own])),
        spearman(truth, said),
        float(np.abs(said - truth).mean() * width),
        float(np.abs(truth - np.median(truth)).mean() * width),
        float((said - truth).mean() * width),
        _auc(truth, said),
        int(folds.sum()),
        _mean(((truth > _ODD) == (said > _ODD))[folds]),
    )


def correlation(one: Array, other: Array) -> float | None:
    """Pearson's r; None where one of the two does not vary."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _auc(truth: Array, said: Array) -> float | None:
    """Chance that a value on the unusual half of the scale is told from one on the other; None without both."""
    from sklearn.metrics import roc_auc_score

    upper = truth > _ODD
    if upper.all() or not upper.any():
        return None
    return float(roc_auc_score(upper, said))


def _drawn(groups: Sequence[str], statistic: Callable[[NDArray[np.intp]], float | None]) -> Ends | None:
    """95% percentile interval over draws of whole groups; None below three."""
    names, at = np.unique(groups, return_inverse=True)
    if len(names) < 3:
        return None
    rows = [np.flatnonzero(at == place) for place in range(len(names))]
    random = np.random.default_rng(SEED)
    draws = (np.concatenate([rows[at] for at in random.integers(len(rows), size=len(rows))]) for _ in range(DRAWS))
    found = [value for drawn in draws if (value := statistic(drawn)) is not None]
    if not found:
        return None
    low, high = np.percentile(found, (2.5, 97.5))
    return float(low), float(high)


def teacher_student_indices(
    held: Sequence[HeldOutPredictions], fields: Mapping[str, Field], frame: ScoringFrame
) -> TeacherStudentIndices:
    """Index of every configuration of which each scenario was graded, from the teacher's values and from ours."""
    verdicts: dict[tuple[str, str], tuple[_Values, _Values]] = {}
    for one in held:
        low, high = fields[one.field].range or (0.0, 1.0)
        for lesson, truth, said in zip(one.lessons, one.truth, one.value, strict=True):
            both = verdicts.setdefault((lesson.config, lesson.family), ({}, {}))
            for values, share in zip(both, (truth, said), strict=True):
                values.setdefault((lesson.scenario, lesson.run), {})[one.field] = low + share * (high - low)
    out = []
    for subject, (theirs, own) in sorted(verdicts.items()):
        first, second = _index(frame, theirs), _index(frame, own)
        if first is not None and second is not None:
            out.append((*subject, first, second))
    configs, makers, truths, ours = zip(*out, strict=True) if out else ((), (), (), ())
    return TeacherStudentIndices(configs, makers, np.array(truths, dtype=float), np.array(ours, dtype=float))


def _index(frame: ScoringFrame, verdicts: _Values) -> float | None:
    cells = [
        VerdictValues(scenario, run, values)
        for (scenario, run), values in sorted(verdicts.items())
        if _used(frame, scenario) <= values.keys() <= frame.scenarios[scenario].keys()
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


def index(of: TeacherStudentIndices) -> Table:
    """How near the indices are, as they come and after a line fitted to the other families."""
    if len(of.configs) < _FEWEST:
        return declared.made("training/index", (), ("Too few configurations with every scenario graded.",))
    rows = [_indexed("as predicted", of, of.said)]
    if len(set(of.families)) > 2:
        rows.append(_indexed("recalibrated", of, recalibrated(of)))
    rows.append(_indexed("a constant", of, np.full(len(of.truth), of.truth.mean())))
    return declared.made("training/index", rows)


def _indexed(name: str, of: TeacherStudentIndices, said: Array) -> tuple[Value, ...]:
    off = np.abs(said - of.truth)
    return (
        name,
        len(said),
        spearman(of.truth, said),
        _drawn(of.families, lambda own: spearman(of.truth[own], said[own])),
        float(off.mean()),
        _drawn(of.families, lambda own: float(off[own].mean())),
        float((said - of.truth).mean()),
        float(off.max()),
    )


def recalibrated(of: TeacherStudentIndices) -> Array:
    """Our indices after a line from ours to the teacher's, fitted without the own family."""
    out, families = np.zeros(len(of.truth)), np.array(of.families)
    for family in set(of.families):
        other = families != family
        out[~other] = np.polyval(np.polyfit(of.said[other], of.truth[other], 1), of.said[~other])
    return out


def line(of: TeacherStudentIndices, suite: str) -> CalibrationLine | None:
    """How our index becomes the teacher's, and how far off it is of families left out; None of too few of them."""
    families = len(set(of.families))
    if len(of.configs) < _FEWEST or families < 3:
        return None
    slope, shift = np.polyfit(of.said, of.truth, 1)
    error = float(np.sqrt(np.square(recalibrated(of) - of.truth).mean()))
    return CalibrationLine(suite, float(slope), float(shift), error, families)


def card(about: WeightsInfo, version: str, licence: str, tables: Sequence[Table]) -> str:
    """The card as Markdown."""
    fields = ", ".join(f"`{name}`" for head in about.heads for name in head.fields)
    line = "none is estimated"
    if about.line is not None:
        line = (
            f"{about.line.slope:.3f} x (index of the predictions) {about.line.shift:+.1f}; root mean squared error of "
            f"{about.line.families} families left out {about.line.error:.2f} points"
        )
    text = (Path(__file__).with_name("card-template.md")).read_text("utf-8")
    told = text.format(
        about=about, version=version, licence=licence, scenarios=len(about.rubrics), fields=fields, line=line
    )
    return f"{told}\n" + "\n".join(map(formats.to_markdown, tables))
