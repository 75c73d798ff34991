"""The site of the documentation in a browser, opened as files: pages fit, the search finds, nothing is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser

from tests.test_site import site  # noqa: F401  a fixture

from .viewing import fits, seen

pytestmark = [pytest.mark.deep, pytest.mark.asyncio(loop_scope="session")]
LOOKS: tuple[tuple[int, Literal["dark", "light"], str], ...] = ((390, "dark", "slate"), (1280, "light", "default"))


async def test_every_page_fits_a_phone(browser: Browser, site: Path) -> None:  # noqa: F811
    async with seen(browser, 390) as (page, _, _):
        for path in sorted((site / "site").glob("*.html")):
            if path.name != "404.html":  # its links begin at the root of a web server
                await page.goto(path.as_uri())
                assert await fits(page), path.name


async def test_the_search_works_without_a_network(browser: Browser, site: Path) -> None:  # noqa: F811
    for width, scheme, shown in LOOKS:
        async with seen(browser, width, color_scheme=scheme) as (page, said, asked):
            await page.goto((site / "site" / "index.html").as_uri())
            assert await page.evaluate("document.body.dataset.mdColorScheme") == shown
            await page.keyboard.press("/")
            await page.keyboard.type("satterthwaite")
            found = page.locator(".md-search-result__link").first
            await found.wait_for()
            assert "scoring.html" in (await found.get_attribute("href") or "")
            assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
            assert said == []
