"""Weights on disk: one npz file, the same bytes for the same weights, and what is written about them in it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import msgspec
import numpy as np

from independence.errors import UsageError
from independence.judge.offline import features
from independence.judge.offline.model import CalibrationCurve, FieldModel, Head
from independence.judge.offline.prediction import CalibrationLine
from independence.suites import digest

FORMAT = 1
FILE = "offline.npz"
CARD = "card.md"
SIGNATURE = b"about.npy"  # how a file of weights begins, after the header of the archive
_ARRAYS = ("known", "weights", "scales", "mean", "deviation", "dense", "offsets")


class HeadInfo(msgspec.Struct, frozen=True):
    """One head as the file tells it."""

    fields: tuple[str, ...]
    usual: tuple[float, ...]
    extras: tuple[str, ...]
    scenarios: tuple[str, ...]


class WeightsInfo(msgspec.Struct, frozen=True):
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
    return load(Path(__file__).parent / FILE)


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
            arrays |= {f"{at}.{place}.x": one.curve.x, f"{at}.{place}.y": one.curve.y, f"{at}.{place}.doubt": one.doubt}
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def load(path: Path) -> Weights:
    """Read a file. Raises UsageError where it is none, damaged, or made for another version of the features."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            about = msgspec.json.decode(arrays["about"].tobytes(), type=WeightsInfo)
            if (about.format, about.features) != (FORMAT, features.VERSION):
                raise UsageError(
                    f"{path}: weights of another version; train them again with `independence train-judge`"
                )
            heads = tuple(_head(arrays, at, named) for at, named in enumerate(about.heads))
            return Weights(about, heads, digest.sha256([about, [_sum(head) for head in heads]])[:12])
    except (OSError, EOFError, KeyError, ValueError, BadZipFile, msgspec.MsgspecError) as error:
        raise UsageError(
            f"{path}: no weights of an offline judge ({error}); `independence train-judge` writes them"
        ) from error


def _head(arrays: Any, at: int, named: HeadInfo) -> Head:
    learned = tuple(
        FieldModel(
            name,
            usual,
            CalibrationCurve(arrays[f"{at}.{place}.x"], arrays[f"{at}.{place}.y"]),
            arrays[f"{at}.{place}.doubt"],
        )
        for place, (name, usual) in enumerate(zip(named.fields, named.usual, strict=True))
    )
    own = {name: arrays[f"{at}.{name}"] for name in _ARRAYS}
    own["weights"] = np.ascontiguousarray(own["weights"].T)
    return Head(learned, named.extras, named.scenarios, **own)


def _sum(head: Head) -> list[float]:
    return [float(np.asarray(getattr(head, name), dtype=np.float64).sum()) for name in ("weights", "dense", "offsets")]
