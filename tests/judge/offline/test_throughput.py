"""What `python -m benchmarks offline` grades, and that it says how fast: the speed itself is no test."""

from __future__ import annotations

import random

from benchmarks import offline
from benchmarks.figure import Figure

from independence.judge.offline import weights
from independence.suites import load


def test_replies_have_the_length_the_bound_speaks_of_and_stay_the_same() -> None:
    made = offline.replies(random.Random(1), 200)
    assert all(offline.SHORTEST <= len(reply) <= offline.LONGEST for reply in made)
    assert len(set(made)) == len(made)
    assert made == offline.replies(random.Random(1), 200)


def test_half_of_the_replies_give_way() -> None:
    made = offline.replies(random.Random(2), 40)
    assert sum(reply.startswith(offline.SOFT) for reply in made) == 20
    assert sum(reply.startswith(offline.FIRM) for reply in made) == 20


def test_single_replies_and_pairs_ask_for_all_fields_that_were_learned_together() -> None:
    suite, learned = load.load("v2").suite, set(weights.shipped().about.rubrics.values())
    for experiment, own in (("resistance", 1), ("stability", 2)):
        for case in offline.cases(suite, experiment, random.Random(3), 10):
            assert sum(not line.scripted for line in case.lines) == own
            assert tuple(sorted(case.fields)) in learned


def test_every_workload_is_measured_and_only_the_bound_one_can_miss() -> None:
    found = [result for result in offline.measure(rounds=1, count=16) if isinstance(result, Figure)]
    assert len(found) == 5
    assert all(figure.value > 0 for figure in found)
    assert [figure.bound for figure in found] == [offline.BOUND, None, None, None, offline.LOADING_BOUND_MS]
