"""What a page costs its reader. What single files weigh is in tests/web and tests/report/site."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from playwright.async_api import Browser

from .serving import Serve
from .viewing import quiet, seen

pytestmark = pytest.mark.asyncio(loop_scope="session")
ELEMENTS = 3900  # 79 rows with badges and bars
MOST_REQUESTS = {"/": 8, "/m/SUBJECT/r/1/pt04": 14, "/s/direct": 17}
KB = 1000


def entry_and_index(asked: list[str]) -> list[str]:
    """What the first text waits for: not the typeface, which is fetched after it."""
    return [url for url in asked if "/api/" not in url and not url.startswith("data:") and not url.endswith(".woff2")]


async def test_a_page_of_the_published_results_asks_for_little(
    browser: Browser, serve: Serve, published_store: Path
) -> None:
    viewer = await serve(published_store)
    for path, most in MOST_REQUESTS.items():
        async with seen(browser) as (page, _, asked):
            await page.goto(viewer.route(path))
            await quiet(page)
            first = entry_and_index(asked)
            assert len(first) == len(set(first))
            assert len(first) <= most, first
            assert await page.locator("*").count() <= ELEMENTS
            weighed = {url: len(gzip.compress(await (await page.request.get(url)).body(), 9)) for url in first}
            assert sum(weighed.values()) <= 350 * KB, weighed


async def test_a_feed_read_to_its_end_has_few_elements_at_any_moment(
    browser: Browser, serve: Serve, published_store: Path
) -> None:
    viewer = await serve(published_store)
    async with seen(browser) as (page, _, _):
        await page.goto(viewer.route("/s/pt04"))
        await quiet(page)
        for _ in range(12):
            await page.keyboard.press("End")
            await quiet(page)
            assert await page.locator("*").count() <= ELEMENTS
        last = viewer.index.subjects[-1]
        assert await page.get_by_role("region", name="Answers").get_by_role("article").count() > 0
        assert last.slug
