"""A report as one file: opened from a disk without a network it has every page of its menu, and prints."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from .test_viewer_pages import faults
from .viewing import Seen, fits, quiet, seen

pytestmark = pytest.mark.asyncio(loop_scope="session")


@asynccontextmanager
async def opened(browser: Browser, path: Path, width: int = 1280, **options: object) -> AsyncIterator[Seen]:
    async with seen(browser, width, offline=True, **options) as shown:
        await shown.page.goto(path.as_uri())
        yield shown


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.deep)])
async def test_every_page_of_the_menu_is_there_without_a_network(browser: Browser, report: Path, width: int) -> None:
    async with opened(browser, report, width) as (page, said, asked):
        await quiet(page)
        assert page.url.endswith("#/report")
        links = page.locator("header nav a, footer a[href^='#']")
        addresses = {str(await link.get_attribute("href")) for link in await links.all()}
        assert {"#/heat", "#/s", "#/judges", "#/report"} <= {address.split("?")[0] for address in addresses}
        assert not {"#/live", "#/rate"} & {address.split("?")[0] for address in addresses}
        for address in sorted(addresses):
            await page.evaluate("where => { location.hash = where }", address)
            await quiet(page)
            await expect(page.locator("h1")).not_to_have_text(["No such page", "The board is not here"])
            assert await fits(page), address
            assert await faults(page) == [], address
        assert said == []
        assert asked == [report.as_uri()]
        refused = await page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'asked', () => 'refused')")
        assert refused == "refused"


async def test_a_passage_leads_to_its_dialogue_and_another_dialogue_is_said_not_to_be_there(
    browser: Browser, report: Path
) -> None:
    async with opened(browser, report) as (page, said, _):
        await quiet(page)
        passages = page.locator("blockquote")
        assert await passages.count() == 2
        words = await passages.first.inner_text()
        await page.get_by_role("link", name="Read the dialogue").first.click()
        await quiet(page)
        await expect(page.locator("main")).to_contain_text(words)
        own = page.url
        await page.evaluate("location.hash = location.hash.replace(/[/]r[/]([0-9]+)/, (_, n) => '/r/' + (n % 3 + 1))")
        await expect(page.get_by_role("alert")).to_contain_text("--with-dialogues")
        assert page.url != own
        assert said == []


async def test_the_report_reads_from_top_to_bottom_and_prints(browser: Browser, report: Path) -> None:
    async with opened(browser, report) as (page, _, _):
        await quiet(page)
        titles = await page.locator("main h2").all_inner_texts()
        assert titles[:4] == ["In short", "In their words", "The board", "Runs and intervals"]
        await page.emulate_media(media="print")
        assert not await page.locator("header nav").is_visible()
        assert len(await page.pdf()) > 10_000


async def test_a_reader_without_javascript_has_the_finding_and_the_board(browser: Browser, report: Path) -> None:
    async with opened(browser, report, java_script_enabled=False) as (page, _, _):
        main = page.locator("main")
        await expect(main).to_contain_text("has the highest index of")
        assert await main.locator("table").first.locator("tbody tr").count() == 5
