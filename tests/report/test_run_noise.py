from __future__ import annotations

import numpy as np
import pytest

from independence.report import variance
from independence.stats.allocation import RunNoise, pooled

from .filled import Toy


def test_variances_are_pooled_over_subjects_by_their_degrees_of_freedom(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2), (6, 6, 2)))
    toy.complete("b", ((8, 6, 2), (7, 6, 2), (9, 6, 2)))
    toy.complete("once")
    read = toy.read()
    by_subject = variance.run_noise(read)
    assert by_subject.keys() == {"a", "b"}  # a single run says nothing of noise
    found = pooled(by_subject.values())
    assert found is not None
    own = [read.sheets[config].totals["radio"] for config in "ab"]
    assert found.variance["radio"] == pytest.approx((np.var(own[0], ddof=1) + 2 * np.var(own[1], ddof=1)) / 3)
    assert found.variance["dessert"] == pytest.approx(0)
    assert found.df["radio"] == 3
    assert pooled([]) is None


def test_what_is_known_beforehand_counts_less_the_more_was_seen() -> None:
    prior = {"loud": 9.0, "quiet": 1.0}
    few, many = (RunNoise({"loud": 2.0, "quiet": 2.0}, dict.fromkeys(prior, df)).moderated(prior) for df in (1, 400))
    assert few["loud"] > many["loud"] > 2 > many["quiet"] > few["quiet"]
    assert sum(few.values()) == pytest.approx(4)
    never = RunNoise({"loud": 4.0, "quiet": 0.0}, dict.fromkeys(prior, 4)).moderated(prior)
    assert never["quiet"] > 0
