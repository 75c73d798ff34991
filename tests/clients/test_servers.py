"""Several servers of one endpoint: who gets the next call, and what becomes of one that cannot be reached."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import aiohttp
import pytest

from independence.clients.protocol import Adapted, ServerLost, Wait
from independence.clients.servers import Servers
from independence.clients.transport import open_session
from independence.config.endpoints import Endpoint
from tests.virtual_time import in_virtual_time

NAMED = "http://one:1/v1"
THREE = Endpoint("farm", NAMED, "local", others=("http://two:1/v1", "http://three:1/v1?key=hidden"), slots=(3, 1, 2))
UNREACHED = aiohttp.ClientConnectorError(
    aiohttp.client_reqrep.ConnectionKey("one", 1, False, True, None, None, None), ConnectionRefusedError()
)


def told(work: Callable[[Servers, list[object]], Any], endpoint: Endpoint = THREE) -> Any:
    """What work with the servers of an endpoint comes to, in virtual time."""

    async def timed(_: Callable[[], float]) -> Any:
        heard: list[object] = []

        def hear(what: Wait | Adapted | ServerLost) -> None:
            heard.append(what)

        async with open_session() as session:
            return await work(Servers(endpoint, session, hear), heard)

    return in_virtual_time(timed)


def asked(servers: Servers, count: int) -> list[int]:
    """How many of so many calls at once each server gets, the most first."""
    with ExitStack() as calls:
        return sorted(Counter(id(calls.enter_context(servers.least_busy())) for _ in range(count)).values())[::-1]


def fail(servers: Servers) -> None:
    with pytest.raises(aiohttp.ClientConnectorError), servers.least_busy():
        raise UNREACHED


def test_each_server_gets_calls_as_it_has_slots_and_equal_shares_where_that_is_unknown() -> None:
    async def work(servers: Servers, _: list[object]) -> list[int]:
        return asked(servers, 12)

    assert told(work) == [6, 4, 2]
    assert told(work, Endpoint("farm", NAMED, "local", others=THREE.others)) == [4, 4, 4]


def test_one_that_cannot_be_reached_is_told_once_and_is_tried_again_later() -> None:
    async def work(servers: Servers, heard: list[object]) -> None:
        fail(servers)
        assert (servers.any_left, asked(servers, 6)) == (True, [4, 2])
        assert [str(one) for one in heard] == [
            "farm: the server at http://one:1/v1 cannot be reached (connection refused); the others get its calls"
        ]
        await asyncio.sleep(14)
        assert asked(servers, 6) == [4, 2]
        await asyncio.sleep(2)
        fail(servers)  # the same one: it is left out for longer, and nothing more is said
        for passed, shares in ((16, [4, 2]), (15, [3, 2, 1])):
            await asyncio.sleep(passed)
            assert (len(heard), asked(servers, 6)) == (1, shares)

    told(work)


def test_where_none_can_be_reached_the_one_that_is_back_first_is_tried_and_nothing_is_said_of_the_last() -> None:
    async def work(servers: Servers, heard: list[object]) -> None:
        for left in (True, True, False):
            fail(servers)
            assert servers.any_left is left
            await asyncio.sleep(1)
        assert (len(heard), asked(servers, 5)) == (2, [5])
        assert "hidden" not in str(heard)

    told(work)


def test_the_only_server_is_never_left_out() -> None:
    async def work(servers: Servers, heard: list[object]) -> None:
        fail(servers)
        assert (servers.any_left, heard, asked(servers, 3)) == (False, [], [3])

    told(work, Endpoint("lab", NAMED, "local"))
