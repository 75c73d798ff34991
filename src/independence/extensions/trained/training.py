"""Learning the offline judge's weights from verdicts, with scikit-learn. Nothing here is needed to grade.

Two linear models a field, ridge and logistic regression on shares of the scale. Their mean goes through a rising curve;
the curve, and the error to expect, are fitted to what such models say of families that they did not see.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from independence.extensions.trained import features as reading
from independence.extensions.trained import weights
from independence.extensions.trained.features import BLOCKS
from independence.extensions.trained.grams import ColumnCounts
from independence.extensions.trained.marks import Matrix
from independence.extensions.trained.views import view
from independence.extensions.trained.weights import FieldModel, Head, HeadInfo, Weights, WeightsInfo
from independence.suites import digest
from independence.suites.schema import Field
from independence.types import TranscriptTurn

FOLDS, _INNER_FOLDS = 5, 3
_BATCH = 64
_RARE = 2  # examples that must have a column
_LEVELS = 24.0  # steps an inverse document frequency of 1 is stored in
_RIDGE, _LOGIT, _DOUBT = 1.0, 0.1, 3.0  # penalties
_WEIGHT = {"marks": 0.03, "style": 0.05, "bearing": 0.05, "persona": 0.3}  # of what is not hashed, which has length 1
_CERTAIN = 0.01  # no share is as good as 0 or 1 to the logistic model
_STEPS = 127  # that a weight is stored in
_OFTEN = 0.1  # share of the rows
_FLAT = 1e-9  # of the longest direction: what is shorter is the error of computing it
Rows = NDArray[np.intp]
Apply = Callable[[Callable[[Rows], tuple[Rows, Matrix]], Iterable[Rows]], Iterable[tuple[Rows, Matrix]]]


class TrainingExample(NamedTuple):
    """One graded dialogue."""

    config: str
    family: str
    scenario: str
    digest: str  # of what was asked
    run: int
    lines: tuple[TranscriptTurn, ...]
    values: dict[str, float]  # by field, true = 1


class TrainingSet(NamedTuple):
    """All lessons, in a fixed order, and their fields as the suite declares them."""

    lessons: tuple[TrainingExample, ...]
    fields: Mapping[str, Field]

    def heads(self) -> list[tuple[str, ...]]:
        """Fields that were given together, always: each group is learned from the same dialogues."""
        groups: dict[bytes, list[str]] = {}
        for field in sorted(self.fields):
            having = np.array([field in lesson.values for lesson in self.lessons])
            if having.any():
                groups.setdefault(having.tobytes(), []).append(field)
        return [tuple(fields) for fields in groups.values()]

    def digest(self) -> str:
        """Digest of everything that weights can depend on."""
        learned = [(one.config, one.family, one.digest, one.run, one.lines, one.values) for one in self.lessons]
        scales = {
            name: [*(field.range or (0.0, 1.0)), field.type == "boolean", field.type == "integer"]
            for name, field in self.fields.items()
        }
        return digest.sha256([learned, scales])


def training_set(lessons: Sequence[TrainingExample], fields: Mapping[str, Field]) -> TrainingSet:
    """Put lessons in order."""
    ordered = sorted(lessons, key=lambda one: (one.config, one.scenario, one.run, one.digest))
    return TrainingSet(tuple(ordered), fields)


class HeldOutPredictions(NamedTuple):
    """A field of n lessons: what the judge gave, and what a model that saw none of the lesson's group says, 0-1."""

    field: str
    lessons: tuple[TrainingExample, ...]
    truth: Matrix
    value: Matrix
    error: Matrix  # expected absolute error
    constant: Matrix  # what the mean of the training rows says

    def split(self, count: int) -> list[HeldOutPredictions]:
        """Lessons and their alterations, `count` times the same ones, apart."""
        size = len(self.lessons) // count
        places = [slice(at * size, (at + 1) * size) for at in range(count)]
        return [HeldOutPredictions._make([self.field, *(part[own] for part in self[1:])]) for own in places]


class _Examples(NamedTuple):
    """The n examples of fields that are learned together, read. Nothing here was learned from them."""

    fields: tuple[str, ...]
    examples: tuple[TrainingExample, ...]
    truth: Matrix  # (n, fields), 0-1
    scenario: Matrix  # (n, scenarios), 0 or 1
    extras: tuple[str, ...]
    counts: list[Any]  # by block: sparse (n, 2**bits), 1 + log of how often
    dense: Matrix  # (n, k): what is not hashed
    weight: Matrix  # (k,)


