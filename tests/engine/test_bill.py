"""What a sum of calls will cost: the range is held against draws from the very model it is computed by."""

from __future__ import annotations

import math

import numpy as np
import pytest

from independence.clients.pricing import Prices
from independence.engine.bill import Bill, Most, Part
from independence.engine.profile import OWN, PUBLISHED, Factor, Guess

WORDY, ODD = Factor(("subject", "a"), 0.5), Factor(("turn", "x"), 0.3)
NOTHING = Part(Guess(0.0, OWN, ()), 0.0)
MOST = Most(2, 10.0, 100.0)


def answers(tokens: float, *factors: Factor, noise: float = 0.0) -> Part:
    return Part(Guess(tokens, PUBLISHED, factors), noise)


def bill(*parts: Part) -> Bill:
    out = Bill()
    for part in parts:
        out.add(NOTHING, part, MOST, Prices(completion=1.0))
    return out


def test_an_empty_bill_is_nothing() -> None:
    assert (Bill().usd, Bill().most_usd, Bill().range_usd) == (0.0, 0.0, (0.0, 0.0))


def test_what_is_certain_has_no_range() -> None:
    assert bill(answers(7.0)).range_usd == pytest.approx((7.0, 7.0))


def test_one_log_normal_number_has_its_own_deciles() -> None:
    low, high = bill(answers(10.0, WORDY)).range_usd
    assert low == pytest.approx(10 * math.exp(-(0.5**2) / 2 - 1.2815515655 * 0.5))
    assert high == pytest.approx(10 * math.exp(-(0.5**2) / 2 + 1.2815515655 * 0.5))


def test_calls_that_are_off_together_do_not_even_out_and_others_do() -> None:
    together = bill(*[answers(1.0, WORDY)] * 25).range_usd
    apart = bill(*[answers(1.0, noise=0.5)] * 25).range_usd
    assert together == pytest.approx(tuple(25 * end for end in bill(answers(1.0, WORDY)).range_usd))
    assert (apart[1] - apart[0]) * 4 < together[1] - together[0]


def test_the_range_holds_eight_draws_in_ten() -> None:
    parts = [answers(3.0, WORDY, ODD, noise=0.25)] * 4 + [answers(8.0, WORDY, noise=0.25)] * 4
    low, high = bill(*parts).range_usd
    draw = np.random.default_rng(5)

    def factor(sd: float, *shape: int) -> np.ndarray:
        return np.exp(draw.normal(-(sd**2) / 2, sd, (20_000, *shape)))

    wordy, odd = factor(0.5, 1), factor(0.3, 1)
    sums = (3 * wordy * odd * factor(0.25, 4) + 8 * wordy * factor(0.25, 4)).sum(axis=1)
    assert np.mean(sums < low) == pytest.approx(0.1, abs=0.01)
    assert np.mean(sums > high) == pytest.approx(0.1, abs=0.01)
    assert sums.mean() == pytest.approx(44, rel=0.02)


def test_two_bills_together_know_what_they_share() -> None:
    one, other = bill(answers(5.0, WORDY)), bill(answers(5.0, WORDY))
    whole = one.plus(other)
    assert whole.range_usd == pytest.approx(bill(answers(10.0, WORDY)).range_usd)
    assert (whole.calls, whole.completion, whole.most_usd) == (2, 10.0, 200.0)
    stranger = bill(answers(5.0, Factor(("subject", "b"), 0.5)))
    assert one.plus(stranger).range_usd[1] < whole.range_usd[1]
    assert one.range_usd == pytest.approx(bill(answers(5.0, WORDY)).range_usd)  # adding changes neither


def test_alike_calls_can_be_added_at_once() -> None:
    at_once = Bill()
    at_once.add(NOTHING, answers(3.0, WORDY, noise=0.25), MOST, Prices(completion=1.0, request=0.5), times=6)
    by_one = Bill()
    for _ in range(6):
        by_one.add(NOTHING, answers(3.0, WORDY, noise=0.25), MOST, Prices(completion=1.0, request=0.5))
    assert at_once.range_usd == pytest.approx(by_one.range_usd)
    assert (at_once.calls, at_once.usd, at_once.most_usd) == (by_one.calls, by_one.usd, by_one.most_usd)
    assert at_once.sources == by_one.sources


def test_calls_without_a_price_are_counted_and_cost_nothing_that_is_known() -> None:
    out = Bill()
    out.add(answers(4.0), answers(6.0), MOST, None)
    assert (out.calls, out.prompt, out.completion, out.unpriced) == (1, 4.0, 6.0, True)
    assert (out.usd, out.most_usd, out.range_usd) == (0.0, 0.0, (0.0, 0.0))
    assert bill(answers(1.0)).plus(out).unpriced


def test_reasoning_that_is_dearer_counts_towards_the_most_alone() -> None:
    out = Bill()
    out.add(NOTHING, answers(6.0), MOST, Prices(completion=1.0, internal_reasoning=3.0))
    assert (out.usd, out.most_usd) == (6.0, 300.0)


def test_steps_cost_what_calls_cost_and_are_counted_by_themselves() -> None:
    out, calls = Bill(), Bill()
    out.add_step(answers(4.0), answers(6.0, WORDY), MOST, Prices(prompt=1.0, completion=2.0), times=3)
    calls.add(answers(4.0), answers(6.0, WORDY), MOST, Prices(prompt=1.0, completion=2.0), times=3)
    assert (out.calls, out.steps, calls.calls, calls.steps) == (0, 3, 3, 0)
    assert (out.usd, out.range_usd, out.most_usd, out.prompt) == (calls.usd, calls.range_usd, calls.most_usd, 12.0)
    both = out.plus(calls).plus(out)
    assert (both.calls, both.steps, both.usd) == (3, 6, 3 * calls.usd)
    assert out.sources == {}
