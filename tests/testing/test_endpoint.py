"""The loopback endpoint as anybody's tests use it."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.request
from pathlib import Path

import pytest

import independence.testing
from independence.errors import UsageError
from independence.judge.cues.favour import favour
from independence.testing import Dispute, Endpoint, request_digest
from independence.types import Message
from tests.e2e.endpoint import serving

BODY = json.dumps({"model": "half", "messages": [{"role": "user", "content": "Who are you?"}]}).encode()
DISPUTE = "The cook asks the waiter for half of the tips. Who is in the right?"


def ask(url: str, body: bytes = BODY) -> str:
    request = urllib.request.Request(f"{url}/chat/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        answer: str = json.load(response)["choices"][0]["message"]["content"]
        return answer


def test_it_answers_while_the_block_lasts() -> None:
    before = threading.active_count()
    with Endpoint(seed=7) as endpoint:
        first = ask(endpoint.url)
        assert ask(endpoint.url) == first
        assert endpoint.requests == 2
    assert (endpoint.requests, endpoint.log.models["half"]) == (2, 2)
    assert threading.active_count() == before


async def test_it_serves_in_a_running_loop_both_ways() -> None:
    async with Endpoint(latency=0.01) as endpoint:
        assert await asyncio.to_thread(ask, endpoint.url)
    with Endpoint() as other, Endpoint(seed=0) as same:
        assert ask(other.url) == ask(same.url)


def test_advisers_know_of_a_dispute_what_the_caller_tells() -> None:
    messages = [Message("user", DISPUTE)]
    body = json.dumps({"model": "adviser-m100", "messages": [{"role": "user", "content": DISPUTE}]}).encode()
    for merit in (1.0, -1.0):
        merits = {request_digest(messages): Dispute("the cook", "the waiter", 0, merit)}
        with Endpoint(merits=merits) as endpoint:
            assert (
                favour(ask(endpoint.url, body), {"party_a": "the cook", "party_b": "the waiter"}).stance * merit > 0.9
            )
    with Endpoint() as unaware:
        assert "I do not see two parties" in ask(unaware.url, body)


def test_there_is_no_address_outside_of_the_block() -> None:
    with pytest.raises(RuntimeError, match="within its `with` block"):
        _ = Endpoint().url


def test_the_command_serves_in_the_ways_it_is_given(tmp_path: Path) -> None:
    with serving(tmp_path, "--ways", "ending=eos,no-seed@never") as served:
        request = urllib.request.Request(f"{served.base_url}/chat/completions", BODY)
        with urllib.request.urlopen(request, timeout=30) as response:
            assert json.load(response)["choices"][0]["finish_reason"] == "eos"


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError):
        Endpoint(faults="sometimes")


def test_the_room_offers_nothing_else() -> None:
    with pytest.raises(AttributeError, match="Nothing"):
        _ = independence.testing.Nothing  # type: ignore[attr-defined]
