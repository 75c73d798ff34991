from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from independence.errors import UsageError
from independence.testing.loopback.server import Loopback, serving
from independence.testing.loopback.settings import LoopbackSettings

Body = Callable[..., dict[str, Any]]


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
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_both_prefixes_lead_to_the_same_endpoint(session: aiohttp.ClientSession, post: Any, plain: Body) -> None:
    async with serving(LoopbackSettings()) as server:
        other = Loopback(server.base_url.replace("/v1", "/api/v1"), server.ledger)
        answers = [await post(where, plain()) for where in (server, other)]
        listings = [await (await session.get(f"{where.base_url}/models")).read() for where in (server, other)]
    assert answers[0].body["choices"] == answers[1].body["choices"]
    assert listings[0] == listings[1]


async def test_what_is_not_served_is_not_found(session: aiohttp.ClientSession) -> None:
    async with serving(LoopbackSettings()) as server, session.get(f"{server.base_url}/nothing") as response:
        assert response.status == 404
        assert "/v1/chat/completions" in (await response.json())["error"]["message"]


async def test_another_key_is_refused_where_one_is_set(session: aiohttp.ClientSession, post: Any, plain: Body) -> None:
    async with serving(LoopbackSettings(key="right")) as server:
        statuses = [(await post(server, plain(), Authorization=f"Bearer {key}")).status for key in ("right", "wrong")]
        statuses.append((await post(server, plain())).status)
        async with session.get(f"{server.base_url}/key") as response:
            statuses.append(response.status)
    assert statuses == [200, 401, 401, 401]


async def test_the_key_shows_what_was_spent(session: aiohttp.ClientSession, post: Any, plain: Body) -> None:
    async with serving(LoopbackSettings()) as server:
        await post(server, plain())
        async with session.get(f"{server.base_url}/key") as response:
            data = (await response.json())["data"]
        assert data["usage"] == server.ledger.billed_usd > 0
    assert data["limit_remaining"] is None


async def test_a_body_that_is_no_request_is_a_400_and_counted(post: Any) -> None:
    async with serving(LoopbackSettings()) as server:
        answer = await post(server, {"model": "half"})
        assert server.ledger.requests == 1
    assert (answer.status, answer.body["error"]["metadata"]["error_type"]) == (400, "invalid_request")


async def test_an_answer_takes_its_latency_and_others_do_not_wait_for_it(
    session: aiohttp.ClientSession, plain: Body
) -> None:
    async with serving(LoopbackSettings(latency="0.3")) as server:
        start = time.monotonic()
        fates = await asyncio.gather(*(fate(session, server, plain(seed=seed)) for seed in range(100)))
        elapsed = time.monotonic() - start
        assert server.ledger.max_in_flight == 100
        assert server.ledger.in_flight == 0
    assert set(fates) == {"answered"}
    assert 0.3 <= elapsed < 30  # one after the other


@pytest.mark.parametrize(
    ("kind", "ends"),
    [
        ("reset", {"ServerDisconnectedError", "ClientOSError", "ClientConnectionResetError"}),
        ("cut", {"ClientPayloadError"}),
        ("malformed", {"JSONDecodeError"}),
    ],
)
async def test_a_response_can_be_lost_in_transport(
    session: aiohttp.ClientSession, plain: Body, kind: str, ends: set[str]
) -> None:
    async with serving(LoopbackSettings(faults=kind)) as server:
        fates = [await fate(session, server, plain(seed=seed)) for seed in range(3)]
        assert server.ledger.faults[kind] == 3
        assert server.ledger.billed_usd > 0
    assert set(fates) <= ends


async def test_a_timeout_holds_the_request_until_the_client_leaves(
    session: aiohttp.ClientSession, plain: Body, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    async with serving(LoopbackSettings(faults="timeout", hang_s=20, log=str(log))) as server:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(fate(session, server, plain()), 0.2)
        await until(lambda: server.ledger.in_flight == 0)
    finished = json.loads(log.read_text().splitlines()[-1])
    assert (finished["state"], finished["fault"], finished["gone"]) == ("finished", "timeout", True)


async def test_a_client_that_outwaits_a_timeout_gets_its_answer(session: aiohttp.ClientSession, plain: Body) -> None:
    async with serving(LoopbackSettings(faults="timeout", hang_s=0.2)) as server:
        start = time.monotonic()
        assert await fate(session, server, plain()) == "answered"
        assert time.monotonic() - start >= 0.2


async def test_closing_is_quick_while_requests_are_held(session: aiohttp.ClientSession, plain: Body) -> None:
    async with serving(LoopbackSettings(faults="timeout", latency="0.01", hang_s=60)) as server:
        held = [asyncio.create_task(fate(session, server, plain(seed=seed))) for seed in range(50)]
        await until(lambda: server.ledger.in_flight == 50)
        start = time.monotonic()
    assert time.monotonic() - start < 1
    assert server.ledger.in_flight == 0
    assert "answered" not in await asyncio.gather(*held)


async def test_every_answer_a_client_holds_is_in_the_log_before_it(
    session: aiohttp.ClientSession, plain: Body, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    async with serving(LoopbackSettings(log=str(log))) as server:
        for seed in range(20):
            assert await fate(session, server, plain(seed=seed)) == "answered"
            lines = [json.loads(line) for line in log.read_text().splitlines()]
            assert Counter(line["state"] for line in lines) == {"received": seed + 1, "finished": seed + 1}
        finished = [line for line in lines if line["state"] == "finished"]
        assert sum(line["cost_usd"] for line in finished) == pytest.approx(server.ledger.billed_usd)
        assert len({line["digest"] for line in finished}) == 20


async def test_a_client_that_sends_again_gets_through_every_drawn_fault(
    session: aiohttp.ClientSession, plain: Body
) -> None:
    async with serving(LoopbackSettings(faults="0.6", hang_s=0.05)) as server:

        async def persistent(seed: int) -> int:
            for attempt in range(1, 4):
                if await fate(session, server, plain(seed=seed)) == "answered":
                    return attempt
            return 0

        assert all(await asyncio.gather(*(persistent(seed) for seed in range(150))))
        assert len(server.ledger.faults) == 17


async def test_a_port_in_use_is_bad_usage() -> None:
    async with serving(LoopbackSettings()) as server:
        port = int(server.base_url.split(":")[2].split("/")[0])
        with pytest.raises(UsageError, match=rf"cannot listen on 127.0.0.1:{port}"):
            async with serving(LoopbackSettings(port=port)):
                pass
