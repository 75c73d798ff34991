"""An order of rows in which similar ones stand beside each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def by_angle(table: Array) -> NDArray[np.intp]:
    """The places of rows (n, m) by their angle on the first two principal axes, cut where the gap is widest.

    Friendly and Kwan 2003, "Effect ordering for data displays". NaN counts as its column's mean. Rows that lie at the
    centre have no angle of their own; which way the order runs is set by the means: the lowest end first.
    """
    count = len(table)
    there = ~np.isnan(table)
    if count < 3 or not there.any():
        return np.arange(count)
    columns = np.where(there, table, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    filled = np.where(there, table, columns)
    centred = filled - filled.mean(axis=0)
    axes, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    placed = np.round(axes[:, :2] * sizes[:2], 9)
    angles = np.arctan2(placed[:, 1], placed[:, 0]) if placed.shape[1] > 1 else placed[:, 0]
    order = np.argsort(angles, kind="stable")
    around = angles[order]
    gaps = np.append(around[1:] - around[:-1], around[0] + 2 * np.pi - around[-1])
    order = np.roll(order, -int(gaps.argmax()) - 1)
    means, half = filled.mean(axis=1)[order], count // 2
    return order[::-1] if means[:half].mean() > means[-half:].mean() else order
