"""What models wrote is shown as it is and never runs."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from playwright.async_api import Browser, Page, Route

from independence.report.pages.dialogue_schema import BlockDocument
from tests.web.marks import without_marks

from .serving import Serve
from .viewing import Viewer, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
PAYLOADS = (
    "<img src=x onerror=window.ran=1>", "<script>window.ran=1</script>", "<svg onload=window.ran=1>",
    "[link](javascript:window.ran=1)", "![image](x onerror=window.ran=1)",
    "<iframe srcdoc='<script>parent.ran=1</script>'>", "<style>*{display:none}</style>", "</arg_value>", "<channel|>",
    "<form action=javascript:window.ran=1><button>", "`<b>`", "&lt;img src=x onerror=window.ran=1&gt;",
    "<a href='javascript:window.ran=1'>x</a>", "<math><mtext></form>",
    "{{constructor.constructor('window.ran=1')()}}", "<details open ontoggle=window.ran=1>", "\u202e<b>turned</b>",
    "<object data=javascript:window.ran=1>", "<base href=//evil.example/>", "<meta http-equiv=refresh content=0>",
)  # fmt: skip
FOREIGN = "main :is(img, script, iframe, style, form:not([role=search]), object, base, meta, math, a[href^=javascript])"
PAGES = (
    "/m/SUBJECT/r/1/SCENARIO?think=1", "/m/SUBJECT/r/1/SCENARIO?raw=1&think=1", "/s/SCENARIO", "/cmp?s=SCENARIO",
)  # fmt: skip


async def test_text_of_a_model_is_text_and_never_runs(browser: Browser, viewer: Viewer) -> None:
    assert len(PAYLOADS) == 20
    planted = "\n\n".join(PAYLOADS)

    async def plant(route: Route) -> None:
        answer = await route.fetch()
        held = await answer.json()
        for dialogue in held["dialogues"]:
            for turn in dialogue["turns"]:
                turn |= {"text": planted, "reasoning": planted, "thinking": planted}
            for verdict in dialogue["verdicts"]:
                verdict |= {"reasoning": planted, "raw": planted, "quote": planted}
        await route.fulfill(response=answer, json=held)

    async with seen(browser) as (page, said, asked):
        await page.route("**/text/**", plant)
        for path in PAGES:
            await settled(page, viewer.route(path))
            await page.locator("main", has_text="onerror=window.ran=1").first.wait_for()
            shown = await page.locator("main").text_content() or ""
            assert [one for one in PAYLOADS if one.strip("`") not in shown] == []
            assert await page.locator(FOREIGN).count() == 0
            assert await page.evaluate("window.ran") is None
        assert said == []
        assert not any("evil.example" in url for url in asked)


async def test_a_payload_in_the_names_of_an_address_is_text(browser: Browser, viewer: Viewer) -> None:
    mark = "%3Cimg%20src%3Dx%20onerror%3Dwindow.ran%3D1%3E"
    async with seen(browser) as (page, said, _):
        for path in (f"/m/{mark}", f"/s/{mark}", f"/?board={mark}", f"/?q={mark}", f"/search?q={mark}", f"/?v={mark}"):
            await settled(page, viewer.route(path))
            assert await page.locator("main img").count() == 0
            assert await page.evaluate("window.ran") is None
        assert said == []


async def answers(page: Page, path: str) -> list[str]:
    """Every answer of a dialogue as it is shown, without what stands above and below it."""
    await settled(page, path)
    texts: list[str] = await page.locator("[data-answer] article > div:not(:last-child)").evaluate_all(
        "all => all.map(one => one.textContent)"
    )
    return texts


async def test_published_answers_are_shown_whole_and_raw_byte_by_byte(
    browser: Browser, serve: Serve, published_store: Path
) -> None:
    viewer = await serve(published_store)
    compared = 0
    async with seen(browser) as (page, _, _):
        blocks: list[BlockDocument] = []

        async def kept(route: Route) -> None:
            answer = await route.fetch()
            blocks.append(msgspec.json.decode(await answer.body(), type=BlockDocument))
            await route.fulfill(response=answer)

        await page.route("**/text/**", kept)
        for subject in viewer.index.subjects[::80]:
            for scenario in [one.id for one in viewer.index.scenarios][::2]:
                where = viewer.route(f"/m/{subject.slug}/r/1/{scenario}")
                raw = await answers(page, f"{where}?raw=1")
                drawn = await answers(page, where)
                turns = next(
                    one.turns
                    for one in blocks[-1].dialogues
                    if (one.subject, one.scenario, one.run) == (subject.slug, scenario, 1)
                )
                texts = [turn.text for turn in turns if turn.text]
                assert [text for text in texts if not any(text == own for own in raw)] == []
                bare = [re.sub(r"\s", "", own) for own in drawn]
                assert [text for text in texts if without_marks(text) not in bare] == []
                compared += len(texts)
    assert compared >= 10
