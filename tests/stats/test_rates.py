from __future__ import annotations

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from independence.stats.intervals import wilson


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (3, 354), (354, 354), (0, 1)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_it_is_scipys(successes: int, n: int, level: float) -> None:
    found = binomtest(successes, n).proportion_ci(confidence_level=level, method="wilson")
    assert wilson(successes, n, level) == pytest.approx((found.low, found.high), abs=1e-12)


def test_none_of_n_still_leaves_room_above() -> None:
    z2 = NormalDist().inv_cdf(0.975) ** 2
    assert wilson(0, 200) == (0.0, pytest.approx(z2 / (200 + z2)))
    assert wilson(200, 200) == (pytest.approx(200 / (200 + z2)), 1.0)


def test_without_a_try_nothing_is_known() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (1, 0)])
def test_what_is_no_share_is_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        wilson(successes, n)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_it_holds_the_share_has_width_and_stays_on_the_scale(tried: tuple[int, int]) -> None:
    successes, n = tried
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    assert high - low > 0


@pytest.mark.parametrize("share", [0.0, 0.01, 0.2, 0.5, 1.0])
def test_more_tries_make_it_narrower(share: float) -> None:
    widths = [high - low for low, high in (wilson(round(share * n), n) for n in (100, 400, 1600))]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.95])
@pytest.mark.parametrize("n", [20, 200])
def test_it_covers_about_as_often_as_it_says(share: float, n: int) -> None:
    covered = sum(
        math.comb(n, k) * share**k * (1 - share) ** (n - k)
        for k in range(n + 1)
        if wilson(k, n).low <= share <= wilson(k, n).high
    )
    assert covered > 0.9
