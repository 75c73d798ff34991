"""The words behind a verdict are marked where they stand, and words that are looked for are found on every page."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from independence.report.pages import words

from .serving import Site
from .viewing import Viewer, fits, quiet, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
IN_VIEW = "mark => { const { top, bottom } = mark.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }"
LIT = "[data-answer] mark.mark-lit"
FOLDED = "/m/OTHER/r/1/rs01"


def changing(change: Callable[[Any], None]) -> Callable[[Route], Any]:
    """Answers for blocks of dialogues, each dialogue changed."""

    async def answer(route: Route) -> None:
        response = await route.fetch()
        held = await response.json()
        for dialogue in held["dialogues"]:
            change(dialogue)
        await route.fulfill(response=response, json=held)

    return answer


async def test_a_verdict_lights_up_its_passages_and_a_passage_leads_back_to_it(
    browser: Browser, viewer: Viewer
) -> None:
    async with seen(browser) as (page, said, _), seen(browser, 390) as (other, narrow, _):
        await settled(page, viewer.route(FOLDED))
        assert await page.locator(LIT).count() == 0
        named = re.findall("\u201c([^\u201d]+)\u201d", await page.get_by_role("region", name="Verdict").inner_text())
        await page.get_by_role("button", name="in the answers").click()
        await expect(page).to_have_url(re.compile(r"[?&]quote=cues"))
        passages = [words.said(text) for text in await page.locator(LIT).all_inner_texts()]
        assert passages
        assert set(passages[0]) & set(words.said(" ".join(named)))
        assert await page.locator(LIT).first.evaluate(IN_VIEW)
        await settled(other, page.url)
        await other.locator(LIT).first.wait_for()
        await other.wait_for_function(f"({IN_VIEW})(document.querySelector('{LIT}'))")
        assert await fits(other)
        for reader, step in ((page, "click"), (other, "press")):
            mark = reader.locator(LIT).first
            await (mark.click() if step == "click" else mark.press("Enter"))
            assert await reader.evaluate("document.activeElement.tagName") == "ARTICLE"
        await settled(other, page.url.replace("quote=cues", "quote=nobody"))
        await other.get_by_text("There is no verdict of nobody here.").wait_for()
        assert said == narrow == []


async def test_a_quotation_is_marked_in_each_piece_and_one_that_is_not_there_is_said_to_be_none(
    browser: Browser, viewer: Viewer
) -> None:
    def plant(dialogue: Any) -> None:
        (*_, turn), (verdict, *_) = dialogue["turns"], dialogue["verdicts"]
        turn["text"] = "I *keep* my name.\n\n- It is **mine**.\n- No \u202eeman\u202c."
        span = {"turn": turn["turn_id"], "start": 2, "end": 33}
        verdict |= {"quote": "keep my name. It is mine", "quote_found": True, "spans": [span]}
        dialogue["verdicts"].append(
            {**verdict, "judge": "a/b", "quote": "I give up", "quote_found": False, "spans": []}
        )

    async with seen(browser) as (page, said, _):
        await page.route("**/text/**", changing(plant))
        await settled(page, f"{viewer.route(FOLDED)}?quote=cues")
        await page.locator(LIT).first.wait_for()
        assert await page.locator(LIT).all_text_contents() == ["keep", " my name.", "It is ", "mine"]
        assert await page.get_by_text("Nobody said this").count() == 1
        await page.get_by_role("button", name="Raw text").click()
        assert await page.locator(LIT).all_text_contents() == ["*keep* my name.\n\n- It is **mine"]
        unseen = page.locator("[data-answer] .unseen")
        assert await unseen.evaluate_all("all => all.map(one => getComputedStyle(one, '::before').content)") == [
            '"U+202E"', '"U+202C"',
        ]  # fmt: skip
        assert await unseen.locator("[hidden]").first.is_hidden()
        # What stands behind the override is read from left to right.
        left, right = await unseen.evaluate_all("all => all.map(one => one.getBoundingClientRect().left)")
        assert left < right
        await settled(page, f"{viewer.route(FOLDED)}?quote=a/b")
        await page.get_by_text("Nothing that a/b quotes stands in these answers.").wait_for()
        assert said == []


async def found(page: Page, address: str, query: str) -> tuple[str, list[str]]:
    """How much is found, and the first dialogues."""
    await settled(page, f"{address}#/search?q={query}")
    status = page.locator("main").get_by_role("status").filter(has_text=re.compile("place|No text"))
    said, dialogues = await status.inner_text(), page.locator("main li p")
    if await dialogues.count() > 0:
        await dialogues.filter(has_text="result").first.wait_for()  # a document of its own
    return said, await dialogues.all_inner_texts()


@pytest.mark.deep
async def test_a_site_of_files_finds_what_the_server_finds_and_asks_for_little(
    browser: Browser, viewer: Viewer, site: Site
) -> None:
    draw = random.Random(34)
    async with seen(browser) as (page, said, asked), seen(browser) as (other, _, _):
        await settled(page, viewer.route(FOLDED))
        text = await page.locator("[data-answer] .marked-text").last.inner_text()
        spoken = words.said(text)
        queries = ["zzzz", "my name", "ing"]
        for _ in range(5):
            start = draw.randrange(len(spoken) - 3)
            queries.append(" ".join(spoken[start : start + draw.randrange(1, 4)])[:18].strip())
        for query in queries:
            served = await found(page, viewer.address, query)
            asked.clear()
            assert await found(other, site.viewer.address, query) == served, query
        assert (await found(other, site.viewer.address, "zzzz"))[0].startswith("No text")
        assert said == []


async def test_results_are_narrowed_down_saved_and_lead_to_their_words(browser: Browser, site: Site) -> None:
    async with seen(browser) as (page, said, _):
        await settled(page, f"{site.viewer.address}#/search?q=you")
        await page.get_by_label("Scenario").select_option(index=1)
        chosen = await page.get_by_label("Scenario").locator("option:checked").inner_text()
        (count,) = re.findall(r"\((\d+)\)$", chosen)
        status = page.locator("main").get_by_role("status")
        assert f"in {count} dialogue" in await status.inner_text()
        async with page.expect_download() as saved:
            await page.get_by_role("button", name="CSV").click()
        rows = (await (await saved.value).path()).read_text().splitlines()
        assert rows[0] == "subject,scenario,run,kind,judge,places,result"
        assert len({tuple(row.split(",")[:3]) for row in rows[1:]}) == int(count)
        first = page.locator("main li").first
        assert (await first.locator("mark").inner_text()).lower() in "you your yours young youth"
        await first.get_by_role("link").click()
        bar = page.get_by_role("region", name="Words found")
        await expect(bar).to_contain_text(re.compile(r"1 of \d+"))
        await page.wait_for_function(f"({IN_VIEW})(document.querySelector('mark.mark-hit.mark-lit'))")
        (of,) = re.findall(r"1 of (\d+)", await bar.get_by_role("status").inner_text())
        here = page.url
        for hit in range(2, int(of) + 1):
            await page.keyboard.press("n")
            await expect(bar).to_contain_text(f"{hit} of {of}")
        await bar.get_by_role("button", name="Next place").click()
        await expect(bar).to_contain_text(re.compile(r"dialogue 2 of \d+"))
        assert page.url != here
        await bar.get_by_role("link", name="all hits").click()
        await expect(page.get_by_label("Words to look for")).to_have_value("you")
        assert said == []


async def test_the_search_box_opens_on_every_page_and_knows_subjects_scenarios_and_words(
    browser: Browser, viewer: Viewer
) -> None:
    async with seen(browser, 390) as (page, said, _):
        box = page.get_by_role("combobox", name="Subjects, scenarios, words")
        for path in ("/", "/names", "/search?q=the", "/s/SCENARIO", "/heat"):
            await settled(page, viewer.route(path))
            for key in ("/", "Control+k"):
                await page.keyboard.press(key)
                await expect(box).to_be_focused()
                await page.keyboard.press("Escape")
                await expect(page.locator("dialog input[role=combobox]")).to_have_count(0)  # a closed one too
        await page.keyboard.press("/")
        await expect(box).to_be_focused()
        await page.keyboard.type("half")
        options = page.get_by_role("listbox").get_by_role("option")
        await expect(options.first).to_contain_text("All texts")
        assert await options.count() >= 3
        assert await fits(page)
        await options.filter(has_text="Subject").click()
        await quiet(page)
        assert "/m/" in page.url
        await page.get_by_role("button", name="Search").click()
        await expect(box).to_be_focused()
        await page.keyboard.type("my name")
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Words to look for")).to_have_value("my name")
        assert said == []


async def test_the_search_box_offers_what_is_about_this_page(browser: Browser, viewer: Viewer) -> None:
    title = viewer.index.scenarios[0].title
    first = {
        "/m/SUBJECT/r/1/SCENARIO": ["This dialogue", title, "All texts"],
        "/s/SCENARIO": [title, "Filter of this page", "All texts"],
        "/heat": ["All texts", "Filter of this page"],
        "/judges": ["All texts"],
    }
    async with seen(browser) as (page, _, _):
        box = page.get_by_role("combobox", name="Subjects, scenarios, words")
        for path, kinds in first.items():
            await settled(page, viewer.route(path))
            await page.keyboard.press("/")
            await expect(box).to_be_focused()
            await page.keyboard.type("the")
            options = page.get_by_role("listbox").get_by_role("option").filter(has_text="“the”")
            await expect(options).to_have_text([f"“the”{kind}" for kind in kinds])
            if path.startswith("/m/"):
                await page.keyboard.press("Enter")
                found = page.get_by_role("region", name="Words found").get_by_role("status")
                await expect(found).to_contain_text("the ")
                assert page.url == viewer.route(f"{path}?q=the")
        await settled(page, viewer.route("/heat"))
        await page.keyboard.press("/")
        await expect(box).to_be_focused()
        await page.keyboard.type("half")
        await page.get_by_role("option").filter(has_text="Filter of this page").click()
        await expect(page.get_by_role("grid").get_by_role("rowheader")).to_have_count(1)
