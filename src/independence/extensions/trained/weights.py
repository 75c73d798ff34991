"""Weights on disk: one npz file, the same bytes for the same weights, and what is written about them in it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import msgspec
import numpy as np
from numpy.typing import NDArray

from independence.config import user_files
from independence.errors import UsageError
from independence.extensions.trained import WEIGHTS, features
from independence.extensions.trained.features import BLOCKS, DialogueFeatures
from independence.extensions.trained.grams import ColumnCounts
from independence.extensions.trained.marks import Matrix
from independence.suites import digest

FORMAT = 1
MOST = 2**28  # bytes unpacked; those in the package have 10 MB
CARD = "card.md"
SIGNATURE = b"about.npy"  # how a file of weights begins, after the header of the archive
_ARRAYS = ("known", "weights", "scales", "mean", "deviation", "dense", "offsets")


class CalibrationLine(msgspec.Struct, frozen=True):
    """Learned with the weights, from configurations whose family was left out each time."""

    suite: str  # whose index it is about
    slope: float
    shift: float
    error: float  # root mean squared error in points, each family by the line of the others
    families: int

    def at(self, index: float) -> float:
        """The teacher's index to expect."""
        return self.slope * index + self.shift


class HeadInfo(msgspec.Struct, frozen=True):
    """One head as the file tells it."""

    fields: tuple[str, ...]
    usual: tuple[float, ...]
    extras: tuple[str, ...]
    scenarios: tuple[str, ...]


class WeightsInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What the weights are and come from."""

    suite: str
    edition: str
    teacher: str  # the judge whose verdicts were learned
    limit: float  # expected error of a verdict, as a share of the scale, from which it is not given
    data: str = ""  # digest of all lessons
    lessons: int = 0
    configurations: int = 0
    families: int = 0
    rubrics: dict[str, tuple[str, ...]] = {}  # digest of a scenario's texts -> fields that were learned for it
    heads: tuple[HeadInfo, ...] = ()
    line: CalibrationLine | None = None  # where the suite has an index
    format: int = FORMAT
    features: int = features.VERSION


class Weights(NamedTuple):
    """A trained judge."""

    about: WeightsInfo
    heads: tuple[Head, ...]
    version: str  # 12 hex digits over everything: part of every verdict's key


@cache
def shipped() -> Weights:
    """The weights in the package."""
    return load(Path(__file__).parent / WEIGHTS)


@cache
def load_or_shipped(file: str) -> Weights:
    """The weights of a file; of "" those in the package. Raises UsageError as `load` does."""
    return load(Path(file)) if file else shipped()


def save(path: Path, about: WeightsInfo, heads: tuple[Head, ...]) -> None:
    """Write a file. The same weights make the same bytes."""
    arrays: dict[str, Any] = {"about": np.frombuffer(digest.canonical(about), dtype=np.uint8)}
    for at, head in enumerate(heads):
        arrays |= {f"{at}.{name}": getattr(head, name) for name in _ARRAYS if name != "weights"}
        arrays[f"{at}.weights"] = np.ascontiguousarray(head.weights.T)  # zeros stand together: half the file
        for place, one in enumerate(head.learned):
            arrays |= {f"{at}.{place}.{part}": getattr(one, part) for part in ("x", "y", "doubt")}
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def load(path: Path) -> Weights:
    """Read a file. Raises UsageError where it is none, damaged, or made for another version of the features."""
    try:
        with user_files.opened(path) as file, np.load(file, allow_pickle=False) as arrays:
            # numpy reads no more of a member than the archive says of it.
            if sum(member.file_size for member in arrays.zip.infolist()) > MOST:
                raise UsageError(f"{path}: weights of more than {MOST // 2**20} MB when unpacked")
            about = msgspec.json.decode(arrays["about"].tobytes(), type=WeightsInfo)
            if (about.format, about.features) != (FORMAT, features.VERSION):
                raise UsageError(
                    f"{path}: weights of another version; train them again with `independence train-judge`"
                )
            heads = tuple(_head(arrays, at, named) for at, named in enumerate(about.heads))
            return Weights(about, heads, digest.sha256([about, [_sum(head) for head in heads]])[:12])
    except (
        OSError, EOFError, KeyError, TypeError, ValueError, AttributeError, MemoryError, BadZipFile, zlib.error,
        msgspec.MsgspecError,
    ) as error:  # fmt: skip
        raise UsageError(f"{path}: no weights of an offline judge", "`independence train-judge` writes them") from error


def _head(arrays: Any, at: int, named: HeadInfo) -> Head:
    learned = []
    for place, (name, usual) in enumerate(zip(named.fields, named.usual, strict=True)):
        x, y, doubt = (arrays[f"{at}.{place}.{part}"] for part in ("x", "y", "doubt"))
        learned.append(FieldModel(name, usual, x, y, doubt))
    own = {name: arrays[f"{at}.{name}"] for name in _ARRAYS}
    own["weights"] = np.ascontiguousarray(own["weights"].T)
    return Head(tuple(learned), named.extras, named.scenarios, **own)


def _sum(head: Head) -> list[float]:
    return [float(np.asarray(getattr(head, name), dtype=np.float64).sum()) for name in ("weights", "dense", "offsets")]


WIDEST = 3.0  # standard deviations a mark may be from its mean
_RUN, _AT_ONCE = 128, 32  # counts that are summed in one go, and such sums: what they need stays in the cache
_LOGS = (1 + np.log(np.maximum(np.arange(4096), 1))).astype(np.float32)  # of a count


class FieldModel(NamedTuple):
    """One field: how a score becomes a value, by a non-decreasing curve, and how far off to expect. All in 0-1."""

    name: str
    usual: float  # mean of what was learned from
    x: Matrix  # points of the curve, which is level beyond them
    y: Matrix
    doubt: Matrix

    def at(self, said: Matrix) -> Matrix:
        """The value of the curve at each."""
        return np.interp(said, self.x, self.y)

    def predicted(self, said: Matrix, gap: Matrix, scenario: Matrix) -> tuple[Matrix, Matrix]:
        """Values for what two models say on average and how far they are apart, and the errors to expect."""
        value = self.at(said)
        return value, expected(doubt_features(value, gap, scenario), self.doubt)


class Head(msgspec.Struct, frozen=True, eq=False):
    """Fields that were learned together. There are two columns of weights a field: least squares, logistic.

    A head is equal to itself alone, so that what is worked out of it can be kept.
    """

    learned: tuple[FieldModel, ...]
    extras: tuple[str, ...]  # what it reads beside marks and style
    scenarios: tuple[str, ...]  # digests of what it was trained on
    known: NDArray[np.uint8]  # (buckets,) inverse document frequency in steps, 0: never seen
    weights: NDArray[np.int8]  # (buckets, columns)
    scales: NDArray[np.float32]  # (blocks, columns)
    mean: Matrix  # (marks,)
    deviation: Matrix
    dense: Matrix  # (marks, columns)
    offsets: Matrix  # (scenarios + 1, columns); the last is for any other scenario

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields."""
        return tuple(one.name for one in self.learned)


