from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from independence.clients.catalogue import Catalogue, ModelInfo
from independence.clients.failures import Failure
from independence.clients.limits import FREE, Prices
from independence.clients.listing import EndpointListing, KeyInfo, check
from independence.clients.protocol import Policy
from independence.config.endpoints import Endpoint
from independence.errors import KeyRejected, UsageError

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
    assert isinstance(said, Failure)
    assert (said.scope, said.lasting) == ("key", True)
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
    assert isinstance(said, Failure)
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
    assert isinstance(nothing, Failure)
    assert nothing.status == 404


async def test_only_a_router_is_asked_for_names_it_does_not_list(
    server: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    known = Catalogue({MODEL: ModelInfo(MODEL)})
    assert await EndpointListing(endpoint("local"), session).find(known, "other") == known
    assert await EndpointListing(endpoint(), session).find(known, MODEL) == known
    assert await EndpointListing(endpoint(), session).find(Catalogue(known=False), MODEL) == Catalogue(known=False)
    assert server.seen == []


QUICK = Policy(base_backoff_s=0.002)
CHECK_LISTING = Step(
    body={
        "data": [
            {
                "id": MODEL,
                "canonical_slug": "maker/one-2026",
                "pricing": PRICE,
                "supported_parameters": ["tools"],
            },
            {"id": "maker/mute", "pricing": PRICE, "supported_parameters": ["temperature"]},
            {"pricing": {}},
        ]
    }
)


@pytest.fixture
def router(server: Scripted) -> Scripted:
    server.serves("/key", Step(body={"data": {"limit_remaining": None}}))
    server.serves("/models", CHECK_LISTING)
    return server


async def checked(endpoint: Endpoint, session: aiohttp.ClientSession, **needed: bool) -> Catalogue:
    models = {name.replace("__", "/").replace("_", "-"): tools for name, tools in needed.items()}
    return await check(endpoint, models, session, QUICK)


async def test_a_good_key_and_known_models_give_the_catalogue(
    router: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    catalogue = await checked(endpoint(), session, maker__model_one=True, maker__mute=False)
    info = catalogue.info(MODEL)
    assert info is not None
    assert (info.canonical_slug, info.prices) == ("maker/one-2026", Prices(1e-6, 4e-6))
    assert len(catalogue.models) == 2


async def test_nothing_that_costs_money_is_sent(
    router: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    await checked(endpoint(), session, maker__model_one=True)
    assert [(s.method, s.path) for s in router.seen] == [("GET", "/v1/key"), ("GET", "/v1/models")]


async def test_a_rejected_key_stops_before_anything_else(
    router: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    router.serves("/key", failing(401, f"no such key {KEY}"))
    with pytest.raises(KeyRejected) as caught:
        await checked(endpoint(), session, maker__model_one=True)
    assert KEY not in str(caught.value)
    assert len(router.seen) == 1


async def test_an_unknown_model_is_named_with_the_one_that_was_meant(
    router: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    with pytest.raises(UsageError, match=r"has no model `maker/model-on`; did you mean `maker/model-one`\?"):
        await checked(endpoint(), session, maker__model_on=False)
    with pytest.raises(UsageError, match=r"did you mean `maker/mute`\?"):
        await checked(endpoint(), session, mute=False)


async def test_an_alias_is_resolved_by_the_router(
    router: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    router.serves("/model/maker/old-name", Step(body={"data": {"id": MODEL, "pricing": PRICE}}))
    catalogue = await checked(endpoint(), session, maker__old_name=True)
    info = catalogue.info("maker/old-name")
    assert info is not None
    assert info.id == MODEL


async def test_a_model_without_tools_names_the_mode_that_needs_none(
    router: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    with pytest.raises(UsageError, match=r"maker/mute.*--delivery user_role"):
        await checked(endpoint(), session, maker__mute=True)


async def test_every_problem_is_named_at_once(
    router: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    with pytest.raises(UsageError, match=r"maker/mute.*; .*other"):
        await checked(endpoint(), session, maker__mute=True, other=False)


@pytest.mark.parametrize(("dialect", "advice"), [("local", "--local-url"), ("openrouter", "check the address")])
async def test_a_server_that_is_not_there_is_named_with_its_address(
    endpoint: MakeEndpoint, session: aiohttp.ClientSession, dialect: str, advice: str
) -> None:
    with pytest.raises(UsageError, match=rf"http://127\.0\.0\.1:9/v1 .*{advice}"):
        await checked(endpoint(dialect, base_url="http://user:secret@127.0.0.1:9/v1", api_key=""), session, m=False)


async def test_credentials_in_an_address_are_not_repeated(
    endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    with pytest.raises(UsageError) as caught:
        await checked(endpoint("local", base_url="http://user:secret@127.0.0.1:9/v1", api_key=""), session, m=False)
    assert "secret" not in str(caught.value)


async def test_a_server_in_trouble_is_asked_a_few_times(
    router: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    router.serves("/models", failing(503), failing(502), CHECK_LISTING)
    assert (await checked(endpoint(), session, maker__model_one=True)).known
    router.serves("/models", failing(502))
    with pytest.raises(UsageError, match="502"):
        await checked(endpoint(), session, maker__model_one=True)


async def test_a_local_server_lists_ids_only_and_all_are_free(
    server: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    server.serves("/models", Step(body={"object": "list", "data": [{"id": "qwen3:latest", "object": "model"}]}))
    catalogue = await checked(endpoint("local"), session, qwen3=True)
    info = catalogue.info("qwen3")
    assert info is not None
    assert info.prices == FREE
    assert [s.path for s in server.seen] == ["/v1/models"]
    with pytest.raises(UsageError, match="local has no model `llama`; it has local/qwen3:latest"):
        await checked(endpoint("local"), session, llama=True)


@pytest.mark.parametrize("page", [failing(404), Step(body={"models": []}), Step(body=[]), Step(body=b"<html>")])
async def test_a_server_without_a_listing_is_taken_at_its_word(
    server: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession, page: Step
) -> None:
    server.serves("/models", page)
    catalogue = await checked(endpoint("local"), session, anything=True)
    assert not catalogue.known
    assert catalogue.info("anything") is None


async def test_a_proxy_without_a_key_page_is_no_problem(
    router: Scripted, endpoint: MakeEndpoint, session: aiohttp.ClientSession
) -> None:
    router.serves("/key", Step(404, {"error": "?"}))
    kept: Any = await checked(endpoint(), session, maker__model_one=True)
    assert kept.known
