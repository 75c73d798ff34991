from __future__ import annotations

import pytest

from independence.clients.connection import AttemptLog
from independence.clients.protocol import Policy
from independence.types import Attempt, Usage


def test_pauses_are_fully_jittered_below_a_doubling_ceiling() -> None:
    policy = Policy(base_backoff_s=0.5, cap_s=60)
    for retried, ceiling in [(0, 0.5), (1, 1.0), (4, 8.0), (7, 60.0), (500, 60.0)]:
        drawn = [policy.pause(retried, None) for _ in range(400)]
        assert 0 <= min(drawn) < 0.2 * ceiling
        assert 0.8 * ceiling < max(drawn) <= ceiling


def test_what_the_server_asks_for_is_the_least_and_callers_do_not_come_back_at_once() -> None:
    drawn = {Policy(base_backoff_s=0.5).pause(3, 20.0) for _ in range(50)}
    assert min(drawn) >= 20.0
    assert max(drawn) <= 20.5
    assert len(drawn) > 40


def test_a_ledger_sums_what_all_attempts_used() -> None:
    ledger = AttemptLog()
    ledger.add(Attempt("502", 0.1, unknown_usd=0.2))
    ledger.add(Attempt("ok", 0.1, Usage(10, 5, 1, 2, 0.5)))
    ledger.mark("reasoning_only")
    ledger.add(Attempt("ok", 0.1, Usage(10, 5, 1, 2, 0.25)))
    assert [a.outcome for a in ledger.attempts] == ["502", "reasoning_only", "ok"]
    assert ledger.usage == Usage(20, 10, 2, 4, 0.75)
    assert sum(a.unknown_usd for a in ledger.attempts) == pytest.approx(0.2)
