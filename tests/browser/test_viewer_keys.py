"""The keyboard alone is enough, and it is seen where one is."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, Page

from tests.web.generated import WEB

from .viewing import Viewer, quiet, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
MOST_STEPS = 120  # by Tab to anything on these pages
SEEN = (
    "(() => { const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();"
    " const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;"
    " const marked = outlined || style.boxShadow !== 'none';"
    " const inside = box.bottom > 0 && box.top < innerHeight && box.width > 0;"
    " return marked && inside ? '' : one.outerHTML.slice(0, 160) })()"
)
BOUND = re.compile(r'(?:"([^"]+)"|\b([A-Za-z]+)): (?:go|step|toggles|press|done|\(\)|show)')  # in the sources
NAMED = (
    "(() => { const one = document.activeElement;"
    " return (one.getAttribute('aria-label') || one.innerText || one.value || '').trim() })()"
)


async def tab_to(page: Page, name: str, role: str) -> None:
    """Press Tab until something of a name has the focus."""
    for _ in range(MOST_STEPS):
        await page.keyboard.press("Tab")
        if re.search(name, await page.evaluate(NAMED)):
            element = await page.evaluate("document.activeElement.tagName")
            if element == role:
                return
    raise AssertionError(f"Tab never comes to {name}")


async def test_the_keyboard_alone_leads_from_the_board_to_a_dialogue_and_to_a_comparison(
    browser: Browser, viewer: Viewer
) -> None:
    async with seen(browser) as (page, said, _):
        await settled(page, viewer.route("/"))
        await tab_to(page, "^sim/half", "A")
        await page.keyboard.press("Enter")
        await page.get_by_role("heading", name="Every dialogue").wait_for()
        await quiet(page)
        await tab_to(page, ", run 2: ", "A")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/r/2/**")
        await quiet(page)
        await tab_to(page, "^System prompt", "SUMMARY")
        folded = page.locator("details[open]")
        before = await folded.count()
        await page.keyboard.press("Enter")
        assert await folded.count() == before + 1
        await page.keyboard.press("c")
        await page.keyboard.press("K" if await page.get_by_role("link", name="Previous subject").count() else "J")
        await page.get_by_role("button", name="Compare", exact=True).first.wait_for()
        await page.keyboard.press("c")
        await page.get_by_role("link", name="Compare 2").wait_for()
        await tab_to(page, "^Compare 2", "A")
        await page.keyboard.press("Enter")
        await page.get_by_role("heading", name="Compare", level=1).wait_for()
        await quiet(page)
        assert await page.get_by_role("combobox", name=re.compile("Subject [12]")).count() == 2
        assert said == []


async def test_the_focus_is_seen_at_every_step(browser: Browser, viewer: Viewer) -> None:
    unseen = []
    async with seen(browser) as (page, _, _):
        for path in ("/", "/m/SUBJECT/r/1/SCENARIO", "/s/SCENARIO", "/cmp"):
            await settled(page, viewer.route(path))
            for _ in range(40):
                await page.keyboard.press("Tab")
                if await page.evaluate("document.activeElement === document.body"):
                    break
                if told := await page.evaluate(SEEN):
                    unseen.append((path, told))
    assert unseen == []


async def test_the_first_step_skips_to_the_content_and_letters_in_a_field_are_letters(
    browser: Browser, viewer: Viewer
) -> None:
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route("/"))
        await page.keyboard.press("Tab")
        assert await page.evaluate(NAMED) == "Skip to the content"
        await page.keyboard.press("Enter")
        assert await page.evaluate("document.activeElement.tagName") == "H1"
        await page.keyboard.press("f")
        await page.keyboard.type("gs?c")
        assert await page.get_by_label("Filter subjects by name").input_value() == "gs?c"
        assert "q=gs" in page.url


async def test_single_keys_move_between_dialogues_until_they_are_switched_off(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route("/m/SUBJECT/r/1/pt04"))
        for key, part in (
            ("]", "/r/2/pt04"), ("[", "/r/1/pt04"), ("}", "/r/1/pt05"), ("{", "/r/1/pt04"), ("r", "raw=1"),
            ("t", "think=1"),
        ):  # fmt: skip
            await page.keyboard.press(key)
            await page.wait_for_url(f"**{part}*")
        await page.keyboard.press("?")
        await page.get_by_label("Single-key shortcuts are on").uncheck()
        await page.keyboard.press("Escape")
        await page.get_by_role("dialog").wait_for(state="hidden")
        before = page.url
        for key in ("]", "r", "?", "c"):
            await page.keyboard.press(key)
        assert page.url == before
        assert not await page.get_by_role("dialog").is_visible()
        await page.reload()
        await quiet(page)
        await page.keyboard.press("]")
        assert page.url == before


async def test_letters_work_after_a_box_was_ticked_and_not_under_an_open_dialog(
    browser: Browser, viewer: Viewer
) -> None:
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route("/"))
        await page.get_by_text("Columns", exact=True).click()
        await page.locator("main").get_by_role("checkbox").first.focus()
        await page.keyboard.press("?")
        dialog = page.get_by_role("dialog")
        await dialog.wait_for()
        before = page.url
        await page.keyboard.type("gs")
        await page.keyboard.press("Escape")
        await dialog.wait_for(state="hidden")
        assert page.url == before
        await page.keyboard.type("gs")
        await page.wait_for_url(lambda url: url != before)


async def test_the_list_names_every_key_and_g_and_a_letter_lead_to_every_page(browser: Browser, viewer: Viewer) -> None:
    bound = set()
    for source in (WEB / "src").rglob("*.tsx"):
        for bindings in re.findall(r"useKeys\(\{(.*?)\}\);", source.read_text("utf-8"), re.DOTALL):
            bound |= {quoted or plain for quoted, plain in BOUND.findall(bindings)}
    assert {"/", "f", "j", "k", "[", "]", "{", "}", "J", "K", "c", "?", "x", "Enter", "Backspace"} <= bound
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route("/nowhere"))
        await page.keyboard.press("?")
        dialog = page.get_by_role("dialog")
        keys = await dialog.get_by_role("term").all_inner_texts()
        names = await dialog.get_by_role("definition").all_inner_texts()
        pages = {key[2:]: name for key, name in zip(keys, names, strict=True) if re.fullmatch(r"g [a-z]", key)}
        await page.keyboard.press("Escape")
        await dialog.wait_for(state="hidden")
        listed = {key for own in keys for key in own.split()}
        assert bound - listed == set()
        assert {"Escape", "?", "0", "9", "a", "b", "e", "s"} <= listed
        assert len(pages) == await page.locator("header, footer").get_by_role("navigation").get_by_role(
            "link"
        ).evaluate_all("all => new Set(all.map(one => one.getAttribute('href'))).size")
        for letter, name in pages.items():
            await page.keyboard.press("g")
            await page.keyboard.press(letter)
            await (
                page.get_by_role("navigation", name="Pages")
                .locator("[aria-current=page]")
                .get_by_text(name)
                .wait_for(state="attached")
            )
