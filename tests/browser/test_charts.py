"""Charts in the page: they tell what is pointed at, open it, and follow the theme and the width of their reader."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.async_api import Browser, Locator, Page

from .viewing import Viewer, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
SVG = "{http://www.w3.org/2000/svg}"


async def chart(page: Page, viewer: Viewer, section: str, title: str) -> Locator:
    """A chart of the report."""
    await settled(page, viewer.route(f"/report/{section}"))
    figure = page.locator("figure").filter(has=page.get_by_text(title, exact=True))
    await figure.scroll_into_view_if_needed()
    return figure


async def centre(mark: Locator) -> tuple[float, float]:
    box = await mark.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def test_pointing_tells_the_numbers_and_a_click_opens_the_subject(browser: Browser, viewer: Viewer) -> None:
    assert viewer.index.board
    best, *_ = sorted(viewer.index.board.rows, key=lambda row: -(row.main.value or 0))
    async with seen(browser) as (page, said, _):
        figure = await chart(page, viewer, "board", "The board")
        at = await centre(figure.locator('[data-row="0"] circle').first)
        await page.mouse.move(*at)
        tip = figure.get_by_role("status").filter(has_text=best.label)
        assert f"Index {best.main.value:.1f}" in await tip.inner_text()
        await page.mouse.click(*at)
        slug = next(one.slug for one in viewer.index.subjects if one.config == best.config)
        await page.wait_for_url(f"**/#/m/{slug}**")
        assert said == []


async def test_keys_walk_from_mark_to_mark(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, said, _):
        figure = await chart(page, viewer, "scenarios", "Subjects by scenario")
        area = figure.get_by_role("group")
        await area.focus()
        await page.keyboard.press("ArrowRight")
        await figure.get_by_role("status").filter(has_text="direct").wait_for()
        await page.keyboard.press("Escape")
        assert (await figure.get_by_role("status").all_inner_texts()) == [""]
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/#/s/direct**")
        assert said == []


async def test_dragging_over_rows_sets_their_subjects_aside(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        figure = await chart(page, viewer, "board", "The board")
        first, second = [await centre(figure.locator(f'[data-row="{row}"] circle').first) for row in (0, 1)]
        await page.mouse.move(first[0], first[1] - 6)
        await page.mouse.down()
        await page.mouse.move(second[0], second[1] + 6, steps=4)
        await page.mouse.up()
        await figure.get_by_text("2 subjects are set aside to compare.").wait_for()
        assert await page.evaluate("JSON.parse(sessionStorage.getItem('independence.compare')).length") == 2


async def test_a_file_has_the_colours_of_the_page_and_a_sheet_those_of_paper(browser: Browser, viewer: Viewer) -> None:
    for scheme, paper in (("light", "#fff"), ("dark", "#171614")):
        async with seen(browser, 390, color_scheme=scheme) as (page, said, _):
            figure = await chart(page, viewer, "scenarios", "Subjects by scenario")
            box = await figure.bounding_box()
            assert box
            assert box["x"] + box["width"] <= 390
            async with page.expect_download() as downloading:
                await figure.get_by_role("button", name="SVG").click()
            text = Path(await (await downloading.value).path()).read_text("utf-8")  # noqa: ASYNC240
            drawn = ElementTree.fromstring(text)
            assert (drawn.tag, drawn.findtext(f"{SVG}title")) == (f"{SVG}svg", "Subjects by scenario")
            assert next(drawn.iter(f"{SVG}rect")).get("fill") == paper
            assert "var(" not in text
            await page.emulate_media(media="print")
            ground = "getComputedStyle(document.documentElement).getPropertyValue('--plot-paper')"
            assert await page.evaluate(ground) == "#fff"
            assert said == []
