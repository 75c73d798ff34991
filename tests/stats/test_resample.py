from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from independence.stats.published import RESAMPLES, percentile_interval, published_draws


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33])
def test_draws_are_those_of_the_standard_librarys_choice(n: int) -> None:
    generator = random.Random(42)
    expected = [generator.choice(range(n)) for _ in range(RESAMPLES * n)]
    assert published_draws(n).ravel().tolist() == expected


def test_draws_are_made_once_and_cannot_be_changed() -> None:
    assert published_draws(5) is published_draws(5)
    with pytest.raises(ValueError, match="read-only"):
        published_draws(5)[0, 0] = 1


@settings(max_examples=8, deadline=None)
@given(st.lists(st.floats(0, 100), min_size=1, max_size=7))
def test_the_interval_is_that_of_the_plain_procedure(values: list[float]) -> None:
    generator = random.Random(42)
    means = sorted(sum(generator.choice(values) for _ in values) / len(values) for _ in range(RESAMPLES))
    assert percentile_interval(values) == pytest.approx((means[250], means[9750]), abs=1e-9)


def test_the_interval_stays_on_the_scale() -> None:
    assert percentile_interval([100.0, 100.0 + 1e-9]) == (100.0, 100.0)
    assert percentile_interval([-1e-9, 0.0]) == (0.0, 0.0)
