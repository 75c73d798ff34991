"""The viewer needs its own host alone, wherever it lies, and says what it could not get."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, Route

from .serving import Site
from .viewing import ROUTES, Viewer, drawn, held, quiet, seen, settled, steady_text

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def cut_off(page: Page, viewer: Viewer) -> list[str]:
    """Let every other host be unreachable; returns what is asked of them."""
    own, asked = urlsplit(viewer.address).netloc, []

    async def other(route: Route) -> None:
        asked.append(route.request.url)
        await route.abort()

    await page.route(lambda url: urlsplit(url).scheme.startswith("http") and urlsplit(url).netloc != own, other)
    return asked


async def test_the_exported_site_shows_what_the_served_one_shows_with_all_other_hosts_cut_off(
    browser: Browser, viewer: Viewer, site: Site
) -> None:
    missing = []
    async with seen(browser) as (page, said, asked):
        others = await cut_off(page, site.viewer)
        page.on("response", lambda response: missing.append(response.url) if response.status >= 400 else None)
        texts = {}
        for path in ROUTES:
            await settled(page, site.viewer.route(path))
            assert await page.get_by_role("alert").count() == 0, path
            texts[path] = await steady_text(page)
        assert (others, missing, said) == ([], [], [])
        assert all(url.startswith(site.viewer.address) for url in asked if "://" in url)
    async with seen(browser) as (page, _, _):
        for path in ("/", "/m/SUBJECT", "/m/SUBJECT/r/1/SCENARIO", "/s/SCENARIO", "/heat", "/judges", "/prompts"):
            await settled(page, viewer.route(path))
            assert await steady_text(page) == texts[path], path


async def test_a_late_document_never_lands_on_another_page(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        late = await held(page, "**/text/direct*/**")
        await page.goto(viewer.route("/m/SUBJECT/r/1/direct"))
        await page.get_by_label("Scenario", exact=True).select_option("pt04")
        await drawn(page)
        await page.locator("[data-answer]").first.wait_for()
        before = await page.locator("main").inner_text()
        async with page.expect_response("**/text/direct*/**") as response:
            late.set()
        await (await response.value).finished()
        await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert await page.locator("main").inner_text() == before
        assert "/pt04" in page.url
        assert "pt04" in await page.title() or await page.get_by_label("Scenario", exact=True).input_value() == "pt04"


async def test_a_text_that_cannot_be_fetched_is_said_and_can_be_tried_again(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        for path in ("/m/SUBJECT/r/1/direct", "/s/direct", "/cmp?s=direct"):
            await page.route("**/text/**", lambda route: route.abort())
            await page.goto("about:blank")
            await page.goto(viewer.route(path))
            await page.get_by_role("alert").first.wait_for()
            assert "does not answer" in await page.get_by_role("alert").first.inner_text()
            await page.unroute("**/text/**")
            while await page.get_by_role("button", name="Try again").count():
                await page.get_by_role("button", name="Try again").first.click()
                await quiet(page)
            assert await page.get_by_role("alert").count() == 0, path
            assert len(await page.locator("main").inner_text()) > 400


async def test_a_document_that_is_not_there_is_said_on_its_page(browser: Browser, viewer: Viewer) -> None:
    pages = {"index": "/", "cells": "/heat", "report": "/report", "texts": "/prompts", "names": "/names"}
    async with seen(browser) as (page, _, _):
        for document, path in pages.items():
            await page.route(f"**/{document}.*json", lambda route: route.fulfill(status=404, body="no"))
            await page.goto("about:blank")
            await page.goto(viewer.route(path))
            alert = page.get_by_role("alert").filter(has_text="not part of this site")
            await alert.first.wait_for()
            await page.unroute(f"**/{document}.*json")
            await page.get_by_role("button", name="Try again").first.click()
            await alert.first.wait_for(state="detached")


async def test_a_document_that_was_cut_off_is_said(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        await page.route("**/text/**", lambda route: route.fulfill(status=200, body='{"schema":1,"dialogues":[{'))
        await page.goto(viewer.route("/m/SUBJECT/r/1/direct"))
        await page.get_by_role("alert").filter(has_text="cut off").wait_for()


UNKNOWN = (
    "/nowhere", "/live/x", "/m/nobody", "/m/nobody/r/1/SCENARIO", "/m/SUBJECT/r/99/SCENARIO", "/m/SUBJECT/r/x/SCENARIO",
    "/m/SUBJECT/r/1/nowhere", "/m/SUBJECT/r/1/%E0%A4", "/s/nowhere", "/s/%E0%A4", "/cell/nowhere", "/report/nowhere",
    "/?board=nowhere", "/heat?judge=nobody", "/report?scoring=none",
)  # fmt: skip


async def test_an_address_of_what_is_not_here_is_said_to_be_and_leads_to_what_is(
    browser: Browser, viewer: Viewer
) -> None:
    async with seen(browser) as (page, said, _):
        for path in UNKNOWN:
            await settled(page, viewer.route(path))
            heading = page.get_by_role("heading", name=re.compile("^No such|^Nothing to show"))
            await heading.wait_for()
            assert re.match("No such|Nothing to show", await page.title()), path
            await page.locator("main").get_by_role("link").click()
            await heading.wait_for(state="detached")
            await quiet(page)
            assert len(await page.locator("main").inner_text()) > 400, path
        assert said == []


SCRIPTS = {
    "About": "/about", "Cell": "/cell/UNIT", "Compare": "/cmp", "Data": "/data", "Heatmap": "/heat",
    "Items": "/items", "Judges": "/judges", "Live": "/live", "Names": "/names", "Prompts": "/prompts", "Rate": "/rate",
    "Report": "/report", "Scenario": "/s/SCENARIO", "Scenarios": "/s", "Search": "/search", "Subject": "/m/SUBJECT",
    "Trajectory": "/m/SUBJECT/r/1/SCENARIO",
}  # fmt: skip


@pytest.mark.deep
async def test_a_page_whose_script_cannot_be_fetched_is_said_and_can_be_tried_again(
    browser: Browser, viewer: Viewer
) -> None:
    async with seen(browser) as (page, _, _):
        for name, path in SCRIPTS.items():
            await page.goto("about:blank")
            await page.route(f"**/{name}Page.js", lambda route: route.abort())
            await page.goto(viewer.route(path))
            alert = page.get_by_role("alert")
            await alert.get_by_text(
                "The server does not answer, or has another version of this page by now."
            ).wait_for()
            assert "import" not in await alert.inner_text()
            await page.unroute(f"**/{name}Page.js")
            await alert.get_by_role("button", name="Try again").click()
            await alert.wait_for(state="detached")
            await quiet(page)
        await page.route("**/AboutPage.js", lambda route: route.abort())
        await settled(page, viewer.route("/"))
        await page.context.set_offline(True)
        await page.goto(viewer.route("/about"))
        await page.get_by_text("This device is offline.").wait_for()
        await page.get_by_role("button", name="Try again").click()  # leads nowhere, and away from nothing
        await page.get_by_role("link", name="Leaderboard").first.click()
        await page.locator("tbody tr").first.wait_for()
