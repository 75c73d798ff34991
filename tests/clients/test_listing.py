from __future__ import annotations

from collections.abc import Callable

import aiohttp
import pytest

from independence.clients.catalogue import Catalogue, ModelInfo
from independence.clients.failures import RequestFailure
from independence.clients.listing import EndpointListing, KeyInfo
from independence.clients.pricing import Prices
from independence.config.endpoints import Endpoint

from .conftest import KEY, MODEL, Scripted, Step, failing

MakeEndpoint = Callable[..., Endpoint]
PRICE = {"prompt": "0.000001", "completion": "0.000004"}
LISTING = Step(body={"data": [{"id": MODEL, "pricing": PRICE}, {"id": "maker/mute"}, {"name": "nobody"}]})


@pytest.mark.parametrize(
    ("page", "left", "free"),
    [
        ({"data": {"limit_remaining": 3.5, "is_free_tier": False}}, 3.5, False),
        ({"data": {"limit_remaining": None, "is_free_tier": True}}, None, True),
        ({"data": {"limit_remaining": "much"}}, None, False),
        ({}, None, False),
    ],
    ids=["limit", "free tier", "odd", "empty"],
)
async def test_a_good_key_tells_what_is_left_of_it(
    server: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession, page: object, left: float, free: bool
) -> None:
    server.serves("/key", Step(body=page))
    assert await EndpointListing(endpoint(), session).read_key() == KeyInfo(left, free)


async def test_a_refused_key_is_a_failure_that_does_not_repeat_it(
    server: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    server.serves("/key", failing(401, f"no such key {KEY}"))
    said = await EndpointListing(endpoint(), session).read_key()
    assert isinstance(said, RequestFailure)
    assert said.action == "key"
    assert KEY not in said.detail


async def test_the_catalogue_holds_every_entry_with_an_id(
    server: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    server.serves("/models", LISTING)
    listed = await EndpointListing(endpoint(), session).read_catalogue()
    assert isinstance(listed, Catalogue)
    assert {name: info.prices for name, info in listed.models.items()} == {
        MODEL: Prices(1e-6, 4e-6),
        "maker/mute": None,
    }
    assert [(seen.method, seen.path) for seen in server.seen] == [("GET", "/v1/models")]


@pytest.mark.parametrize("page", [failing(404), Step(body={"models": []}), Step(body=[]), Step(body=b"<html>")])
async def test_a_server_without_a_listing_has_an_unknown_catalogue(
    server: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession, page: Step
) -> None:
    server.serves("/models", page)
    assert await EndpointListing(endpoint(), session).read_catalogue() == Catalogue(known=False)


@pytest.mark.parametrize(("step", "kind"), [(failing(503), "503"), (failing(403), "403")])
async def test_trouble_is_a_failure_after_one_attempt(
    server: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession, step: Step, kind: str
) -> None:
    server.serves("/models", step)
    said = await EndpointListing(endpoint(), session).read_catalogue()
    assert isinstance(said, RequestFailure)
    assert said.kind == kind
    assert len(server.seen) == 1


async def test_a_name_that_is_not_listed_is_resolved_by_the_router(
    server: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    server.serves("/model/maker/old-name", Step(body={"data": {"id": MODEL, "pricing": PRICE}}))
    router = EndpointListing(endpoint(), session)
    listed = await router.find(Catalogue(), "maker/old-name")
    assert isinstance(listed, Catalogue)
    info = listed.info("maker/old-name")
    assert info is not None
    assert info.id == MODEL
    nothing = await router.find(Catalogue(), "maker/nothing")
    assert isinstance(nothing, RequestFailure)
    assert nothing.status == 404


async def test_only_a_router_is_asked_for_names_it_does_not_list(
    server: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    known = Catalogue({MODEL: ModelInfo(MODEL)})
    assert await EndpointListing(endpoint("local"), session).find(known, "other") == known
    assert await EndpointListing(endpoint(), session).find(known, MODEL) == known
    assert await EndpointListing(endpoint(), session).find(Catalogue(known=False), MODEL) == Catalogue(known=False)
    assert server.seen == []
