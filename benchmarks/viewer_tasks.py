"""What a reader wants to know, in clicks and seconds: twelve questions on the published part, from its board on.

Each begins at the board in a browser that has kept nothing, and ends when the answer is on the page. Clicks and typed
texts are exact; seconds are wall times of a script that waits for nothing but the page.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks import published
from benchmarks.figure import Figure, Result, Skipped
from benchmarks.viewer import browser_path, missing_browser
from benchmarks.viewer_memory import serving

ROUNDS = 3
_SCENARIO = "rs04"
_PATIENCE_MS = 30_000


class Reader:
    """One who clicks and types."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.clicks = 0
        self.typed = 0

    async def click(self, what: Any) -> None:
        """The first of what is meant."""
        self.clicks += 1
        await what.first.click()

    async def link(self, name: str) -> None:
        """A link by its name."""
        await self.click(self.page.get_by_role("link", name=name, exact=True))

    async def type(self, text: str) -> None:
        """Into what has the focus, and Enter."""
        self.typed += 1
        await self.page.keyboard.type(text)
        await self.page.keyboard.press("Enter")

    async def sees(self, selector: str) -> None:
        """Until something is shown."""
        await self.page.locator(selector).first.wait_for()


class Question(NamedTuple):
    """What is asked, how it is answered, and the most clicks that it may take."""

    text: str
    answer: Callable[[Reader], Awaitable[None]]
    most_clicks: int


async def _scenario(reader: Reader) -> None:
    await reader.link("Scenarios")
    await reader.click(reader.page.locator(f"main a[href*='#/s/{_SCENARIO}']"))
    await reader.sees("section[aria-labelledby='strip'] tbody tr")


async def _words(reader: Reader) -> None:
    await _scenario(reader)
    await reader.click(reader.page.locator("section[aria-labelledby='strip'] tbody th a"))
    await reader.sees("[data-answer]")


async def _passage(reader: Reader) -> None:
    await reader.click(reader.page.get_by_role("figure", name="gave way").get_by_role("link"))
    await reader.sees("[data-answer] mark")


async def _phrase(reader: Reader) -> None:
    await reader.page.keyboard.press("Control+k")
    await reader.sees("dialog[open] input")
    await reader.type("fair point")
    await reader.click(reader.page.locator("main ol li a"))
    await reader.sees("[data-answer] mark")


async def _link(reader: Reader) -> None:
    await _passage(reader)
    address = reader.page.url
    await reader.page.goto("about:blank")
    await reader.page.goto(address)
    await reader.sees("[data-answer] mark")


async def _hosts(reader: Reader) -> None:
    await reader.link("Report")
    await reader.click(reader.page.get_by_role("link", name="Same model", exact=False))
    await reader.sees("#table-providers")


async def _costs(reader: Reader) -> None:
    await reader.link("Report")
    await reader.link("Costs")
    await reader.sees("svg[aria-label*='cost' i], figure svg")


async def _differ(reader: Reader) -> None:
    await reader.link("Compare")
    await reader.page.get_by_text("Scenarios by difference").first.wait_for()


async def _names(reader: Reader) -> None:
    await reader.link("Names")
    await reader.sees("main svg")


async def _rate(reader: Reader) -> None:
    await reader.link("Rate")
    await reader.click(reader.page.get_by_label("Your name"))
    await reader.type("ada")
    await reader.sees("fieldset")


async def _spread(reader: Reader) -> None:
    await reader.link("Heatmap")
    await reader.click(reader.page.locator("[role=grid] tbody td"))
    await reader.sees("[role=dialog], dialog[open]")


async def _table(reader: Reader) -> None:
    async with reader.page.expect_download():
        await reader.click(reader.page.get_by_role("button", name="CSV"))


QUESTIONS = (
    Question("which subject folds most on a scenario", _scenario, 2),
    Question("what did it say", _words, 3),
    Question("on which words does a verdict rest", _passage, 1),
    Question("where does a phrase stand", _phrase, 1),
    Question("a link to a passage, opened anew", _link, 1),
    Question("do hosts of one model differ", _hosts, 2),
    Question("what does a run cost", _costs, 2),
    Question("where do two subjects differ most", _differ, 1),
    Question("which names do subjects take", _names, 1),
    Question("rate the first dialogue", _rate, 2),
    Question("how do runs of one cell differ", _spread, 2),
    Question("the board as a table", _table, 1),
)


def measure() -> list[Result]:
    """Skipped where the browser or the data is not there."""
    folder = published.found()
    missing = folder if isinstance(folder, str) else missing_browser()
    if missing:
        return [Skipped("questions of readers", missing)]
    assert isinstance(folder, Path)
    with TemporaryDirectory() as scratch:
        store = Path(scratch) / "store.db"
        published.make(folder, store)
        with serving(store) as (address, _):
            return asyncio.run(_asked(address))


async def _asked(address: str) -> list[Result]:
    from playwright.async_api import async_playwright

    found: list[Result] = []
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        for question in QUESTIONS:
            took, clicks, typed = [], 0, 0
            for _ in range(ROUNDS):
                context = await browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
                context.set_default_timeout(_PATIENCE_MS)
                page = await context.new_page()
                await page.goto(address)
                await page.locator("tbody tr").first.wait_for()
                reader, began = Reader(page), time.perf_counter()
                await question.answer(reader)
                took.append(time.perf_counter() - began)
                clicks, typed = reader.clicks, reader.typed
                await context.close()
            detail = f"{median(took):.2f} s, {typed} typed"
            found.append(Figure(question.text, clicks, "clicks", question.most_clicks, detail=detail))
        await browser.close()
    return found
