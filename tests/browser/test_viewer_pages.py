"""Every page of the viewer, for readers of every kind: axe, widths, themes, large text, no motion, no other host."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Browser, Page

from tests.stores import Stores

from .serving import Serve
from .viewing import ROUTES, Viewer, fits, overhanging, quiet, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
RULES = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
Look = tuple[int, Literal["light", "dark"]]
LOOKS: tuple[Look, ...] = ((390, "light"), (390, "dark"), (1280, "light"), (1280, "dark"))
SOME: tuple[Look, ...] = ((390, "dark"), (1280, "light"))  # each width and each theme once
OTHERS = {
    "sides": (
        "/", "/m/SUBJECT", "/m/SUBJECT/r/1/SCENARIO", "/heat", "/s", "/s/SCENARIO", "/cell/UNIT", "/cmp", "/prompts",
    ),
    "reasons": ("/", "/m/SUBJECT", "/m/SUBJECT/r/1/LAST", "/s", "/cell/UNIT?m=SUBJECT", "/profile"),
    "persona": ("/m/SUBJECT", "/heat", "/s"),
    "toy": ("/?cols=ci+rank_ci+cost&zoom=top&ref=SUBJECT", "/m/SUBJECT", "/m/SUBJECT/r/1/SCENARIO?raw=1", "/judges"),
    "published": ("/", "/m/SUBJECT", "/m/SUBJECT/r/1/pt04?think=1", "/s/direct"),
}  # fmt: skip
MOVING = (
    "[...document.querySelectorAll('*')].filter(one => { const style = getComputedStyle(one);"
    " return parseFloat(style.animationDuration) > 0 || parseFloat(style.transitionDuration) > 0 }).length"
)


@pytest.fixture(scope="module")
def there(request: pytest.FixtureRequest, store: Path, stores: Stores) -> tuple[Path, tuple[str, ...]]:
    """A store by its name, and which of its pages are looked at."""
    return (stores(request.param), OTHERS[request.param]) if request.param in OTHERS else (store, ROUTES)


async def faults(page: Page) -> list[str]:
    if not await page.evaluate("() => 'axe' in window"):  # half a megabyte, and a page stays from route to route
        await page.evaluate(AXE_SCRIPT)
    found = await page.evaluate("rules => axe.run(document, rules).then(told => told.violations)", RULES)
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]


async def amiss(page: Page, looks: tuple[Look, ...]) -> dict[str, list[str]]:
    """What is wrong with a page: for axe, at some width, or with text twice as large."""
    found = {}
    for width, theme in looks:
        await page.set_viewport_size({"width": width, "height": 844})
        await page.emulate_media(color_scheme=theme)
        found[f"{width}, {theme}"] = await faults(page)
    for width in (1280, 768, 390):
        await page.set_viewport_size({"width": width, "height": 844})
        found[f"{width}"] = [] if await fits(page) else await overhanging(page)
    await page.set_viewport_size({"width": 780, "height": 844})
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    found["large"] = [] if await fits(page) else await overhanging(page)
    await page.evaluate("document.documentElement.style.fontSize = ''")
    return {how: told for how, told in found.items() if told}


async def test_axe_finds_what_is_planted(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser, 390) as (page, _, _):
        for path in ROUTES[:2]:  # on the first page, and on one that the script was not sent to
            await settled(page, viewer.route(path))
            await page.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
            assert [told for told in await faults(page) if told.startswith("button-name: <button>")]


@pytest.mark.parametrize(
    ("there", "looks"),
    [
        ("toy", SOME),
        *(pytest.param(name, LOOKS, marks=pytest.mark.deep) for name in ("simulated", *OTHERS)),
    ],
    indirect=["there"],
)  # fmt: skip
async def test_every_page_is_for_every_reader_and_asks_its_own_host_alone(
    browser: Browser, serve: Serve, there: tuple[Path, tuple[str, ...]], looks: tuple[Look, ...]
) -> None:
    """Nothing is wrong for axe, too wide or moving, and each page has one heading and a title of its own."""
    viewer = await serve(there[0])
    titles, found, missing, drawn = {}, {}, [], 0
    async with seen(browser, 390, reduced_motion="reduce") as (page, said, asked):
        page.on("response", lambda response: missing.append(response.url) if response.status >= 400 else None)
        await settled(page, viewer.route("/report"))
        sections = await page.get_by_role("navigation", name="Sections").get_by_role("link").all()
        parts = [viewer.address + (await link.get_attribute("href") or "") for link in sections]
        for address in [*(viewer.route(path) for path in there[1]), *parts]:
            await settled(page, address)
            if told := await amiss(page, looks if address not in parts else ()):
                found[address.partition("#")[2]] = told
            assert await page.evaluate(MOVING) == 0, address
            assert (await page.locator("h1").count(), await page.get_by_role("alert").count()) == (1, 0), address
            drawn += await page.locator("figure svg[role=img]").count() if address in parts else 0
            titles[address.partition("?")[0]] = await page.title()
        assert {urlsplit(url).netloc for url in asked if "://" in url} == {urlsplit(viewer.address).netloc}
        assert (said, missing) == ([], [])
    assert found == {}
    pages = {address: title for address, title in titles.items() if not address.endswith("#/report")}
    assert len(set(pages.values())) == len(pages)
    assert drawn > 0 or len(parts) == (1 if there[0].parent.name == "store-persona" else 2)


async def test_the_chosen_theme_stays(browser: Browser, viewer: Viewer) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route("/"))
        light = await page.evaluate(paper)
        await page.get_by_label("Theme").select_option("dark")
        assert await page.evaluate(paper) != light
        await page.reload()
        await quiet(page)
        assert await page.evaluate(paper) != light
        await page.get_by_label("Theme").select_option("system")
        assert await page.evaluate(paper) == light
