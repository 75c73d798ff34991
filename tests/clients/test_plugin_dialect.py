"""A dialect that another package declares: it is found by its name, and calls go out as it says."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import aiohttp
import pytest

from independence.clients import dialects
from independence.clients.catalogue import Catalogue, ModelInfo
from independence.clients.limits import FREE
from independence.clients.listing import check
from independence.config.endpoints import Endpoint
from independence.errors import UsageError
from tests import plugin

from .conftest import FINE, KEY, Connect, Scripted, Step, answered

TOY = """
from independence.clients.catalogue import ModelInfo
from independence.clients.dialects import Dialect


class Toy(Dialect):
    chat_path = "/talk"
    free = True

    def headers(self, endpoint):
        return super().headers(endpoint) | {"X-Toy-Key": endpoint.api_key}

    def parameters(self, request, info):
        out = super().parameters(request, info)
        out["max_completion_tokens"] = out.pop("max_tokens")
        out["random_seed"] = request.seed
        return out

    def models(self, document):
        return [ModelInfo(name) for name in document["toys"]]


DIALECT, NO_DIALECT = Toy(), 7
"""
DECLARED = """
toy = toy_package:DIALECT
number = toy_package:NO_DIALECT
gone = toy_package:NOTHING
away = another_package:DIALECT
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(plugin.install(tmp_path, "toy_package", TOY, dialects=DECLARED))
    yield
    sys.modules.pop("toy_package", None)
    dialects.of.cache_clear()


@pytest.mark.usefixtures("installed")
async def test_a_call_goes_out_as_the_dialect_of_another_package_says(server: Scripted, connect: Connect) -> None:
    server.says(Step(body=FINE))
    reply = await answered(connect("toy", info=None))
    assert reply.text == "I am myself."
    (seen,) = server.seen
    assert seen.path == "/v1/talk"
    assert seen.headers["X-Toy-Key"] == KEY
    assert (seen.body["max_completion_tokens"], seen.body["random_seed"]) == (64, 7)
    assert "max_tokens" not in seen.body


@pytest.mark.usefixtures("installed")
async def test_its_models_are_read_as_it_says(
    server: Scripted, session: aiohttp.ClientSession, endpoint: Callable[..., Endpoint]
) -> None:
    server.serves("/models", Step(body={"toys": ["duck"]}))
    there = endpoint("toy")
    assert await check(there, {"duck": True}, session) == Catalogue({"duck": ModelInfo("duck")})
    with pytest.raises(UsageError, match="toy has no model `goose`; it has toy/duck"):
        await check(there, {"goose": True}, session)
    assert dialects.of("toy").prices(None) == FREE


@pytest.mark.usefixtures("installed")
def test_a_package_that_keeps_no_promise_is_named() -> None:
    for name, says in {
        "number": "dialect `number`: toy_package:NO_DIALECT is no Dialect",
        "gone": "dialect `gone`: toy_package:NOTHING cannot be loaded",
        "away": "dialect `away`: another_package:DIALECT cannot be loaded",
    }.items():
        with pytest.raises(UsageError, match=says):
            dialects.of(name)
