"""Differences of all pairs of subjects at once: what `comparison.difference` and `paired` give for one pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from independence.stats.comparison import over_runs
from independence.stats.index_uncertainty import Array, IndexEstimate
from independence.stats.subject_points import SubjectPoints


class PairedSubject(Protocol):
    """A subject as it is compared; where verdicts are missing, its index lies between two."""

    @property
    def lowest(self) -> float:
        """The lowest index that it can have."""

    @property
    def highest(self) -> float:
        """The highest."""

    @property
    def estimate(self) -> IndexEstimate:
        """Of its index on these scenarios."""

    @property
    def points(self) -> SubjectPoints:
        """Its verdicts."""

    @property
    def off(self) -> tuple[Array, ...]:
        """How far scenarios may be from those; empty where no verdict is missing."""


class PairDifferences(NamedTuple):
    """First minus second of every pair of n subjects, (n (n - 1) / 2,), in the order of `numpy.triu_indices`."""

    points: Array  # between the nearest ends of what both can be; 0 where these overlap
    se: Array
    df: Array
    alone: NDArray[np.bool_]  # left out here: it needs more than this


class _Columns(NamedTuple):
    """What is read of every subject, (n,) each; `means`: (n, scenarios) by stratum; `runs`: (n, 2) of single ones."""

    lowest: Array
    highest: Array
    se: Array
    df: Array
    borrowed: Array
    fleet_df: Array
    incomplete: NDArray[np.bool_]
    means: Sequence[Array]
    runs: Sequence[Array | None]


def differences(subjects: Sequence[PairedSubject], like_these: bool) -> PairDifferences:
    """Differences on these scenarios, or on scenarios like these; of incomplete subjects only the former."""
    columns, count = _columns(subjects, like_these), len(subjects)
    size = count * (count - 1) // 2
    out = PairDifferences(np.zeros(size), np.zeros(size), np.ones(size), np.zeros(size, dtype=bool))
    at = 0
    with np.errstate(invalid="ignore", divide="ignore"):
        for row in range(count - 1):
            part = slice(at, at + count - 1 - row)
            out.points[part] = points = _apart(columns, row)
            se, df = _welch(columns, row)
            if like_these:
                variance, its_df = _paired(columns, row)
                surer = variance < se**2
                se, df = np.where(surer, se, np.sqrt(variance)), np.where(surer, df, its_df)
                out.alone[part] = (columns.incomplete[row] | columns.incomplete[row + 1 :]) & (points != 0)
            out.se[part], out.df[part] = np.where(points == 0, 0.0, se), df
            at = part.stop
    return out


def _columns(subjects: Sequence[PairedSubject], like_these: bool) -> _Columns:
    rows = [(one.lowest, one.highest, *one.estimate[1:5], bool(one.off)) for one in subjects]
    lowest, highest, se, df, borrowed, fleet_df, incomplete = np.array(rows, dtype=np.float64).T
    sheets = [one.points for one in subjects]
    means, runs = list[Array](), list[Array | None]()
    for number, stratum in enumerate(sheets[0].strata if like_these else ()):
        means.append(np.array([sheet.means[number] for sheet in sheets]))
        single = len(stratum.points) == 1
        runs.append(np.array([over_runs(sheet, number) for sheet in sheets]) if single else None)
    return _Columns._make((lowest, highest, se, df, borrowed, fleet_df, incomplete > 0, means, runs))


def _apart(own: _Columns, row: int) -> Array:
    above = own.lowest[row] - own.highest[row + 1 :]
    below = own.highest[row] - own.lowest[row + 1 :]
    return np.where(above > 0, above, np.where(below < 0, below, 0.0))


def _welch(own: _Columns, row: int) -> tuple[Array, Array]:
    """See `comparison.difference`."""
    first, second = own.se[row] ** 2, own.se[row + 1 :] ** 2
    mine, yours = own.borrowed[row], own.borrowed[row + 1 :]
    fleet, other = own.fleet_df[row], own.fleet_df[row + 1 :]
    shared = (1 - mine) * yours / other + mine * (1 - yours) / fleet + mine * yours / np.minimum(fleet, other)
    weights = first**2 / own.df[row] + second**2 / own.df[row + 1 :] + 2 * first * second * shared
    df = np.where(weights > 0, (first + second) ** 2 / weights, 1.0)
    return np.sqrt(first + second), df


def _paired(own: _Columns, row: int) -> tuple[Array, Array]:
    """See `comparison.paired`: variance with its degrees of freedom (Satterthwaite)."""
    others = len(own.se) - row - 1
    variance, df = np.zeros(others), np.ones(others)
    for means, runs in zip(own.means, own.runs, strict=True):
        count = means.shape[1]
        if runs is None:
            part = count * np.std(means[row] - means[row + 1 :], axis=1, ddof=1) ** 2
            part_df = np.full(others, count - 1.0)
        else:
            part, part_df = _joined(runs[row, 0], runs[row, 1], runs[row + 1 :, 0], runs[row + 1 :, 1])
        variance, df = _joined(variance, df, part, part_df)
    return variance, df


def _joined(first: Array, first_df: Array, second: Array, second_df: Array) -> tuple[Array, Array]:
    """See `intervals.joined`."""
    total, weights = first + second, first**2 / first_df + second**2 / second_df
    return total, np.where(weights > 0, total**2 / weights, 1.0)
