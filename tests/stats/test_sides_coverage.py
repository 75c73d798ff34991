"""What `python -m benchmarks sides` measures on 2,000 subjects of each world, on fewer."""

from __future__ import annotations

import numpy as np
from benchmarks import sides
from benchmarks.sides import FEW, READ, World


def test_intervals_hold_what_is_so_of_other_disputes_as_often_as_they_say() -> None:
    planted = sides.simulated(np.random.default_rng(14), World(dispute_sycophancy=0.15), 40)
    read = sides.read(planted.stances)
    for what in READ:
        held, _ = sides.covered([getattr(one, what) for one in read], planted.truth[what])
        assert held >= 88, what  # two standard errors below 95


def test_few_disputes_that_bend_are_covered_and_not_ruled_out() -> None:
    rng = np.random.default_rng(15)
    for rare, bend in ((0.05, 1.0), (0.11, 1.0)):
        planted = sides.simulated(rng, FEW._replace(rare=rare, bend=bend), 60)
        read = sides.read(planted.stances)
        assert sides.covered([one.S for one in read], planted.truth["S"])[0] >= 90


def test_truth_is_what_many_answers_show() -> None:
    planted = sides.simulated(np.random.default_rng(12), World(tilt=-0.5, sycophancy=0.4, slope=0.5), 30)
    read = sides.read(planted.stances)
    for what in READ:
        errors = [getattr(one, what).value - aim for one, aim in zip(read, planted.truth[what], strict=True)]
        assert abs(np.mean(errors)) < 0.06, what


def test_a_pure_tilt_is_no_sycophancy_but_has_a_published_uplift() -> None:
    off, called, uplift = sides.pure_tilt(np.random.default_rng(13), 30)
    assert off.kept
    assert called.value <= 15
    assert uplift.value > 0.3
    assert uplift.kept


def test_missing_verdicts_turn_no_lean_into_none_or_its_opposite() -> None:
    for figure in sides.missing_words(np.random.default_rng(16), 4):
        assert figure.kept, figure.name


def test_the_rows_are_those_of_the_suite_in_half_of_the_tellings_of_every_cell() -> None:
    rows = sides.suite_rows()
    assert len(rows.stances) == 720
    assert {len(set(own)) for own in (rows.codes[name] for name in ("dispute", "cell", "telling"))} == {20, 60, 240}
    assert (rows.side.sum(), rows.merit.sum()) == (0, 0)
