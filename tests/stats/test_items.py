from __future__ import annotations

import numpy as np
import pytest

from independence.stats.items import ItemStatistics, items
from independence.stats.subject_points import SubjectPoints

from . import sheets


def by_name(fleet: list[SubjectPoints]) -> dict[str, ItemStatistics]:
    return {item.scenario: item for item in items(fleet)}


FLEET = [
    sheets.of([20, 20], [10, 14], [20, 20]),
    sheets.of([20, 16], [4, 8], [20, 20]),
    sheets.of([10, 10], [0, 0], [20, 20]),
    sheets.of([20, 20], [16, 20], [20, 20]),
]


def test_difficulty_is_the_share_of_points_lost() -> None:
    found = by_name(FLEET)
    assert found["s0"].difficulty == pytest.approx(100 * (0 + 2 + 10 + 0) / 4 / 20)
    assert found["s1"].difficulty == pytest.approx(100 * (8 + 14 + 20 + 2) / 4 / 20)
    assert found["s2"].difficulty == 0


def test_the_interval_of_difficulty_is_a_t_interval_over_subjects() -> None:
    low, high = by_name(FLEET)["s0"].interval or (0, 0)
    lost = np.array([0, 10, 50, 0])
    half = 3.182446 * lost.std(ddof=1) / 2
    assert (low, high) == (pytest.approx(lost.mean() - half), pytest.approx(lost.mean() + half))
    assert by_name(FLEET)["s2"].interval is None  # never of zero width


def test_ceiling_counts_verdicts_and_subjects() -> None:
    found = by_name(FLEET)
    assert (found["s0"].ceiling, found["s0"].always) == (5 / 8, 2 / 4)
    assert (found["s1"].ceiling, found["s1"].always) == (1 / 8, 0)
    assert (found["s2"].ceiling, found["s2"].always) == (1, 1)


def test_discrimination_is_the_correlation_with_the_rest() -> None:
    found = by_name(FLEET)
    first, second = np.array([20, 18, 10, 20]), np.array([12, 6, 0, 18])
    assert found["s0"].discrimination == pytest.approx(np.corrcoef(first, second)[0, 1])
    assert found["s2"].discrimination is None  # nobody differs on it


def test_variance_and_noise_are_shared_out_whole() -> None:
    found = by_name(FLEET)
    first, second = np.array([20, 18, 10, 20]), np.array([12, 6, 0, 18])
    index = first + second
    assert found["s0"].carried == pytest.approx(np.cov(first, index)[0, 1] / index.var(ddof=1))
    assert sum(item.carried or 0 for item in found.values()) == pytest.approx(1)
    assert found["s0"].noise == pytest.approx(8 / (8 + 8 + 8 + 8))
    assert sum(item.noise or 0 for item in found.values()) == pytest.approx(1)


def test_noise_comes_from_subjects_that_repeated() -> None:
    fleet = [sheets.of([10], [10]), sheets.of([10, 12], [10, 16]), sheets.of([12], [14])]
    found = by_name(fleet)
    assert found["s0"].noise == pytest.approx(2 / 20)
    singles = by_name([sheets.of([10], [10]), sheets.of([12], [14])])
    assert singles["s0"].noise is None


def test_scenarios_that_hardly_tell_apart_belong_to_the_sanity_set() -> None:
    found = by_name(FLEET)
    assert found["s2"].sanity  # always at the ceiling
    assert not found["s0"].sanity
    found = by_name([sheets.of(*[[level] * 2] * 3, [other] * 2) for level in (5, 10, 15) for other in (4, 8)])
    assert found["s0"].discrimination == pytest.approx(1, abs=0.1)
    assert found["s3"].discrimination == pytest.approx(0)
    assert found["s3"].sanity
    assert not found["s0"].sanity


def test_one_subject_has_difficulties_and_no_more() -> None:
    (first, *_) = items([sheets.of([20, 10], [5, 5])])
    assert first == ItemStatistics("s0", 25.0, None, None, 0.5, 0.0, None, 1.0)


def test_two_subjects_always_correlate_so_nothing_is_said() -> None:
    assert items(FLEET[:2])[0].discrimination is None


def test_a_scenario_without_points_to_give_has_no_difficulty() -> None:
    sheet = sheets.of([0.0, 0.0], most=0.0)
    (only,) = items([sheet, sheet, sheet])
    assert (only.difficulty, only.interval, only.ceiling, only.always, only.sanity) == (None, None, None, None, False)


def test_nobody_has_no_items() -> None:
    assert items([]) == []