class _Features(NamedTuple):
    """What examples look like to a head that was learned from some of them."""

    known: list[NDArray[np.uint8]]  # by block: inverse document frequency in steps, 0: unknown
    mean: Matrix  # (k,) of what is not hashed
    deviation: Matrix
    columns: Any  # sparse (n, all): blocks with rows of length 1, then what is not hashed


class _Fit(NamedTuple):
    """Linear models of all fields: least squares and logistic of each in turn. All of it is learned from some rows."""

    features: _Features
    scenario: Matrix  # (n, scenarios): shares of each that the examples are of
    weights: Matrix  # (all, 2 * fields): of the columns of the features
    offsets: Matrix  # (scenarios, 2 * fields)
    intercepts: Matrix

    def averaged(self, rows: Rows) -> tuple[Matrix, Matrix]:
        """The mean of the two models of each field for some rows, and how far they are apart."""
        own, scenario = self.features.columns[rows], self.scenario[rows]
        scores = own @ self.weights + scenario @ self.offsets + self.intercepts
        return weights.averaged(scores[:, 0::2], scores[:, 1::2])


def opened(course: TrainingSet, sentence: str) -> tuple[TrainingExample, ...]:
    """The same lessons with a sentence before the last answer."""
    return tuple(
        one._replace(lines=(*one.lines[:-1], one.lines[-1]._replace(answer=f"{sentence} {one.lines[-1].answer}")))
        for one in course.lessons
    )


def cross_validate(
    course: TrainingSet,
    by: str,
    step: Callable[[], None] = lambda: None,
    altered: Sequence[TrainingExample] = (),
    apply: Apply = map,
) -> list[HeldOutPredictions]:
    """All fields, held out by `family` or by `scenario`; fields that cannot be held out are left out.

    `step` is told after each part, of which each of the course's heads has at most `FOLDS`. Nothing is learned from
    lessons that were `altered`: they are told by models that know nothing of their group, and come last. `apply` works
    as `map` does, perhaps on several processors.
    """
    out = []
    for fields in course.heads():
        given = _read(course._replace(lessons=(*course.lessons, *altered)), fields)
        groups = np.array([getattr(one, by) for one in given.examples])
        own = sum(fields[0] in one.values for one in course.lessons)
        parts = _parts(groups[:own].tolist(), FOLDS)
        told = np.zeros((3, *given.truth.shape))
        for rows, said in apply(functools.partial(_told, given, groups, own), parts):
            told[:, rows] = said
            step()
        if parts:
            out += [
                HeldOutPredictions(field, given.examples, truth=truth, value=value, error=error, constant=constant)
                for field, truth, value, error, constant in zip(
                    fields, given.truth.T, *told.swapaxes(1, 2), strict=True
                )
            ]
    return out


def _told(given: _Examples, groups: NDArray[np.str_], own: int, part: Rows) -> tuple[Rows, Matrix]:
    """Examples of the groups of some rows, and what models of the first `own` rows without them say: (3, n, fields)."""
    fit, learned = _learn(given, np.setdiff1d(np.arange(own), part))
    rows = np.flatnonzero(np.isin(groups, groups[part]))
    said, gap = fit.averaged(rows)
    told = np.zeros((3, len(rows), len(learned)))
    for at, one in enumerate(learned):
        told[:2, :, at] = one.predicted(said[:, at], gap[:, at], given.scenario[rows])
        told[2, :, at] = one.usual
    return rows, told


def build(course: TrainingSet, fields: Collection[str], about: WeightsInfo) -> Weights:
    """Learn those fields from all lessons; `about` says where they are from and is completed by what was learned."""
    kept = (tuple(field for field in together if field in fields) for together in course.heads())
    heads = [_head(_read(course, wanted)) for wanted in kept if wanted]
    known = sorted({texts for head in heads for texts in head.scenarios})
    infos = [HeadInfo(one.fields, tuple(f.usual for f in one.learned), one.extras, one.scenarios) for one in heads]
    whole = msgspec.structs.replace(
        about,
        data=course.digest(),
        lessons=len(course.lessons),
        configurations=len({one.config for one in course.lessons}),
        families=len({one.family for one in course.lessons}),
        rubrics={
            own: tuple(sorted(f for head in heads if own in head.scenarios for f in head.fields)) for own in known
        },
        heads=tuple(infos),
    )
    return Weights(whole, tuple(heads), "")


