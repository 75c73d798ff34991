"""An address is a whole page: another reader sees the same rows, and Back returns to them."""

from __future__ import annotations

import re
from contextlib import ExitStack

import pytest
from benchmarks import scale
from playwright.async_api import Browser, Page, expect

from tests.web.generated import WEB

from .serving import Serve, exported
from .viewing import Viewer, quiet, seen, settled, steady_text

pytestmark = pytest.mark.asyncio(loop_scope="session")
FILTERED = (
    "/?q=half", "/?sort=subject&dir=desc&cols=ci+rank_ci", "/?zoom=top&ref=SUBJECT",
    "/m/SUBJECT/r/2/SCENARIO?raw=1&think=1&msg=2", "/heat?sort=SCENARIO", "/s/LAST?run=2&sort=lowest&q=half",
    "/s/LAST?bin=9", "/cmp?a=SUBJECT&b=OTHER&s=LAST&run=3", "/names?q=a",
    "/search?q=name&kind=answer",
)  # fmt: skip
SEARCHED = "kind s m score by run whole"
ASKED = {
    "/": "maker family endpoint effort temperature provider thinking simulated origin runs ref cols sort dir zoom",
    "/m/SUBJECT": "",
    "/m/SUBJECT/r/1/SCENARIO": f"{SEARCHED} msg raw think",
    "/heat": "sort columns dir least",
    "/s": "",
    "/s/SCENARIO": "run sort bin raw turn first least",
    "/cell/UNIT": "m run",
    "/cmp": "a b c d s run run_a run_b run_c run_d only raw",
    "/items": "",
    "/judges": "",
    "/names": "",
    "/notes": "tag",
    "/prompts": "",
    "/search?q=the": SEARCHED,
    "/rate": "from",
    "/live": "",
}  # fmt: skip
FREE = {"q", "quote", "board", "judge", "scoring", "v"}


async def shown(page: Page) -> str:
    """The text of a page, once it is all there; fields of forms have no text, so their values too."""
    await quiet(page)
    if "ref=" in page.url:
        await page.get_by_text("Shaded:").wait_for()  # it is added to a page that is drawn already
    values = await page.locator("main :is(input, select)").evaluate_all(
        "all => all.map(one => one.value + one.checked)"
    )
    await expect(page.locator("main").get_by_text("…", exact=True)).to_have_count(0)  # of a text that is on its way
    return await page.locator("main").inner_text() + str(values)


async def test_an_address_gives_another_reader_the_same_page_and_back_returns_to_it(
    browser: Browser, viewer: Viewer
) -> None:
    async with seen(browser) as (one, _, _), seen(browser) as (other, said, _):
        for path in FILTERED:
            await settled(one, viewer.route(path))
            expected = await shown(one)
            await settled(other, one.url)
            assert await shown(other) == expected, path
            await other.get_by_role("link", name="AI Independence Bench").click()
            await other.get_by_role("heading", name="Leaderboard", level=1).wait_for()
            await other.go_back()
            await other.wait_for_url(one.url)
            assert await shown(other) == expected, path
        assert said == []


async def test_what_a_reader_chooses_is_in_the_address(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _), seen(browser) as (other, _, _):
        await settled(page, viewer.route("/"))
        await page.get_by_label("Filter subjects by name").fill("half")
        await page.get_by_role("button", name="Index").click()
        await page.get_by_text("Columns", exact=True).click()
        await page.get_by_label("95% interval", exact=True).check()
        assert await page.locator("tbody tr").count() == 1
        assert all(part in page.url for part in ("q=half", "sort=index", "cols=", "ci"))
        rows = await page.locator("tbody tr").all_inner_texts()
        await settled(other, page.url)
        assert await other.locator("tbody tr").all_inner_texts() == rows
        await page.locator("tbody a").first.click()
        await page.get_by_role("heading", name="Every dialogue").wait_for()
        assert await page.evaluate("document.activeElement.tagName") == "H1"
        await page.go_back()
        await page.get_by_label("Filter subjects by name").wait_for()
        assert await page.locator("tbody tr").all_inner_texts() == rows


async def test_back_returns_to_where_the_reader_was_on_a_page(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser, 390) as (page, _, _):
        await settled(page, viewer.route("/s"))
        link = page.locator("main").get_by_role("link").last
        await link.scroll_into_view_if_needed()
        top = await page.evaluate("scrollY")
        assert top > 0
        await link.click()
        await page.get_by_role("heading", name="Every dialogue").wait_for()
        assert await page.evaluate("scrollY") == 0
        await page.go_back()
        await page.get_by_role("heading", name="Scenarios", level=1).wait_for()
        await quiet(page)
        assert abs(await page.evaluate("scrollY") - top) <= 1


SCROLLED = """top => new Promise(done => {
    scrollTo(0, top);
    requestAnimationFrame(() => requestAnimationFrame(done));
})"""
# How far down the page is, once that is `wanted`, else after some seconds.
PLACE = """async wanted => {
    for (let frame = 0; frame < 600; frame++) {
        if (Math.abs(scrollY - wanted) <= 1) break;
        await new Promise(requestAnimationFrame);
    }
    return scrollY;
}"""


