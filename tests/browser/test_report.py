"""The report as one file: it asks nobody, fits every window and paper, sorts, folds, and says where the reader is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from independence.report import html
from independence.report.table import Column, Section, Table

from .viewing import Seen, seen

pytestmark = pytest.mark.asyncio(loop_scope="session")
DESKTOP, PHONE, PAPER = 1280, 390, 718  # a sheet of A4 between its margins, at 96 dots per inch
WIDTH = "document.documentElement.scrollWidth"
PAGE = "getComputedStyle(document.documentElement).backgroundColor"


@asynccontextmanager
async def opened(browser: Browser, path: Path, width: int = DESKTOP) -> AsyncIterator[Seen]:
    async with seen(browser, width) as shown:
        await shown.page.goto(path.as_uri())
        yield shown


async def in_sight(page: Page, table: str) -> list[str]:
    """The heads of a table's columns that stand wholly within its box as it opens."""
    heads: list[str] = await page.locator(f"#table-{table} .scroll").evaluate(
        "box => [...box.querySelectorAll('thead th')].filter(head => "
        "head.getBoundingClientRect().right <= box.getBoundingClientRect().right).map(head => head.textContent)"
    )
    return heads


async def test_the_page_asks_for_itself_alone_and_its_policy_keeps_it_from_asking_anybody(
    browser: Browser, report: Path
) -> None:
    async with opened(browser, report) as (page, said, asked):
        await page.locator("button.theme").click()
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        assert said == []
        assert asked == [report.as_uri()]
        refused = await page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'asked', () => 'refused')")
        assert refused == "refused"
        assert "Content Security Policy" in said[0]


async def test_the_theme_button_turns_the_page_dark_and_back(browser: Browser, report: Path) -> None:
    async with opened(browser, report) as (page, _, _):
        button = page.locator("button.theme")
        light = await page.evaluate(PAGE)
        await button.click()
        assert await page.evaluate(PAGE) != light
        assert await button.text_content() == "Light"
        await page.reload()
        assert await page.evaluate(PAGE) != light, "the choice is kept"
        await button.click()
        assert await page.evaluate(PAGE) == light


async def test_a_wide_page_fits_and_says_where_the_reader_is_and_what_is_folded_stands_open_in_print(
    browser: Browser, report: Path
) -> None:
    async with opened(browser, report) as (page, _, _):
        assert await page.evaluate(WIDTH) == DESKTOP
        assert {"Index", "Voice", "Consistency", "Drift↓", "Resistance", "Stability"} <= {
            *await in_sight(page, "board")
        }
        lines = await page.locator("#table-difficulty tbody .key").evaluate_all(
            "cells => cells.map(cell => { const range = document.createRange(); range.selectNodeContents(cell);"
            " return new Set([...range.getClientRects()].map(one => one.top)).size; })"
        )
        assert set(lines) == {1}  # no word of a scenario's name is broken
        for section in ("scenarios", "board"):
            await page.evaluate(f"document.getElementById('{section}').scrollIntoView()")
            await page.locator(f".contents a[href='#{section}'][aria-current]").wait_for()
            assert await page.locator(".contents a[aria-current]").count() == 1
        folded = page.locator("details:not([open])")
        before = await folded.count()
        assert before > 0
        await page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert await folded.count() == 0
        await page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert await folded.count() == before
        await page.set_viewport_size({"width": PAPER, "height": 1000})
        await page.emulate_media(media="print")
        assert await page.locator("#table-board table").evaluate("table => table.scrollWidth") <= PAPER


async def test_on_a_phone_everything_fits_and_a_table_fades_and_says_so_where_it_goes_on(
    browser: Browser, report: Path
) -> None:
    async with opened(browser, report, PHONE) as (page, _, _):
        assert await page.evaluate(WIDTH) == PHONE
        assert await in_sight(page, "board") == ["Tier", "#", "Subject", "Index", "95 % CI"]
        box = page.locator("#table-board .scroll")
        assert "right" in (await box.get_attribute("class") or "").split()
        hint = "getComputedStyle(document.getElementById('table-board'), '::before').content"
        assert "more to the right" in await page.evaluate(hint)
        await box.evaluate("box => { box.scrollLeft = box.scrollWidth }")
        await page.locator("#table-board .scroll:not(.right)").wait_for()


async def test_a_table_is_sorted_by_the_column_that_is_clicked(browser: Browser, report: Path) -> None:
    async with opened(browser, report) as (page, _, _):
        table = page.locator("#table-board")
        column = (await table.locator("thead th").all_text_contents()).index("Stability")
        cells = table.locator(f"tbody tr > :nth-child({column + 1})")
        before = [float(text) for text in await cells.all_text_contents()]
        assert before != sorted(before)
        head = table.locator("thead th").nth(column)
        for order, reverse in (("descending", True), ("ascending", False)):
            await head.locator("button").click()
            assert await head.get_attribute("aria-sort") == order
            assert [float(text) for text in await cells.all_text_contents()] == sorted(before, reverse=reverse)


async def test_names_are_sorted_as_people_count_and_what_is_absent_stays_last(browser: Browser, tmp_path: Path) -> None:
    columns = (Column("name", "Name"), Column("dollars", "Cost", "dollars", 2))
    rows = (("run 10", 1200.0), ("run 9", None), ("run 2", 3.5), ("run 1", 20.0))
    path = tmp_path / "page.html"
    path.write_text(html.page("T", [Section("s", "S", [Table("t", "T", columns, rows)])]), encoding="utf-8")
    async with opened(browser, path) as (page, _, _):
        names = page.locator("tbody th")
        await page.locator("thead button").first.click()
        assert await names.all_text_contents() == ["run 1", "run 2", "run 9", "run 10"]
        for expected in (["run 10", "run 1", "run 2", "run 9"], ["run 2", "run 1", "run 10", "run 9"]):
            await page.locator("thead button").nth(1).click()
            assert await names.all_text_contents() == expected
