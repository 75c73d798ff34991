"""The site of the documentation in a browser, opened as files: pages fit, the search finds, nothing is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser

from tests.test_site import site  # noqa: F401  a fixture

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_every_page_fits_a_phone(browser: Browser, site: Path) -> None:  # noqa: F811
    page = await browser.new_page(viewport={"width": 390, "height": 800})
    for path in sorted((site / "site").glob("*.html")):
        if path.name != "404.html":  # its links begin at the root of a web server
            await page.goto(path.as_uri())
            wide = await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
            assert not wide, path.name
    await page.close()


@pytest.mark.parametrize(("width", "scheme", "shown"), [(390, "dark", "slate"), (1280, "light", "default")])
async def test_the_search_works_without_a_network(
    browser: Browser,
    site: Path,  # noqa: F811
    width: int,
    scheme: Literal["dark", "light"],
    shown: str,
) -> None:
    context = await browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = await context.new_page()
    elsewhere, failed = list[str](), list[str]()
    page.on("request", lambda one: elsewhere.append(one.url) if not one.url.startswith(("file:", "data:")) else None)
    page.on("pageerror", lambda error: failed.append(str(error)))
    await page.goto((site / "site" / "index.html").as_uri())
    assert await page.evaluate("document.body.dataset.mdColorScheme") == shown
    await page.keyboard.press("/")
    await page.keyboard.type("satterthwaite")
    found = page.locator(".md-search-result__link").first
    await found.wait_for()
    assert "scoring.html" in (await found.get_attribute("href") or "")
    assert (elsewhere, failed) == ([], [])
    await context.close()
