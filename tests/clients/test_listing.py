"""What an endpoint says about itself, and what a run asks of it before it begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import aiohttp
import pytest

from independence.clients.catalogue import Catalogue, ModelInfo
from independence.clients.failures import Failure
from independence.clients.limits import FREE, Prices
from independence.clients.listing import EndpointListing, KeyInfo, ServerProperties, check, read_pages
from independence.config.endpoints import Endpoint
from independence.errors import KeyRejected, UsageError

from .conftest import KEY, MODEL, QUICK, Scripted, Step, failing

PRICE = {"prompt": "0.000001", "completion": "0.000004"}
LISTED = Step(
    body={
        "data": [
            {"id": MODEL, "canonical_slug": "maker/one-2026", "pricing": PRICE, "supported_parameters": ["tools"]},
            {"id": "maker/mute", "supported_parameters": ["temperature"]},
            {"pricing": {}},
        ]
    }
)
NO_LISTING = [failing(404), Step(body={"models": []}), Step(body=[]), Step(body=b"<html>")]


class Check(Protocol):
    async def __call__(self, dialect: str = "openrouter", /, needs: dict[str, bool] = ..., **changes: Any) -> Catalogue:
        """Check an endpoint for models, with whether each must take tools."""


@pytest.fixture
def listing(endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession) -> Callable[..., EndpointListing]:
    return lambda dialect="openrouter": EndpointListing(endpoint(dialect), session)


@pytest.fixture
def checked(server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession) -> Check:
    server.serves("/key", Step(body={"data": {"limit_remaining": None}}))
    server.serves("/models", LISTED)

    async def asked(dialect: str = "openrouter", /, needs: dict[str, bool] | None = None, **changes: Any) -> Catalogue:
        wanted = {MODEL: True} if needs is None else needs
        return (await check(endpoint(dialect, **changes), wanted, session, QUICK)).listed

    return asked


async def test_a_good_key_tells_what_is_left_of_it(server: Scripted, listing: Callable[..., EndpointListing]) -> None:
    for page, known in (
        ({"data": {"limit_remaining": 3.5, "is_free_tier": False}}, KeyInfo(3.5)),
        ({"data": {"limit_remaining": None, "is_free_tier": True}}, KeyInfo(None, True)),
        ({"data": {"limit_remaining": "much"}}, KeyInfo()),
        ({}, KeyInfo()),
    ):
        server.serves("/key", Step(body=page))
        assert await listing().read_key() == known
    server.serves("/key", failing(401, f"no such key {KEY}"))
    said = await listing().read_key()
    assert isinstance(said, Failure)
    assert (said.scope, said.lasting, KEY in said.detail) == ("key", True, False)


async def test_the_catalogue_holds_every_entry_with_an_id_and_trouble_is_a_failure_after_one_attempt(
    server: Scripted, listing: Callable[..., EndpointListing]
) -> None:
    server.serves("/models", LISTED)
    listed = await listing().read_catalogue()
    assert isinstance(listed, Catalogue)
    assert {name: info.prices for name, info in listed.models.items()} == {
        MODEL: Prices(1e-6, 4e-6),
        "maker/mute": None,
    }
    for page in NO_LISTING:
        server.serves("/models", page)
        assert await listing().read_catalogue() == Catalogue(known=False)
    for status in (503, 403):
        server.seen.clear()
        server.serves("/models", failing(status))
        said = await listing().read_catalogue()
        assert isinstance(said, Failure)
        assert (said.kind, [(seen.method, seen.path) for seen in server.seen]) == (str(status), [("GET", "/v1/models")])


async def test_only_a_router_is_asked_for_names_it_does_not_list(
    server: Scripted, listing: Callable[..., EndpointListing]
) -> None:
    known = Catalogue({MODEL: ModelInfo(MODEL)})
    assert await listing("local").find(known, "other") == known
    assert await listing().find(known, MODEL) == known
    assert await listing().find(Catalogue(known=False), MODEL) == Catalogue(known=False)
    assert server.seen == []
    nothing = await listing().find(Catalogue(), "maker/nothing")
    assert isinstance(nothing, Failure)
    assert nothing.status == 404


async def test_a_server_of_ones_own_shows_its_template_and_its_context(
    server: Scripted, listing: Callable[..., EndpointListing]
) -> None:
    assert await listing("local").read_properties() == ServerProperties()
    page = {"chat_template": "{{ messages }}", "default_generation_settings": {"n_ctx": 4096}, "total_slots": 3}
    server.serves("/props", Step(body=page))
    found = await listing("local").read_properties()
    assert (found.context, len(found.template), found.slots) == (4096, 16, 3)
    server.serves("/props", Step(body=page | {"chat_template": "{{ other }}"}))
    assert (await listing("local").read_properties()).template != found.template
    assert await listing().read_properties() == ServerProperties()


# What a server's pages say of the weights of model `m`, and the name that follows.
TELLING: list[tuple[dict[str, Any], str]] = [
    ({"/props": {"model_path": "/models/SmolLM2-135M-Instruct.Q8_0.gguf"}}, "SmolLM2-135M-Instruct.Q8_0"),
    ({"/props": {"model_path": "C:\\models\\big-00001-of-00003.gguf"}}, "big"),
    ({"/props": {"model_path": "/blobs/sha256-" + "0123456789abcdef" * 4}}, "sha256-0123456789ab"),
    ({"/props": {"model_path": "/models/odd name+@\u202e.GGUF"}}, "odd-name"),
    ({"/props": {"model_path": "/models/M.gguf"}}, ""),  # the id says it
    ({"/props": {"model_path": ""}}, ""),
    ({"root": "Qwen/Qwen3-8B-AWQ"}, "Qwen3-8B-AWQ"),
    ({"root": "/mnt/model/"}, "model"),
    ({"root": "m"}, ""),
    ({"root": 7}, ""),
    (
        {"/api/tags": {"models": [{"name": "m", "digest": "ab" * 32, "details": {"quantization_level": "Q4_K_M"}}]}},
        "Q4_K_M-abababababab",
    ),
    ({"/api/v0/models": {"data": [{"id": "m", "publisher": "maker", "quantization": "4bit"}]}}, "maker-4bit"),
    ({"/api/v0/models": {"error": "Unexpected endpoint or method."}}, ""),  # LM Studio says so with a 200
]


async def test_weights_have_the_name_by_which_a_server_tells_them(
    server: Scripted, endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession
) -> None:
    named = {}
    for told, name in TELLING:
        for path in ("/props", "/api/tags", "/api/v0/models"):
            server.serves(path)
        server.serves("/models", Step(body={"data": [{"id": "m"} | {k: v for k, v in told.items() if k[0] != "/"}]}))
        for path, page in told.items():
            server.serves(path, Step(body=page))
        pages = await read_pages(endpoint("local"), session)
        named[str(told)] = (pages.listed.models["m"].weights, name)
    assert {told: found for told, (found, name) in named.items() if found != name} == {}


async def test_a_good_key_and_known_models_give_the_catalogue_for_nothing(server: Scripted, checked: Check) -> None:
    catalogue = await checked(needs={MODEL: True, "maker/mute": False})
    info = catalogue.info(MODEL)
    assert info is not None
    assert (info.canonical_slug, info.prices, len(catalogue.models)) == ("maker/one-2026", Prices(1e-6, 4e-6), 2)
    assert [(s.method, s.path) for s in server.seen] == [("GET", "/v1/key"), ("GET", "/v1/models")]


async def test_an_alias_is_resolved_by_the_router(server: Scripted, checked: Check) -> None:
    server.serves("/model/maker/old-name", Step(body={"data": {"id": MODEL, "pricing": PRICE}}))
    info = (await checked(needs={"maker/old-name": True})).info("maker/old-name")
    assert info is not None
    assert info.id == MODEL


async def test_a_rejected_key_stops_before_anything_else_and_one_that_is_not_needed_does_not(
    server: Scripted, checked: Check
) -> None:
    server.serves("/key", Step(404, {"error": "?"}))  # of a proxy
    assert (await checked()).known
    server.seen.clear()
    server.serves("/key", failing(401, f"no such key {KEY}"))
    with pytest.raises(KeyRejected) as caught:
        await checked()
    assert KEY not in str(caught.value)
    assert len(server.seen) == 1
    assert (await checked(api_key="")).known


async def test_what_is_wrong_with_models_is_named_at_once_with_what_helps(checked: Check) -> None:
    for needs, says in (
        ({"maker/model-on": False}, r"openrouter.* has no model `maker/model-on`; did you mean `maker/model-one`\?"),
        ({"mute": False}, r"did you mean `maker/mute`\?"),
        ({"maker/mute": True}, r"maker/mute.*--delivery user_role"),
        ({"maker/mute": True, "other": False}, r"maker/mute.*; .*other"),
    ):
        with pytest.raises(UsageError, match=says):
            await checked(needs=needs)


@pytest.mark.parametrize(("dialect", "advice"), [("local", "start the server"), ("openrouter", "check the address")])
async def test_a_server_that_is_not_there_is_named_with_its_address_without_credentials(
    checked: Check, dialect: str, advice: str
) -> None:
    with pytest.raises(UsageError, match=rf"http://127\.0\.0\.1:9/v1 .*{advice}") as caught:
        await checked(dialect, base_url="http://user:secret@127.0.0.1:9/v1", api_key="")
    assert "secret" not in str(caught.value)


async def test_a_server_in_trouble_is_asked_a_few_times(server: Scripted, checked: Check) -> None:
    server.serves("/models", failing(503), failing(502), LISTED)
    assert (await checked()).known
    server.seen.clear()
    server.serves("/models", failing(502))
    with pytest.raises(UsageError, match="502"):
        await checked()
    assert [seen.path for seen in server.seen].count("/v1/models") == 3


async def test_a_local_server_lists_ids_only_and_all_are_free_or_is_taken_at_its_word(
    server: Scripted, checked: Check
) -> None:
    server.serves("/models", Step(body={"object": "list", "data": [{"id": "qwen3:latest", "object": "model"}]}))
    info = (await checked("local", needs={"qwen3": True})).info("qwen3")
    assert info is not None
    assert info.prices == FREE
    assert [s.path for s in server.seen] == ["/v1/models", "/props", "/api/tags", "/api/v0/models"]
    with pytest.raises(UsageError, match="local has no model `llama`; it has local/qwen3:latest"):
        await checked("local", needs={"llama": True})
    for page in NO_LISTING:
        server.serves("/models", page)
        catalogue = await checked("local", needs={"anything": True})
        assert (catalogue.known, catalogue.info("anything")) == (False, None)