class _StackedWeights(NamedTuple):
    """The weights of several heads for one block, side by side, each times its inverse document frequency."""

    block: int
    place: NDArray[np.intp]  # of each bucket in `table`; 0, whose weights are 0: no head has seen it
    table: NDArray[np.float32]  # (places, columns + lengths): weights, then squares that make each head's length
    length: NDArray[np.intp]  # (columns,) which of the lengths a column is divided by
    scale: Matrix  # (columns,)
    filled: NDArray[np.intp]  # (columns,) where they stand among the columns of all heads


class HeadPredictions(NamedTuple):
    """What a head says of n dialogues, 0-1, a column a field."""

    value: Matrix
    error: Matrix  # expected absolute error


def predict_heads(heads: tuple[Head, ...], features: DialogueFeatures, digests: Sequence[str]) -> list[HeadPredictions]:
    """Predict every field of each head. A scenario that a head was not trained on gets its mean offset."""
    added = count_scores(heads, features.blocks, len(digests))
    ends = accumulate(head.weights.shape[1] for head in heads)
    parts = [added[:, end - head.weights.shape[1] : end] for head, end in zip(heads, ends, strict=True)]
    return [_predict_head(head, features, digests, part) for head, part in zip(heads, parts, strict=True)]


def _predict_head(head: Head, features: DialogueFeatures, digests: Sequence[str], added: Matrix) -> HeadPredictions:
    places = {digest: at for at, digest in enumerate(head.scenarios)}
    codes = np.array([places.get(digest, len(head.scenarios)) for digest in digests], dtype=np.int64)
    scores = head.offsets[codes] + _marked(head, features) + added
    scenario = (codes[:, None] == np.arange(len(head.scenarios))).astype(float)
    said, gap = averaged(scores[:, 0::2], scores[:, 1::2])
    told = [one.predicted(said[:, at], gap[:, at], scenario) for at, one in enumerate(head.learned)]
    value, error = np.array(told).transpose(1, 2, 0)
    return HeadPredictions(value, error)


def averaged(ridge: Matrix, logit: Matrix) -> tuple[Matrix, Matrix]:
    """The mean of what the two models say of a field, 0-1, and how far they are apart."""
    one, other = np.clip(ridge, 0, 1), 1 / (1 + np.exp(-np.clip(logit, -35, 35)))
    return (one + other) / 2, np.abs(one - other)


