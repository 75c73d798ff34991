from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from independence.errors import UsageError
from independence.testing.loopback.request_log import RequestEnd, RequestLog
from independence.types import Usage


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_requests_are_counted_while_they_are_held_and_after() -> None:
    ledger = RequestLog()
    first, second = ledger.receive("half", "aa"), ledger.receive("never", "bb")
    assert (ledger.requests, ledger.in_flight) == (2, 2)
    ledger.finish(first, RequestEnd(200, "", Usage(10, 5, cost_usd=0.25)))
    ledger.finish(second, RequestEnd(429, "429"))
    assert (ledger.in_flight, ledger.max_in_flight) == (0, 2)
    assert ledger.billed_usd == 0.25
    assert dict(ledger.faults) == {"429": 1}
    assert dict(ledger.statuses) == {200: 1, 429: 1}
    assert dict(ledger.models) == {"half": 1, "never": 1}


def test_a_body_that_comes_again_is_counted() -> None:
    ledger = RequestLog()
    assert [ledger.receive("half", "aa").attempt for _ in range(3)] == [1, 2, 3]
    assert ledger.digests["aa"] == 3


def test_the_log_has_a_line_when_a_request_comes_in_and_one_when_it_is_done(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    ledger = RequestLog(str(log))
    before = time.time()
    ticket = ledger.receive("half", "aa")
    (received,) = lines(log)
    assert received == {"state": "received", "number": 1, "received": ticket.received, "model": "half", "digest": "aa"}
    ledger.finish(ticket, RequestEnd(200, "cut", Usage(10, 5, cost_usd=0.25), gone=True))
    finished = lines(log)[1]
    assert before <= finished["received"] <= finished["finished"] <= time.time()  # type: ignore[operator]
    shown = {key: finished[key] for key in ("state", "number", "status", "fault", "cost_usd", "gone")}
    assert shown == {"state": "finished", "number": 1, "status": 200, "fault": "cut", "cost_usd": 0.25, "gone": True}
    assert (finished["prompt_tokens"], finished["completion_tokens"]) == (10, 5)
    ledger.close()


def test_a_log_is_appended_to(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    for _ in range(2):
        ledger = RequestLog(str(log))
        ledger.receive("half", "aa")
        ledger.close()
    assert len(lines(log)) == 2


def test_a_log_that_cannot_be_written_is_bad_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--log .*choose a file"):
        RequestLog(str(tmp_path / "missing" / "log.jsonl"))