def _read(course: TrainingSet, fields: tuple[str, ...]) -> _Examples:
    """Examples with these fields, and what is in their texts."""
    examples = tuple(one for one in course.lessons if fields[0] in one.values)
    extras = ("persona",) if all(course.fields[field].type == "boolean" for field in fields) else ("bearing",)
    low, high = np.array([course.fields[field].range or (0.0, 1.0) for field in fields]).T
    texts = np.array([one.digest for one in examples])
    views = [view(one.lines) for one in examples]
    read = [reading.features(views[at : at + _BATCH], extras) for at in range(0, len(views), _BATCH)]
    dense = [np.vstack(parts) for parts in zip(*(part.dense(extras) for part in read), strict=True)]
    names = zip(("marks", "style", *extras), dense, strict=True)
    return _Examples(
        fields,
        examples,
        truth=(np.array([[one.values[field] for field in fields] for one in examples]) - low) / (high - low),
        scenario=(texts[:, None] == np.unique(texts)).astype(np.float64),
        extras=extras,
        counts=[_counts([part.blocks[at] for part in read], len(views), one.bits) for at, one in enumerate(BLOCKS)],
        dense=np.hstack(dense),
        weight=np.concatenate([np.full(part.shape[1], _WEIGHT[name]) for name, part in names]),
    )


def _counts(counted: Sequence[ColumnCounts], views: int, bits: int) -> Any:
    from scipy import sparse

    row = np.concatenate([part.row + at * _BATCH for at, part in enumerate(counted)])
    column, times = (np.concatenate([getattr(part, name) for part in counted]) for name in ("column", "times"))
    return sparse.csr_matrix((1 + np.log(times), (row, column)), shape=(views, 2**bits))


def _features(given: _Examples, rows: Rows) -> _Features:
    """Features of all examples; vocabulary, document frequencies, means and deviations are those of some rows."""
    from scipy import sparse

    known = [_known(counts[rows]) for counts in given.counts]
    blocks = [_weighed(counts, own) for counts, own in zip(given.counts, known, strict=True)]
    mean, deviation = given.dense[rows].mean(axis=0), given.dense[rows].std(axis=0) + 1e-6
    standard = np.clip((given.dense - mean) / deviation, -weights.WIDEST, weights.WIDEST) * given.weight
    return _Features(known, mean, deviation, columns=sparse.hstack([*blocks, standard], format="csr"))


def _known(counts: Any) -> NDArray[np.uint8]:
    """How much each column counts, by its inverse document frequency."""
    examples, columns = counts.shape
    having = np.bincount(counts.indices, minlength=columns)
    inverse = np.log((1 + examples) / (1 + having)) + 1
    return np.where(having >= _RARE, np.clip(np.round(inverse * _LEVELS), 1, 255), 0).astype(np.uint8)


def _weighed(counts: Any, known: NDArray[np.uint8]) -> Any:
    """Counts of known columns, in rows of length 1."""
    from sklearn.preprocessing import normalize

    weighed = counts.copy()
    weighed.data *= known[weighed.indices]
    weighed.eliminate_zeros()
    return normalize(weighed, copy=False)


def _parts(groups: Sequence[str], count: int) -> list[Rows]:
    """Rows that are left out together: groups stay whole. None where there is one group."""
    from sklearn.model_selection import GroupKFold

    count = min(count, len(set(groups)))
    return [test for _, test in GroupKFold(count).split(groups, groups=groups)] if count > 1 else []


def _learn(given: _Examples, rows: Rows) -> tuple[_Fit, list[FieldModel]]:
    """Models of some rows; curves and doubts by what is said of families that were left out of them, if several."""
    parts = _parts([given.examples[row].family for row in rows], _INNER_FOLDS) or [np.arange(len(rows))]
    said, gap = np.zeros((2, len(rows), len(given.fields)))
    for part in parts:
        others = np.setdiff1d(rows, rows[part]) if len(parts) > 1 else rows
        said[part], gap[part] = _fit(given, others).averaged(rows[part])
    truth, scenario = given.truth[rows], given.scenario[rows]
    learned = [
        field_model(field, said[:, at], gap[:, at], truth[:, at], scenario) for at, field in enumerate(given.fields)
    ]
    return _fit(given, rows), learned


