"""What `python -m benchmarks reasons/ladder` measures on 600 subjects of each world, on fewer."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import ladder as simulated
from benchmarks.ladder import READ, WORLDS, Job

from independence.stats import ladder


@pytest.mark.parametrize("name", ["moves slowly, faster after talk", "1 stem in 50 moves, no other"])
def test_intervals_hold_what_is_so_of_other_stems(name: str) -> None:
    for row in simulated.coverage(Job(2, name, 80, (1,))):
        assert row.cells[0].kept, row


def test_a_fall_is_seldom_said_before_there_is_one_and_a_large_one_is_found() -> None:
    for name in ("holds 50 %", "falls at push 3"):
        wrong, right = simulated.falls(Job(3, name, 60, (1,))).cells
        assert wrong.kept
        assert right is None or right.value > 90


def test_truth_is_what_many_answers_show() -> None:
    drawn = simulated.simulated(np.random.default_rng(6), WORLDS["moves slowly, faster after talk"], 60, 2)
    found = [ladder.estimate(own) for own in drawn.subjects]
    shown = np.mean([[own.value for own in (*one.hold.values(), one.talk, one.depth)] for one in found], axis=0)
    assert shown == pytest.approx([drawn.truth[name] for name in READ], abs=0.03)


def test_verdicts_that_one_logit_needs_are_those_of_two_shares_and_of_a_paired_test_some_more() -> None:
    known = {name: simulated.known_error(base) for name, base in simulated.BASES.items()}
    assert known == {"50 % are off": 66, "20 % are off": 76, "5 % are off": 219}
    row = simulated.verdicts(Job(5, "50 % are off", 100))
    assert 55 < row.cells[1].value < 100, row
    assert row.cells[1].value < row.cells[3].value, row
