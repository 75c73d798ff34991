"""Every page of the viewer, for readers of every kind: axe, widths, themes, large text, no motion."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Browser, Page

from tests.stores import Stores

from .serving import Serve
from .viewing import ROUTES, Viewer, fits, overhanging, quiet, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
RULES = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
OTHERS = {
    "sides": ("/", "/m/SUBJECT", "/m/SUBJECT/r/1/SCENARIO", "/heat", "/s", "/s/SCENARIO", "/cell/UNIT", "/cmp"),
    "toy": ("/?cols=ci+rank_ci+cost&zoom=top&ref=SUBJECT", "/m/SUBJECT", "/m/SUBJECT/r/1/SCENARIO?raw=1", "/judges"),
    "published": ("/", "/m/SUBJECT", "/m/SUBJECT/r/1/pt04?think=1", "/s/direct"),
}  # fmt: skip
MOVING = (
    "[...document.querySelectorAll('*')].filter(one => { const style = getComputedStyle(one);"
    " return parseFloat(style.animationDuration) > 0 || parseFloat(style.transitionDuration) > 0 }).length"
)


async def sections(viewer: Viewer, page: Page) -> list[str]:
    """Addresses of the sections of the report."""
    await settled(page, viewer.route("/report"))
    links = page.get_by_role("navigation", name="Sections").get_by_role("link")
    return [await link.get_attribute("href") or "" for link in await links.all()]


async def faults(page: Page) -> list[str]:
    if not await page.evaluate("() => 'axe' in window"):  # half a megabyte, and a page stays from route to route
        await page.evaluate(AXE_SCRIPT)
    found = await page.evaluate("rules => axe.run(document, rules).then(told => told.violations)", RULES)
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]


@pytest.fixture(scope="module")
def other(request: pytest.FixtureRequest, store: Path, stores: Stores) -> tuple[Path, tuple[str, ...]]:
    """A store by its name, and which of its pages are looked at."""
    return (stores(request.param), OTHERS[request.param]) if request.param in OTHERS else (store, ROUTES)


async def test_axe_finds_what_is_planted(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser, 390) as (page, _, _):
        for path in ROUTES[:2]:  # on the first page, and on one that the script was not sent to
            await settled(page, viewer.route(path))
            await page.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
            assert [told for told in await faults(page) if told.startswith("button-name: <button>")]


async def test_axe_finds_nothing_at_any_width_in_any_theme(browser: Browser, viewer: Viewer) -> None:
    found = {}
    async with seen(browser, 390) as (page, _, _):
        for path in ROUTES:
            await page.set_viewport_size({"width": 390, "height": 844})
            await settled(page, viewer.route(path))
            for width in (390, 1280):
                await page.set_viewport_size({"width": width, "height": 844})
                for theme in ("light", "dark"):
                    await page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
                    if told := await faults(page):
                        found[path, width, theme] = told
    assert found == {}


@pytest.mark.parametrize("other", OTHERS, indirect=True)
async def test_axe_finds_nothing_on_pages_of_other_suites(
    browser: Browser, serve: Serve, other: tuple[Path, tuple[str, ...]]
) -> None:
    viewer, routes = await serve(other[0]), other[1]
    found = {}
    for width, theme in ((390, "dark"), (1280, "light")):
        async with seen(browser, width, color_scheme=theme) as (page, said, _):
            for path in routes:
                await settled(page, viewer.route(path))
                if told := await faults(page):
                    found[path, width, theme] = told
            assert said == []
    assert found == {}


@pytest.mark.parametrize("other", ["simulated", *OTHERS], indirect=True)
async def test_every_page_fits_and_has_one_heading_and_a_title_of_its_own(
    browser: Browser, serve: Serve, other: tuple[Path, tuple[str, ...]]
) -> None:
    viewer, routes = await serve(other[0]), other[1]
    titles, wide = {}, {}
    async with seen(browser, 390) as (page, said, _):
        addresses = [viewer.route(path) for path in routes]
        addresses += [viewer.address + section for section in await sections(viewer, page)]
        for address in addresses:
            await settled(page, address)
            for width in (1280, 768, 390):
                await page.set_viewport_size({"width": width, "height": 844})
                if not await fits(page):
                    wide[address.partition("#")[2], width] = await overhanging(page)
            assert await page.locator("h1").count() == 1, address
            titles[address.partition("?")[0]] = await page.title()
        assert said == []
    assert wide == {}
    pages = {address: title for address, title in titles.items() if not address.endswith("#/report")}
    assert len(set(pages.values())) == len(pages)


async def test_nothing_moves_where_the_reader_wants_no_motion_and_text_may_be_twice_as_large(
    browser: Browser, viewer: Viewer
) -> None:
    wide = {}
    async with seen(browser, 780, reduced_motion="reduce") as (page, _, _):
        addresses = [viewer.route(path) for path in ROUTES]
        for address in [*addresses, *(viewer.address + one for one in await sections(viewer, page))]:
            await settled(page, address)
            assert await page.evaluate(MOVING) == 0, address
            await page.evaluate("document.documentElement.style.fontSize = '200%'")
            if not await fits(page):
                wide[address.partition("#")[2]] = await overhanging(page)
    assert wide == {}


async def test_the_chosen_theme_stays(browser: Browser, viewer: Viewer) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    async with seen(browser, color_scheme="light") as (page, _, _):
        await settled(page, viewer.route("/"))
        light = await page.evaluate(paper)
        await page.get_by_label("Theme").select_option("dark")
        assert await page.evaluate(paper) != light
        await page.reload()
        await quiet(page)
        assert await page.evaluate(paper) != light
        await page.get_by_label("Theme").select_option("system")
        assert await page.evaluate(paper) == light
