from __future__ import annotations

import pytest
from scipy import special

from independence.stats.intervals import outside, t_quantile


@pytest.mark.parametrize("df", [0.4, 1, 1.7, 3, 7.3, 12, 55.5, 400, 1e5])
@pytest.mark.parametrize("statistic", [0.0, 1e-8, 0.01, 0.3, 1, 1.96, 3.5, 8, 40])
def test_the_tails_are_scipy_s(df: float, statistic: float) -> None:
    assert outside(statistic, df) == pytest.approx(2 * special.stdtr(df, -statistic), rel=1e-8, abs=1e-300)


@pytest.mark.parametrize("df", [1, 1.3, 2, 4.6, 17.9, 88.4, 5000])
@pytest.mark.parametrize("level", [0.5, 0.6, 0.9, 0.95, 0.99, 0.999])
def test_quantiles_are_scipy_s(df: float, level: float) -> None:
    assert t_quantile(df, level) == pytest.approx(special.stdtrit(df, 0.5 + level / 2), rel=1e-9)