@pytest.mark.parametrize("where", ["served", "exported"])
async def test_back_returns_as_far_down_a_long_board_as_its_reader_was(
    browser: Browser, serve: Serve, tmp_path_factory: pytest.TempPathFactory, where: str
) -> None:
    """Its first rows are shown before the rest is drawn: until then the page is too short for most places."""
    store = tmp_path_factory.mktemp("long") / "long.db"
    scale.make(store, subjects=150, runs=1)
    with ExitStack() as stack:
        long = await serve(store) if where == "served" else stack.enter_context(exported(store, store.parent)).viewer
        async with seen(browser) as (page, _, _):
            await settled(page, long.route("/"))
            await expect(page.locator("tbody tr")).to_have_count(150)
            for top in (600, 1500, 2500, 4000):
                await page.evaluate(SCROLLED, top)
                await page.evaluate("document.elementFromPoint(300, 450).closest('tr').querySelector('a').click()")
                await page.get_by_role("heading", name="Every dialogue").wait_for()
                assert await page.evaluate("scrollY") == 0
                await page.go_back()
                assert abs(await page.evaluate(PLACE, top) - top) <= 1
            await page.mouse.wheel(0, -1000)  # whoever reads on is left alone
            assert await page.evaluate(PLACE, 3000) == 3000
            await page.set_viewport_size({"width": 1000, "height": 900})
            await quiet(page)
            assert await page.evaluate("scrollY") < 3500


NOTHING = {
    "/m/nobody-123456": "This board has no subject at this address",
    "/m/SUBJECT/r/1/nothing": "no dialogue at this address",
    "/m/SUBJECT/r/0/SCENARIO": "no dialogue at this address",
    "/m/SUBJECT/r/x/SCENARIO": "no dialogue at this address",
    "/m/SUBJECT/r/99/SCENARIO": "no dialogue at this address",
    "/s/nothing": "no scenario at this address",
    "/cell/nothing": "no case at this address",
    "/report/nothing": "no such section",
    "/nowhere": "There is no page at this address",
    "/?board=nothing": "names a board, a judge or a scoring that is not here: nothing",
    "/?judge=nobody": "names a board, a judge or a scoring that is not here: nobody",
    "/?scoring=lite": "names a board, a judge or a scoring that is not here: lite",
    "/?v=00000000": "This link was made of data set 00000000",
    "/m/%E0%A4%A": "",
}


async def test_an_address_of_nothing_says_so_and_leads_on(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, errors, _):
        for path, said in NOTHING.items():
            await settled(page, viewer.route(path))
            await page.locator("main").get_by_text(said).first.wait_for()
            assert await page.locator("h1").count() == 1, path
            assert await page.locator("main, nav").get_by_role("link").count() > 0, path
        assert errors == []


async def test_a_copied_link_names_the_data_set(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await settled(page, viewer.route("/m/SUBJECT/r/1/SCENARIO"))
        await page.get_by_role("button", name="Copy link").click()
        await page.get_by_text("Copied").wait_for()
        copied = await page.evaluate("navigator.clipboard.readText()")
        before = await shown(page)
        await settled(page, copied)
        assert "v=" in copied
        assert (await shown(page)).replace("Copied", "Copy link") == before.replace("Copied", "Copy link")


@pytest.mark.deep
async def test_what_an_address_asks_for_and_is_not_there_is_said_and_left_out(browser: Browser, viewer: Viewer) -> None:
    read = set[str]()
    for source in (WEB / "src").rglob("*.ts*"):
        read |= set(re.findall(r'query\.(?:get|has)\("(\w+)"\)', source.read_text("utf-8")))
    known = {key for keys in ASKED.values() for key in keys.split()}
    assert len(read) > 15
    assert read - known - FREE == set()
    async with seen(browser) as (page, said, _):
        note = page.locator("main").get_by_role("status").filter(has_text="Left out of this address")
        for path, keys in ASKED.items():
            asked = "&".join(f"{key}=zz" for key in [*keys.split(), "other"])
            await settled(page, viewer.route(f"{path}{'&' if '?' in path else '?'}{asked}"))
            told = await note.inner_text()
            assert all(f"{key}=zz (" in told for key in [*keys.split(), "other"]), (path, told)
            before = await steady_text(page)
            await note.get_by_role("link", name="Mend the address").click()
            await expect(note).to_have_count(0)
            assert page.url == viewer.route(path)
            assert before.replace(told, "").strip() == (await steady_text(page)).strip(), path
        assert said == []


async def test_empty_and_doubled_values_and_numbers_out_of_range_are_said_too(browser: Browser, viewer: Viewer) -> None:
    first, second = viewer.index.subjects[0].slug, viewer.index.subjects[1].slug
    async with seen(browser) as (page, _, _):
        note = page.locator("main").get_by_role("status").filter(has_text="Left out of this address")
        await settled(page, viewer.route(f"/cmp?board=&q=&a={first}&a={second}&b={first}&run=0&run_a=99&raw="))
        told = await note.inner_text()
        said = [f"a={second} (given a second time)", f"b={first} (no such subject, or it stands there already)"]
        said += [f"{key}={value} (no such run)" for key, value in (("run", 0), ("run_a", 99))]
        for part in ["board= (empty)", "q= (", "raw= (empty)", *said]:
            assert part in told, part
        assert await page.get_by_role("combobox", name=re.compile(r"^Subject \d")).count() == 1
