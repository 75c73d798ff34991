from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from independence.errors import UsageError
from independence.testing.loopback.catalogue import ServedCatalogue
from independence.testing.loopback.server import Loopback, serving
from independence.testing.loopback.settings import LoopbackSettings
from independence.testing.sim import panel
from independence.testing.sim.panel import ADVISERS

Body = Callable[..., dict[str, Any]]


async def models(session: aiohttp.ClientSession, server: Loopback) -> dict[str, dict[str, Any]]:
    async with session.get(f"{server.base_url}/models") as response:
        assert response.status == 200
        return {entry["id"]: entry for entry in (await response.json())["data"]}


async def test_every_subject_of_the_panel_the_yields_and_the_judge_are_listed(session: aiohttp.ClientSession) -> None:
    async with serving(LoopbackSettings()) as server:
        listed = await models(session, server)
    assert {*panel.PANEL, "judge", "yield-07", "yield-55", "half:free", "judge:prose", "judge:copying"} <= set(listed)
    assert {*ADVISERS, "tilted:free", "tilted:no-tools"} <= set(listed)
    assert "half:prose" not in listed


async def test_a_listing_has_the_fields_of_openrouters(session: aiohttp.ClientSession) -> None:
    async with serving(LoopbackSettings()) as server:
        half = (await models(session, server))["half"]
    assert half["canonical_slug"] == "half-20260101"
    assert half["context_length"] > 100_000
    assert half["pricing"]["prompt"] == "0.000001"
    assert half["pricing"]["completion"] == "0.000004"
    named = {"tools", "reasoning", "seed", "structured_outputs", "response_format"}
    assert named <= set(half["supported_parameters"])
    assert half["reasoning"]["mandatory"] is False
    assert "none" in half["reasoning"]["supported_efforts"]


async def test_variants_are_listed_with_what_sets_them_apart(session: aiohttp.ClientSession) -> None:
    async with serving(LoopbackSettings()) as server:
        listed = await models(session, server)
    assert listed["half:free"]["pricing"]["completion"] == "0"
    assert listed["half:unpriced"]["pricing"] == {}
    assert "tools" not in listed["half:no-tools"]["supported_parameters"]
    assert listed["judge"]["pricing"]["prompt"] == "0.0000005"
    assert listed["half:free"]["canonical_slug"] == listed["half"]["canonical_slug"]


async def test_prices_are_set_by_model_or_for_all(session: aiohttp.ClientSession) -> None:
    async with serving(LoopbackSettings(price="half=2/8,0.05/10")) as server:
        listed = await models(session, server)
    assert listed["half"]["pricing"]["prompt"] == listed["half:no-tools"]["pricing"]["prompt"] == "0.000002"
    assert listed["never"]["pricing"]["prompt"] == "0.00000005"
    assert listed["half:free"]["pricing"]["prompt"] == "0"


@pytest.mark.parametrize("model", ["nobody", "half:gold", "half:prose", "yield-101", "", "judge:free:gold"])
async def test_a_model_that_is_not_here_is_not_found(post: Any, plain: Body, model: str) -> None:
    async with serving(LoopbackSettings()) as server:
        answer = await post(server, plain(model))
    assert answer.status == 404
    assert answer.body["error"]["availability"]["code"] == "model_not_found"


@pytest.mark.parametrize("model", ["half", "yield-33", "half:free", "half:free:no-tools", "judge", "judge:copying"])
async def test_a_model_that_is_here_answers_under_its_own_id(post: Any, plain: Body, model: str) -> None:
    async with serving(LoopbackSettings()) as server:
        answer = await post(server, plain(model))
    assert (answer.status, answer.body["model"]) == (200, model)


def test_an_option_that_names_no_model_is_refused() -> None:
    with pytest.raises(UsageError, match="--price names 'haff'"):
        ServedCatalogue("haff=1/2")


async def test_a_name_that_carries_its_numbers_is_found_though_it_is_not_listed(session: aiohttp.ClientSession) -> None:
    async with serving(LoopbackSettings()) as server:
        assert "adviser-s40-n10" not in await models(session, server)
        async with session.get(f"{server.base_url}/model/adviser-s40-n10:free") as response:
            assert (await response.json())["data"]["pricing"]["prompt"] == "0"
        for unknown in ("adviser-x", "", "adviser-s400"):
            async with session.get(f"{server.base_url}/model/{unknown}") as response:
                assert response.status == 404
