"""Rows that are alike stand beside each other, whatever order they come in."""

from __future__ import annotations

import numpy as np

from independence.stats import seriation


def test_rows_of_one_kind_stand_together_the_lowest_end_first() -> None:
    rng = np.random.default_rng(3)
    kinds = np.arange(30) % 3
    table = np.eye(3)[kinds][:, [0, 1, 2, 0, 1, 2]] + rng.normal(0, 0.05, (30, 6))
    table[:, 2] += np.where(kinds == 2, 2.0, 0.0)
    found = kinds[seriation.by_angle(table)]
    assert (np.diff(found) != 0).sum() == 2, found
    shuffled = rng.permutation(30)
    assert (kinds[shuffled][seriation.by_angle(table[shuffled])] == found).all()
    assert table[seriation.by_angle(table)][:10].mean() < table[seriation.by_angle(table)][-10:].mean()


def test_few_rows_and_rows_without_values_stay_as_they_are() -> None:
    assert seriation.by_angle(np.array([[2.0], [1.0]])).tolist() == [0, 1]
    assert seriation.by_angle(np.full((4, 2), np.nan)).tolist() == [0, 1, 2, 3]
    assert sorted(seriation.by_angle(np.array([[1.0, np.nan], [0.0, 2.0], [np.nan, 1.0]])).tolist()) == [0, 1, 2]