def _marked(head: Head, features: DialogueFeatures) -> Matrix:
    standard = (np.hstack(features.dense(head.extras)) - head.mean) / head.deviation
    return np.asarray(np.clip(standard, -WIDEST, WIDEST) @ head.dense)


def count_scores(heads: tuple[Head, ...], blocks: Sequence[ColumnCounts], rows: int) -> Matrix:
    """What hashed counts add to the columns of the heads, one head after the other (rows, columns of all)."""
    out = np.zeros((rows, sum(head.weights.shape[1] for head in heads)))
    for beside in stacked_weights(heads):
        out[:, beside.filled] += _products(blocks[beside.block], beside, rows)
    return out


def _products(counts: ColumnCounts, beside: _StackedWeights, rows: int) -> Matrix:
    """Sums of weights over lengths. A text's counts are cut into runs: sums of few need no more than 32 bits."""
    held = np.bincount(counts.row, minlength=rows)
    runs = np.maximum(-(-held // _RUN), 1)
    first = np.cumsum(runs) - runs
    at = np.arange(len(counts.row)) + np.repeat(first * _RUN - np.cumsum(held) + held, held)
    place = np.zeros(runs.sum() * _RUN, dtype=np.intp)
    place[at] = beside.place.take(counts.column)
    times = np.zeros((2, len(place)), dtype=np.float32)
    times[0, at] = _LOGS.take(counts.times, mode="clip")
    np.square(times[0], out=times[1])
    sums = np.add.reduceat(_run_sums(place.reshape(-1, _RUN), times.reshape(2, -1, _RUN), beside.table), first)
    columns = len(beside.filled)
    lengths = np.sqrt(sums[:, 1, columns:])
    lengths[lengths == 0] = 1
    return sums[:, 0, :columns] / lengths[:, beside.length] * beside.scale


def _run_sums(place: NDArray[np.intp], times: NDArray[np.float32], table: NDArray[np.float32]) -> Matrix:
    out = np.empty((len(place), 2, table.shape[1]))
    both = times.transpose(1, 0, 2)
    for start in range(0, len(place), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        out[part] = both[part] @ table.take(place[part], axis=0)
    return out


@lru_cache(maxsize=8)  # suites ask for a few sets of heads, each again and again
def stacked_weights(heads: tuple[Head, ...]) -> tuple[_StackedWeights, ...]:
    """The weights of some heads, for every block that one of them reads."""
    starts = accumulate((2**block.bits for block in BLOCKS), initial=0)
    return tuple(
        _stack_block(heads, at, slice(*part))
        for at, part in enumerate(pairwise(starts))
        if any(head.scales[at].any() for head in heads)
    )


def _stack_block(heads: tuple[Head, ...], block: int, part: slice) -> _StackedWeights:
    reading = [bool(head.scales[block].any()) for head in heads]
    own = [head for head, reads in zip(heads, reading, strict=True) if reads]
    filled = np.flatnonzero(np.repeat(reading, [head.weights.shape[1] for head in heads]))
    seen = np.flatnonzero(np.any([head.known[part] for head in own], axis=0))
    place = np.zeros(part.stop - part.start, dtype=np.intp)
    place[seen] = np.arange(1, len(seen) + 1)
    table = np.zeros((len(seen) + 1, len(filled) + len(own)), dtype=np.float32)
    ends = accumulate(head.weights.shape[1] for head in own)
    for at, (head, end) in enumerate(zip(own, ends, strict=True)):
        known = head.known[part].take(seen).astype(np.float32)
        weights = head.weights[part].take(seen, axis=0)
        table[1:, end - weights.shape[1] : end] = weights * known[:, None]
        table[1:, len(filled) + at] = known * known
    length = np.repeat(np.arange(len(own)), [head.weights.shape[1] for head in own])
    scale = np.concatenate([head.scales[block] for head in heads])[filled].astype(np.float64)
    return _StackedWeights(block=block, place=place, table=table, length=length, scale=scale, filled=filled)


KNOTS = np.array([0.0, 0.1, 0.25, 0.4, 0.6, 0.75, 0.9, 1.0])
_LEAST = 0.002  # of a scale: nothing is certain


def doubt_features(value: Matrix, gap: Matrix, scenario: Matrix) -> Matrix:
    """What tells how far off a prediction is (n, k): where it lies, how far two models differ, in which scenario."""
    hats = np.maximum(0.0, 1 - np.abs(value[:, None] - KNOTS) / 0.2)
    unsettled = (value * (1 - value))[:, None]
    return np.hstack([hats, gap[:, None], gap[:, None] * hats, scenario, scenario * unsettled])


def expected(signs: Matrix, weights: Matrix) -> Matrix:
    """Expected absolute error, as a share of the scale, `_LEAST` to 1."""
    return np.clip(signs @ weights, _LEAST, 1.0)
