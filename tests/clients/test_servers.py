"""Several servers of one endpoint: who gets the next call, and what becomes of one that cannot be reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from typing import NamedTuple

import aiohttp
import pytest

from independence.clients.protocol import Adapted, ServerLost, Wait
from independence.clients.servers import Servers
from independence.clients.transport import open_session
from independence.config.endpoints import Endpoint
from tests.virtual_time import HandClock

NAMED = "http://one:1/v1"
THREE = Endpoint("farm", NAMED, "local", others=("http://two:1/v1", "http://three:1/v1?key=hidden"), slots=(3, 1, 2))
UNREACHED = aiohttp.ClientConnectorError(
    aiohttp.client_reqrep.ConnectionKey("one", 1, False, True, None, None, None), ConnectionRefusedError()
)


class Watched(NamedTuple):
    """The servers of an endpoint, what they said, and their clock."""

    servers: Servers
    heard: list[Wait | Adapted | ServerLost]
    clock: HandClock


Watch = Callable[[Endpoint], Watched]


@pytest.fixture
async def watched() -> AsyncIterator[Watch]:
    async with open_session() as session:

        def of(endpoint: Endpoint) -> Watched:
            heard: list[Wait | Adapted | ServerLost] = []
            clock = HandClock()
            return Watched(Servers(endpoint, session, heard.append, clock.monotonic), heard, clock)

        yield of


def asked(servers: Servers, count: int) -> list[int]:
    """How many of so many calls at once each server gets, the most first."""
    with ExitStack() as calls:
        return sorted(Counter(id(calls.enter_context(servers.least_busy())) for _ in range(count)).values())[::-1]


def fail(servers: Servers) -> None:
    with pytest.raises(aiohttp.ClientConnectorError), servers.least_busy():
        raise UNREACHED


async def test_each_server_gets_calls_as_it_has_slots_and_equal_shares_where_that_is_unknown(watched: Watch) -> None:
    assert asked(watched(THREE).servers, 12) == [6, 4, 2]
    assert asked(watched(Endpoint("farm", NAMED, "local", others=THREE.others)).servers, 12) == [4, 4, 4]


async def test_one_that_cannot_be_reached_is_told_once_and_is_tried_again_later(watched: Watch) -> None:
    servers, heard, clock = watched(THREE)
    fail(servers)
    assert (servers.any_left, asked(servers, 6)) == (True, [4, 2])
    assert [str(one) for one in heard] == [
        "farm: the server at http://one:1/v1 cannot be reached (connection refused); the others get its calls"
    ]
    clock.forward(14)
    assert asked(servers, 6) == [4, 2]
    clock.forward(2)
    fail(servers)  # the same one: it is left out for longer, and nothing more is said
    for passed, shares in ((16, [4, 2]), (15, [3, 2, 1])):
        clock.forward(passed)
        assert (len(heard), asked(servers, 6)) == (1, shares)


async def test_where_none_can_be_reached_the_first_that_is_back_is_tried_and_nothing_is_said_of_the_last(
    watched: Watch,
) -> None:
    servers, heard, clock = watched(THREE)
    for left in (True, True, False):
        fail(servers)
        assert servers.any_left is left
        clock.forward(1)
    assert (len(heard), asked(servers, 5)) == (2, [5])
    assert "hidden" not in str(heard)


async def test_the_only_server_is_never_left_out(watched: Watch) -> None:
    servers, heard, _ = watched(Endpoint("lab", NAMED, "local"))
    fail(servers)
    assert (servers.any_left, heard, asked(servers, 3)) == (False, [], [3])