def field_model(field: str, said: Matrix, gap: Matrix, truth: Matrix, scenario: Matrix) -> FieldModel:
    """The curve from what two models say to the truth, and what tells how far off it is."""
    from sklearn.isotonic import IsotonicRegression
    from sklearn.linear_model import Ridge

    rising = IsotonicRegression().fit(said, truth)
    x, y = rising.X_thresholds_, rising.y_thresholds_
    value = np.interp(said, x, y)
    doubt = Ridge(alpha=_DOUBT, fit_intercept=False)
    doubt.fit(weights.doubt_features(value, gap, scenario), np.abs(value - truth))
    return FieldModel(field, float(truth.mean()), x, y, doubt.coef_)


def _fit(given: _Examples, train: Rows) -> _Fit:
    from sklearn.linear_model import LogisticRegression, Ridge

    features = _features(given, train)
    rows = features.columns[train]
    basis, points = _along(rows)
    seen = given.scenario[train].any(axis=0)
    strange = ~np.any(given.scenario[:, seen], axis=1, keepdims=True)
    scenario = np.where(strange, seen / seen.sum(), given.scenario)  # one that was not seen is a little like all
    own, sides = np.hstack([points, scenario[train]]), np.repeat([1, 0], len(train))
    ridge = Ridge(alpha=_RIDGE).fit(own, given.truth[train])
    fitted: list[Matrix] = []
    for at, share in enumerate(given.truth[train].T):
        even = np.clip(share, _CERTAIN, 1 - _CERTAIN)
        logistic = LogisticRegression(C=1 / _LOGIT, max_iter=1000)
        logistic.fit(np.vstack([own, own]), sides, sample_weight=np.concatenate((even, 1 - even)))
        fitted.append(np.append(np.atleast_2d(ridge.coef_)[at], ridge.intercept_[at]))
        fitted.append(np.append(logistic.coef_, logistic.intercept_))
    *weights, intercepts = np.array(fitted).T
    along, offsets = np.split(np.array(weights), [basis.shape[1]])
    return _Fit(features, scenario, weights=rows.T @ (basis @ along), offsets=offsets, intercepts=intercepts)


def _along(columns: Any) -> tuple[Matrix, Matrix]:
    """Combinations of rows that are all directions in which these differ, and where each row lies along them."""
    products = _products(columns)
    values, vectors = np.linalg.eigh(products)
    kept = values > _FLAT * values[-1]
    basis = vectors[:, kept] / np.sqrt(values[kept])
    return basis, products @ basis


def _products(columns: Any) -> Matrix:
    """Inner products of every two rows."""
    # A column that many rows have takes longest in a sparse product and least in a dense one.
    often = np.bincount(columns.indices, minlength=columns.shape[1]) > _OFTEN * columns.shape[0]
    rare, dense = columns[:, ~often], columns[:, often].toarray()
    return np.asarray((rare @ rare.T).toarray() + dense @ dense.T)


def _head(given: _Examples) -> Head:
    """The head of fields that were learned together, from all their examples, as it is packed."""
    fit, learned = _learn(given, np.arange(len(given.examples)))
    features = fit.features
    *hashed, dense = np.split(fit.weights, np.cumsum([len(own) for own in features.known]))
    scales = np.array([np.abs(part).max(axis=0) / _STEPS for part in hashed])
    packed = [np.round(part / np.where(scale > 0, scale, 1)) for part, scale in zip(hashed, scales, strict=True)]
    return Head(
        learned=tuple(learned),
        extras=given.extras,
        scenarios=tuple(np.unique([one.digest for one in given.examples]).tolist()),
        known=np.concatenate(features.known),
        weights=np.concatenate(packed).astype(np.int8),
        scales=scales.astype(np.float32),
        mean=features.mean,
        deviation=features.deviation,
        dense=dense * given.weight[:, None],
        offsets=np.vstack([fit.offsets, fit.offsets.mean(axis=0)]) + fit.intercepts,
    )
