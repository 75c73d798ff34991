"""The endpoint on its socket: routes, the key, the wait, the log, and the ways a response can be lost."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from independence.errors import UsageError
from independence.testing.loopback.request_log import RequestEnd, RequestLog
from independence.testing.loopback.server import Loopback, serving
from independence.testing.loopback.settings import LoopbackSettings
from independence.types import Usage

from .conftest import Ask, Once, plain


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


async def fate(session: aiohttp.ClientSession, server: Loopback, body: dict[str, Any]) -> str:
    """What became of a request: `answered`, `hollow` (a 200 without an answer), the status, or the error's name."""
    try:
        async with session.post(f"{server.base_url}/chat/completions", json=body) as response:
            choices = json.loads(await response.read()).get("choices")
    except (aiohttp.ClientError, TimeoutError, json.JSONDecodeError) as error:
        return type(error).__name__
    if response.status != 200:
        return str(response.status)
    return "answered" if choices and choices[0]["finish_reason"] == "stop" else "hollow"


async def until(holds: Callable[[], bool]) -> None:
    """Wait for the server to get there; there is no event to wait for from outside."""
    while not holds():  # noqa: ASYNC110
        await asyncio.sleep(0)


async def test_both_prefixes_lead_to_the_same_endpoint_and_what_is_not_served_is_not_found(ask: Ask) -> None:
    async with serving(LoopbackSettings()) as server:
        other = Loopback(server.base_url.replace("/v1", "/api/v1"), server.ledger)
        one, two = [await ask(where, plain()) for where in (server, other)]
        listings = [await ask(server, path) for path in ("/v1/models", "/api/v1/models")]
        nothing = await ask(server, "/v1/nothing")
    assert one.choice == two.choice
    assert listings[0].text == listings[1].text
    assert (nothing.status, "/v1/chat/completions" in nothing.error["message"]) == (404, True)


async def test_another_key_is_refused_where_one_is_set_and_the_key_shows_what_was_spent(once: Once) -> None:
    tried = [await once(plain(), "/v1/key", key="right", headers=h) for h in (
        {"Authorization": "Bearer right"}, {"Authorization": "Bearer wrong"}, {},
    )]  # fmt: skip
    assert [[one.status for one in came] for came in tried] == [[200, 200], [401, 401], [401, 401]]
    key = tried[0][1]
    assert key.json["data"]["usage"] == key.log.billed_usd > 0
    assert key.json["data"]["limit_remaining"] is None


async def test_an_answer_takes_its_latency_and_others_do_not_wait_for_it(session: aiohttp.ClientSession) -> None:
    async with serving(LoopbackSettings(latency="0.3")) as server:
        fates = await asyncio.gather(*(fate(session, server, plain(seed=seed)) for seed in range(20)))
        assert (server.ledger.max_in_flight, server.ledger.in_flight) == (20, 0)
    assert set(fates) == {"answered"}


LOST = {
    "reset": {"ServerDisconnectedError", "ClientOSError", "ClientConnectionResetError"},
    "cut": {"ClientPayloadError"},
    "malformed": {"JSONDecodeError"},
}


async def test_a_response_can_be_lost_in_transport_and_costs_what_it_would_have_cost(
    session: aiohttp.ClientSession, once: Once
) -> None:
    whole = (await once(plain(seed=0))).log.billed_usd
    for kind, ends in LOST.items():
        async with serving(LoopbackSettings(faults=kind)) as server:
            assert await fate(session, server, plain(seed=0)) in ends
            assert (server.ledger.faults[kind], server.ledger.billed_usd) == (1, whole)


async def test_a_timeout_holds_the_request_until_the_client_leaves_or_has_waited_long_enough(
    session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    async with serving(LoopbackSettings(faults="timeout", hang_s=60, log=str(log))) as server:
        asked = asyncio.create_task(fate(session, server, plain()))
        await until(lambda: server.ledger.in_flight == 1)
        asked.cancel()
        await until(lambda: server.ledger.in_flight == 0)
    finished = lines(log)[-1]
    assert (finished["state"], finished["fault"], finished["gone"]) == ("finished", "timeout", True)
    async with serving(LoopbackSettings(faults="timeout", hang_s=0.05)) as server:
        assert await fate(session, server, plain()) == "answered"


async def test_closing_ends_requests_that_are_held(session: aiohttp.ClientSession) -> None:
    async with serving(LoopbackSettings(faults="timeout", latency="0.01", hang_s=600)) as server:
        held = [asyncio.create_task(fate(session, server, plain(seed=seed))) for seed in range(50)]
        await until(lambda: server.ledger.in_flight == 50)
    assert server.ledger.in_flight == 0
    assert "answered" not in await asyncio.gather(*held)


async def test_every_answer_a_client_holds_is_in_the_log_before_it(
    session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    async with serving(LoopbackSettings(log=str(log))) as server:
        for seed in range(8):
            assert await fate(session, server, plain(seed=seed)) == "answered"
            assert Counter(line["state"] for line in lines(log)) == {"received": seed + 1, "finished": seed + 1}
        finished = [line for line in lines(log) if line["state"] == "finished"]
        assert sum(line["cost_usd"] for line in finished) == pytest.approx(server.ledger.billed_usd)
        assert len({line["digest"] for line in finished}) == 8


def test_requests_are_counted_and_written_as_they_come_and_as_they_end(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = RequestLog(str(path))
    first, second = log.receive("half", "aa"), log.receive("never", "bb")
    assert (log.requests, log.in_flight) == (2, 2)
    log.finish(first, RequestEnd(200, "cut", Usage(10, 5, cost_usd=0.25), gone=True))
    log.finish(second, RequestEnd(429, "429"))
    assert (log.in_flight, log.max_in_flight, log.billed_usd) == (0, 2, 0.25)
    assert (log.faults, log.statuses, log.models) == ({"cut": 1, "429": 1}, {200: 1, 429: 1}, {"half": 1, "never": 1})
    assert log.receive("half", "aa").attempt == log.digests["aa"] == 2
    log.close()
    again = RequestLog(str(path))  # it is appended to
    again.receive("half", "aa")
    again.close()
    received, _, finished, *_ = written = lines(path)
    assert len(written) == 6
    head = {"number": 1, "received": first.received, "model": "half", "digest": "aa"}
    assert received == {"state": "received", **head}
    assert finished.pop("finished") >= finished["received"]
    bill = {"cost_usd": 0.25, "prompt_tokens": 10, "completion_tokens": 5}
    assert finished == {"state": "finished", **head, "status": 200, "fault": "cut", **bill, "gone": True}
    with pytest.raises(UsageError, match=r"--log .*choose a file"):
        RequestLog(str(tmp_path / "missing" / "log.jsonl"))


async def test_a_client_that_sends_again_gets_through_every_drawn_fault(session: aiohttp.ClientSession) -> None:
    async with serving(LoopbackSettings(faults="0.6", hang_s=0.05)) as server:

        async def persistent(seed: int) -> bool:
            return "answered" in [await fate(session, server, plain(seed=seed)) for _ in range(3)]

        assert all(await asyncio.gather(*(persistent(seed) for seed in range(100))))
        assert len(server.ledger.faults) == 17


async def test_a_port_in_use_is_bad_usage() -> None:
    async with serving(LoopbackSettings()) as server:
        port = int(server.base_url.split(":")[2].split("/")[0])
        with pytest.raises(UsageError, match=rf"cannot listen on 127.0.0.1:{port}"):
            async with serving(LoopbackSettings(port=port)):
                pass
