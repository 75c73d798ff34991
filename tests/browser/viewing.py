"""Pages of the viewer as a test opens and reads them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

from playwright.async_api import Browser, Page, Route, expect

from independence.report.pages.schema import BoardInfo, IndexDocument, SubjectProfile

PATIENCE = 60_000  # milliseconds, for a machine that does much else
ROUTES = (
    "/", "/m/SUBJECT", "/m/SUBJECT/r/1/SCENARIO", "/heat", "/s", "/s/SCENARIO", "/cmp", "/report", "/items", "/judges",
    "/names", "/prompts", "/search?q=the", "/live", "/rate", "/data", "/about", "/nowhere",
)  # fmt: skip
WAITING = re.compile("…$")  # how every sentence of `ui/Notice.tsx` about something on its way ends
WIDE = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"

# The typeface comes last: lines wrap anew then, and a link may move away from under a pointer that is about to press.
TYPEFACE = """async patience => {
    while (![...document.fonts].some(face => face.family.includes("Source Sans 3"))) {
        if (performance.now() > patience) throw new Error("the page never got its typeface");
        await new Promise(requestAnimationFrame);
    }
}"""

# The text of the page after ten frames without a change, at most some seconds.
STEADY = """async () => {
    let [text, same] = ["", 0];
    for (let frame = 0; frame < 300 && same < 10; frame++) {
        await new Promise(requestAnimationFrame);
        const now = document.querySelector("main").innerText;
        same = now === text ? same + 1 : 0;
        text = now;
    }
    return text;
}"""


class Viewer(NamedTuple):
    """Where the viewer is, and the first board that it shows."""

    address: str
    index: IndexDocument
    board: BoardInfo

    def route(self, path: str) -> str:
        """The address of a page; SUBJECT, OTHER, SCENARIO, LAST and UNIT stand for what the board has."""
        subjects, scenarios = self.index.subjects, self.index.scenarios
        names = {
            "SUBJECT": subjects[0].slug, "OTHER": subjects[-1].slug, "SCENARIO": quote(scenarios[0].id, safe=""),
            "LAST": quote(scenarios[-1].id, safe=""), "UNIT": scenarios[0].unit,
        }  # fmt: skip
        for name, own in names.items():
            path = path.replace(name, own)
        return f"{self.address}#{path}"


def named(subject: SubjectProfile) -> str:
    """A subject as pages call it where there is one line for it."""
    return " · ".join([subject.name, *(badge.text for badge in subject.badges)])


def item(subject: SubjectProfile) -> str:
    """A subject as it is read where it stands as an item, beside its maker's mark."""
    return named(subject).replace(" · ", " ")


class Seen(NamedTuple):
    """A page, what its console said, and whom it asked."""

    page: Page
    said: list[str]
    asked: list[str]


@asynccontextmanager
async def seen(browser: Browser, width: int = 1280, **options: Any) -> AsyncIterator[Seen]:
    """A page of a reader whose browser has nothing in its stores."""
    context = await browser.new_context(viewport={"width": width, "height": 900}, **options)
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    try:
        yield Seen(page, said, asked)
    finally:
        await context.close()


async def held(page: Page, asked: str) -> asyncio.Event:
    """Keep what a page asks for, by a pattern of its address, from coming until the event is set."""
    come = asyncio.Event()

    async def wait(route: Route) -> None:
        await come.wait()
        await route.continue_()

    await page.route(asked, wait)
    return come


async def settled(page: Page, address: str) -> None:
    """Go to an address as one who comes there first, and wait until everything is drawn."""
    await page.goto("about:blank")
    await page.goto(address)
    await quiet(page)


async def quiet(page: Page) -> None:
    """Wait until the page has its heading and its typeface, and nothing is on its way any more."""
    await drawn(page)
    await page.evaluate(TYPEFACE, PATIENCE)


async def drawn(page: Page) -> None:
    """Wait until the page has its heading, and nothing but the typeface is on its way any more."""
    await page.locator("h1").wait_for()
    waiting = page.locator("main").get_by_role("status").filter(has_text=WAITING)
    await expect(waiting).to_have_count(0, timeout=PATIENCE)


async def steady_text(page: Page) -> str:
    """What is read on a page, once it stays the same: lists are measured before they know how much of them is near."""
    found: str = await page.evaluate(STEADY)
    return found


async def fits(page: Page) -> bool:
    """Whether nothing is wider than the window."""
    scrolled, there = await page.evaluate(WIDE)
    return bool(scrolled <= there)


async def overhanging(page: Page) -> list[str]:
    """What reaches over the right edge of the window, innermost first, where the page is too wide."""
    found: list[str] = await page.evaluate(
        "[...document.querySelectorAll('main *, header *, footer *')].filter(one =>"
        " one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)"
        ".map(one => one.outerHTML.slice(0, 120)).reverse().slice(0, 4)"
    )
    return found
