"""Subjects are named in full wherever they stand as items, and every filter finds them by any name of theirs."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, Route, expect

from .viewing import Viewer, item, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
PAGES = (
    "/", "/m/SUBJECT", "/m/SUBJECT/r/1/SCENARIO", "/heat", "/s/SCENARIO", "/cmp", "/search?q=the",
)  # fmt: skip
CUT = """() => [...document.querySelectorAll(".maker-mark + *")].filter(one => {
    for (let box = one; box.tagName !== "MAIN"; box = box.parentElement) {
        const style = getComputedStyle(box);
        if (style.textOverflow === "ellipsis" && box.scrollWidth > box.clientWidth) return true;
    }
    return false;
}).map(one => one.innerText)"""


async def test_names_have_their_marks_and_badges_and_are_not_cut_on_a_phone(browser: Browser, viewer: Viewer) -> None:
    names = [item(one) for one in viewer.index.subjects]
    async with seen(browser, 390) as (page, _, _):
        for path in PAGES:
            await settled(page, viewer.route(path))
            marked = page.locator("main .maker-mark + *")
            await expect(marked.first).to_be_visible()
            assert await page.evaluate(CUT) == [], path
            told = [" ".join(one.split()) for one in await marked.all_inner_texts()]
            assert all(any(one.startswith(name) for name in names) for one in told), (path, told)


@pytest.mark.parametrize(("path", "row"), [("/", "tbody > tr"), ("/heat", "tbody > tr"), ("/s/SCENARIO", "article")])
async def test_filters_find_a_subject_by_any_of_its_names(
    browser: Browser, viewer: Viewer, path: str, row: str
) -> None:
    wanted = next(one for one in viewer.index.subjects if one.name == "sim/half")
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route(path))
        rows = page.locator(f"main {row}").filter(has=page.locator(".maker-mark"))
        for typed in (wanted.name.upper(), wanted.config, "half simulated"):
            await page.keyboard.press("f")
            await page.locator("input[type=search]").fill(typed)
            await expect(rows.filter(has_text="sim/half").first).to_be_visible()
            await expect(rows.filter(has_not_text="sim/half")).to_have_count(0)
        await page.locator("input[type=search]").fill("nobody at all")
        await expect(rows).to_have_count(0)


async def test_cards_of_a_feed_show_marks_of_the_whole_dialogue_and_the_reasons(
    browser: Browser, viewer: Viewer
) -> None:
    async def marked(route: Route) -> None:
        block = await (await route.fetch()).json()
        for dialogue in block["dialogues"]:
            dialogue["turns"][0]["flags"] = ["truncated", "cut_model_id"]
            dialogue["verdicts"].append({"judge": "other", "rubric": "", "missing": "transport", "current": True})
        await route.fulfill(json=block)

    async with seen(browser) as (page, said, _):
        await page.route("**/text/**", marked)
        await settled(page, viewer.route("/s/LAST"))
        card = page.get_by_role("region", name="Answers").locator("article").first
        for mark in ("truncated", "cut model id", "1 verdict missing"):
            await expect(card.locator("h3").get_by_text(mark)).to_be_visible()
        await expect(card.locator("summary").first).to_have_text(re.compile("Reasons of cues: .{8,}"))
        assert said == []
