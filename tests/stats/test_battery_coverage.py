"""What `python -m benchmarks reasons` measures on 800 subjects of each world, on fewer."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import reasons
from benchmarks.reasons import READ, WORLDS, Job

from independence.stats import battery

ONCE = ((24, 1),)


@pytest.mark.parametrize("name", ["contrasts alike", "moved by reasons", "corner", "corner, 5 % of stems none kept"])
def test_intervals_of_j_hold_what_is_so_of_other_stems(name: str) -> None:
    rows = reasons.coverage(Job(2, name, 120, ONCE))
    for row in rows[: len(READ)]:
        assert row.cells[0].value >= 90, row.name  # two and a half standard errors below 95
    assert rows[0].cells[0].kept


def test_copies_of_one_subject_share_a_tier() -> None:
    assert reasons.split(Job(3, "even", 4, ONCE)).cells[0].value == 0


def test_equals_by_other_contrasts_are_seldom_said_to_differ() -> None:
    assert reasons.differ(Job(7, "by force and by both", 60, ONCE)).cells[0].kept


def test_words_and_gates_claim_what_is_not_so_as_rarely_as_they_say() -> None:
    for name in ("over fake 0.3", "discerning, 90 % reliable", "coin"):
        assert all(row.cells[0].kept for row in reasons.words(Job(4, name, 60, ONCE)))
    assert all(cell.kept for cell in reasons.gated(Job(5, "even", 30, ((24, 3),))).cells)


def test_truth_is_what_many_answers_show() -> None:
    for name in ("stems differ much", "often evades", "corner, 5 % of stems turned"):
        drawn = reasons.simulated(np.random.default_rng(6), WORLDS[name][0], 60, 48, 2)
        found = [battery.estimate(own) for own in drawn.subjects]
        for what in READ:
            assert np.mean([getattr(one, what).value for one in found]) == pytest.approx(drawn.truth[what], abs=0.03)
