"""The page of the profile: reached from a board, sorted by its heads, readable for everybody."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.e2e import command
from tests.stores import Stores

from .serving import Serve
from .test_viewer_pages import SOME, amiss
from .viewing import quiet, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, stores: Stores) -> Path:
    """Known subjects of `reasons`, and three others of the part `pressure`."""
    own = stores.copy("reasons", tmp_path_factory.mktemp("profile"))
    asked = ("--suite", "profile", "--part", "pressure", "-n", "2", "-m", "sim/never,sim/half,sim/always", "-j", "cues")
    command.ok("run", *asked, "--quiet", "--db", own)
    return own


@pytest.fixture(scope="module")
def without(stores: Stores) -> Path:
    return stores("toy")


async def test_the_page_shows_what_the_command_prints_and_any_head_sorts_it(
    browser: Browser, serve: Serve, store: Path
) -> None:
    printed = json.loads(command.ok("leaderboard", "--profile", "--format", "json", "--db", store).out)
    viewer = await serve(store)
    async with seen(browser, 1440) as (page, said, _):
        await settled(page, viewer.route("/"))
        await page.get_by_role("link", name="Profile over suites").click()
        await quiet(page)
        await expect(page.get_by_role("heading", level=1)).to_have_text("Profile")
        lines = page.locator("tbody tr")
        assert await lines.count() == len(printed["rows"]["rows"])
        first = printed["rows"]["rows"][0]
        texts = await lines.first.locator("td").all_inner_texts()
        assert texts[:2] == [first["label"].partition("@")[0], f"{first['pressure_neutral']:.1f}"]
        await page.get_by_role("columnheader", name="J", exact=True).get_by_role("button").click()
        assert (await lines.first.locator("td").all_inner_texts())[0] == "sim/discerning"
        assert "Numbers of different suites are not summed or subtracted" in await page.locator("main").inner_text()
        if shots := os.environ.get("PROFILE_SHOTS"):
            await page.screenshot(path=f"{shots}/1440.png")
            await page.set_viewport_size({"width": 390, "height": 844})
            await page.screenshot(path=f"{shots}/390.png")
    assert said == []


async def test_the_page_is_for_every_reader(browser: Browser, serve: Serve, store: Path) -> None:
    viewer = await serve(store)
    async with seen(browser, 390) as (page, said, _):
        await settled(page, viewer.route("/profile"))
        assert await amiss(page, SOME) == {}
    assert said == []


async def test_a_store_without_any_part_has_neither_link_nor_page(
    browser: Browser, serve: Serve, without: Path
) -> None:
    viewer = await serve(without)
    async with seen(browser, 1280) as (page, _, _):
        await settled(page, viewer.route("/"))
        await expect(page.get_by_role("link", name="Profile over suites")).to_have_count(0)
        await settled(page, viewer.route("/profile"))
        await expect(page.get_by_role("heading", level=1)).not_to_have_text("Profile")
