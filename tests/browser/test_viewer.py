"""The viewer's pages in a browser, over the store of a few simulated subjects."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, Route

from independence.viewer import app
from independence.viewer.app import ViewerSettings
from independence.viewer.store_pages import StorePages

from .conftest import SUBJECTS

pytestmark = pytest.mark.asyncio(loop_scope="session")
WIDTHS = (390, 768, 1280)
ROUTES = (
    "/", "/m/SUBJECT", "/m/SUBJECT/r/1/pt04", "/heat", "/s", "/s/pt04", "/cmp", "/report", "/report/scenarios",
    "/judges", "/names", "/prompts", "/search?q=the", "/live", "/rate", "/data", "/about", "/nowhere",
)  # fmt: skip


class Viewer(NamedTuple):
    """Where the viewer is served, and one of its subjects."""

    address: str
    subject: str

    def route(self, path: str) -> str:
        return f"{self.address}#{path.replace('SUBJECT', self.subject)}"


class Seen(NamedTuple):
    """A page, what its console said, and whom it asked."""

    page: Page
    said: list[str]
    asked: list[str]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def viewer(store: Path) -> AsyncIterator[Viewer]:
    with StorePages(store) as pages:
        async with app.serving(pages, ViewerSettings()) as address:
            entry = await pages.entry("boards.json")
            listed = json.loads(entry.document.plain)["boards"][0]
            index = await pages.entry(f"{listed['id']}/index.{listed['judges'][0]['slug']}.json")
            yield Viewer(address, json.loads(index.document.plain)["subjects"][0]["slug"])


@asynccontextmanager
async def seen(browser: Browser, width: int = 1280, **options: Any) -> AsyncIterator[Seen]:
    context: BrowserContext = await browser.new_context(viewport={"width": width, "height": 900}, **options)
    page = await context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    yield Seen(page, said, asked)
    await context.close()


async def settled(page: Page, address: str) -> None:
    """Go to an address and wait until nothing is on its way any more."""
    await page.goto("about:blank")
    await page.goto(address)
    await page.locator("h1").wait_for()
    for _ in range(100):
        if not await page.locator("main [role=status]", has_text="…").count():
            return
        await page.wait_for_timeout(50)
    raise AssertionError(f"{address} is still waiting")


@pytest.mark.parametrize("width", WIDTHS)
async def test_every_page_fits_has_one_heading_a_title_of_its_own_and_asks_nobody_else(
    browser: Browser, viewer: Viewer, width: int
) -> None:
    titles = set()
    async with seen(browser, width) as (page, said, asked):
        for path in ROUTES:
            await settled(page, viewer.route(path))
            assert await page.locator("h1").count() == 1, path
            sizes = await page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            assert sizes[0] <= sizes[1], path
            titles.add(await page.title())
        assert len(titles) == len(ROUTES)
        assert said == []
        assert [url for url in asked if not url.startswith((viewer.address, "about:", "data:"))] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
async def test_axe_finds_nothing(browser: Browser, viewer: Viewer, width: int, theme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.async_playwright", reason="axe-playwright-python is not installed")
    found = {}
    async with seen(browser, width, color_scheme=theme) as (page, _, _):
        for path in ROUTES:
            await settled(page, viewer.route(path))
            results = await axe.Axe().run(page)
            told = [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in results.response["violations"]]
            if told:
                found[path] = told
    assert found == {}


async def test_text_of_a_model_is_text_and_never_runs(browser: Browser, viewer: Viewer) -> None:
    payloads = (
        "<img src=x onerror=window.ran=1>", "<script>window.ran=1</script>", "<svg onload=window.ran=1>",
        "[link](javascript:window.ran=1)", "![image](x onerror=window.ran=1)",
        "<iframe srcdoc='<script>parent.ran=1</script>'>",
        "<style>*{display:none}</style>", "</arg_value>", "<channel|>", "<form action=javascript:window.ran=1><button>",
        "`<b>`", "&lt;img src=x onerror=window.ran=1&gt;", "<a href='javascript:window.ran=1'>x</a>",
        "<math><mtext></form>",
        "{{constructor.constructor('window.ran=1')()}}", "<details open ontoggle=window.ran=1>", "\u202e<b>turned</b>",
        "<object data=javascript:window.ran=1>", "<base href=//evil.example/>", "<meta http-equiv=refresh content=0>",
    )  # fmt: skip

    async def planted(route: Route) -> None:
        answer = await route.fetch()
        held = await answer.json()
        for dialogue in held["dialogues"]:
            for turn in dialogue["turns"]:
                turn["text"] = turn["reasoning"] = "\n\n".join(payloads)
            for verdict in dialogue["verdicts"]:
                verdict["reasoning"] = "\n\n".join(payloads)
        await route.fulfill(response=answer, json=held)

    async with seen(browser) as (page, said, _):
        await page.route("**/text/**", planted)
        for path in ("/m/SUBJECT/r/1/pt04?think=1", "/m/SUBJECT/r/1/pt04?raw=1", "/s/pt04", "/cmp?s=pt04"):
            await settled(page, viewer.route(path))
            await page.locator("main", has_text="onerror=window.ran=1").first.wait_for()
            assert await page.evaluate("window.ran") is None
            held = "main :is(img, script, iframe, style, form, object, base, meta, math)"
            assert await page.locator(held).count() == 0
            shown = await page.locator("main").text_content() or ""
            assert [one for one in payloads if one.strip("`") not in shown] == []
        assert said == []


async def test_the_address_tells_a_whole_page_and_back_returns_to_it(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route("/"))
        await page.get_by_label("Filter subjects by name").fill("half")
        rows = await page.locator("tbody tr").all_inner_texts()
        assert len(rows) == 1
        address = page.url
        await page.locator("tbody a").first.click()
        await page.get_by_role("heading", name="Every dialogue").wait_for()
        assert await page.evaluate("document.activeElement.tagName") == "H1"
        await page.go_back()
        await page.get_by_label("Filter subjects by name").wait_for()
        assert await page.locator("tbody tr").all_inner_texts() == rows
    async with seen(browser) as (page, _, _):
        await settled(page, address)
        assert await page.locator("tbody tr").all_inner_texts() == rows


async def test_a_late_document_never_lands_on_another_page(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):

        async def late(route: Route) -> None:
            await page.wait_for_timeout(1500)
            await route.continue_()

        await page.route("**/text/direct*/**", late)
        await page.goto(viewer.route("/m/SUBJECT/r/1/direct"))
        await page.locator("h1").wait_for()
        await page.get_by_label("Scenario").select_option("pt04")
        await page.locator("[data-answer]").first.wait_for()
        before = await page.locator("main").inner_text()
        await page.wait_for_timeout(2000)
        assert await page.locator("main").inner_text() == before
        assert "/pt04" in page.url


async def test_what_cannot_be_fetched_is_said_and_can_be_tried_again(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        await page.route("**/text/**", lambda route: route.abort())
        await page.goto(viewer.route("/m/SUBJECT/r/1/direct"))
        await page.get_by_role("alert").wait_for()
        await page.unroute("**/text/**")
        await page.get_by_role("button", name="Try again").click()
        await page.locator("[data-answer]").first.wait_for()


async def test_the_keyboard_alone_leads_through_the_dialogues(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route("/m/SUBJECT/r/1/pt04"))
        for key, part in (
            ("]", "/r/2/pt04"),
            ("[", "/r/1/pt04"),
            ("}", "/r/1/pt05"),
            ("{", "/r/1/pt04"),
            ("r", "raw=1"),
        ):
            await page.keyboard.press(key)
            await page.wait_for_url(f"**{part}*")
        await page.keyboard.press("?")
        listed = await page.get_by_role("dialog").inner_text()
        assert "previous, next run" in listed
        await page.get_by_label("Single keys are on").uncheck()
        await page.keyboard.press("Escape")
        await page.keyboard.press("]")
        await page.wait_for_timeout(100)
        assert "/r/1/" in page.url


async def test_nothing_moves_where_the_reader_wants_no_motion_and_text_may_be_twice_as_large(
    browser: Browser, viewer: Viewer
) -> None:
    moving = (
        "[...document.querySelectorAll('*')].filter(e => { const s = getComputedStyle(e);"
        " return parseFloat(s.animationDuration) > 0 || parseFloat(s.transitionDuration) > 0 }).length"
    )
    async with seen(browser, 780, reduced_motion="reduce") as (page, _, _):
        for path in ROUTES:
            await settled(page, viewer.route(path))
            assert await page.evaluate(moving) == 0, path
            await page.evaluate("document.documentElement.style.fontSize = '200%'")
            sizes = await page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            assert sizes[0] <= sizes[1], path


async def test_a_person_rates_blind_by_keyboard_and_sends_the_ratings(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route("/rate"))
        await page.get_by_label("A name of your choice").fill("ada")
        await page.get_by_label("How many").select_option("10")
        await page.keyboard.press("Tab")
        await page.get_by_role("button", name="Begin").press("Enter")
        for done in range(2):
            await page.get_by_text(f"{done} of 10 rated by ada").wait_for()
            await page.get_by_label("Dialogue").locator(".prose-text").first.wait_for()
            assert "sim/" not in await page.locator("main").inner_text()
            await page.locator("h1").focus()
            for _ in range(await page.locator("fieldset").count()):
                await page.keyboard.press("1")
            await page.keyboard.press("Enter")
        await page.get_by_text("2 of 10 rated by ada").wait_for()
        await page.reload()
        await page.get_by_text("2 of 10 rated by ada").wait_for()
        await page.get_by_role("button", name="Send to the store").click()
        await page.get_by_text("verdicts stored").wait_for()


async def test_a_run_in_another_process_is_seen_and_no_row_moves_under_the_reader(
    browser: Browser, store: Path, tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(path)) as copy:
        source.backup(copy)
    names = "[...document.querySelectorAll('tbody th[scope=row]')].map(e => e.innerText)"
    more = ("run", "--db", str(path), "-m", SUBJECTS, "--runs", "5", "-j", "cues", "--quiet")
    with StorePages(path) as pages:
        async with app.serving(pages, ViewerSettings()) as address, seen(browser) as (live, said, _):
            await settled(live, f"{address}#/live")
            before = await live.evaluate(names)
            board = await live.context.new_page()
            await settled(board, f"{address}#/")
            rows = await board.locator("tbody tr").all_inner_texts()
            run = await asyncio.create_subprocess_exec(sys.executable, "-m", "independence", *more)
            assert await run.wait() == 0
            with closing(sqlite3.connect(path)) as connection:
                (answers,) = connection.execute("SELECT count(*) FROM calls").fetchone()
            await live.get_by_text(f"{answers:,} answers").wait_for()
            assert await live.evaluate(names) == before
            await board.get_by_role("button", name="Show").wait_for()
            assert await board.locator("tbody tr").all_inner_texts() == rows
            await board.get_by_role("button", name="Show").click()
            await board.get_by_role("button", name="Show").wait_for(state="detached")
            assert said == []
