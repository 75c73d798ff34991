"""The first screen says who leads, in whose words a subject gave way, and what each lost, at both widths."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from .viewing import Viewer, drawn, fits, held, quiet, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
# The boxes of what can be pressed on a page (its menu may move a little): left, top, right, bottom in pixels.
PRESSED = """[...document.querySelectorAll("main a[href], main button")].map(one => {
    const {left, top, right, bottom} = one.getBoundingClientRect();
    return [left, top, right, bottom];
})"""


@pytest.mark.parametrize("width", [1440, 390])
async def test_the_board_opens_with_its_result_a_fold_and_whole_names(
    browser: Browser, viewer: Viewer, width: int
) -> None:
    async with seen(browser, width) as (page, said, _):
        await settled(page, viewer.route("/"))
        assert "has the highest index of 5 subjects" in await page.locator("[data-part=result]").inner_text()
        fold = page.get_by_role("figure", name="Words in which a subject gave way")
        assert viewer.index.fold is not None
        assert viewer.index.fold.text in await fold.inner_text()
        names = page.locator("tbody th[scope=row]").get_by_role("link")
        assert {await one.inner_text() for one in await names.all()} == {one.name for one in viewer.index.subjects}
        assert all([(await one.bounding_box() or {"width": 0})["width"] > 30 for one in await names.all()])
        bars = page.locator("tbody .lost-bar" if width > 1000 else "tbody th svg")
        assert await bars.count() == 5 * (len(viewer.index.components) if width > 1000 else 1)
        await expect(bars.first).to_be_visible()
        assert await page.get_by_role("button", name="Scale for the top").count() == 0  # there are five subjects
        assert await fits(page)
        assert said == []
        await fold.get_by_role("link").click()
        await page.wait_for_url(f"**/r/{viewer.index.fold.run}/{viewer.index.fold.scenario}**")


@pytest.mark.parametrize("path", ["/", "/m/SUBJECT", "/nowhere", "/m/nobody"])
async def test_what_a_pointer_is_over_stays_under_it_when_the_typeface_comes(
    browser: Browser, viewer: Viewer, path: str
) -> None:
    async with seen(browser) as (page, _, _):
        come = await held(page, "**/*.woff2")
        async with page.expect_request("**/*.woff2"):
            await page.goto(viewer.route(path))
            await drawn(page)
        before = await page.evaluate(PRESSED)
        come.set()
        await quiet(page)
        after = await page.evaluate(PRESSED)
        assert len(after) == len(before) > 0
        for (left, top, right, bottom), (x, y, end, foot) in zip(before, after, strict=True):
            assert x <= (left + right) / 2 <= end
            assert y <= (top + bottom) / 2 <= foot
