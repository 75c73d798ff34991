"""The numbers on a page are those of the command line, and so are the files that a reader keeps."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from playwright.async_api import Browser, Locator, Page

from independence.report.files.table import Column, Kind, display_text
from tests.e2e import command
from tests.stores import Stores

from .serving import Serve
from .viewing import Viewer, named, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
SVG = "{http://www.w3.org/2000/svg}"
LEFT_OUT = 0.00005  # by the four decimals of a document
COLUMNS = "ci rank_ci runs coverage evades cost points_lost_requests"
# Text of a row's cell: how far its right edge is from that of its column, and whether it reaches out of the cell.
EDGES = (
    "all => all.map(cell => { const range = document.createRange(); range.selectNodeContents(cell);"
    " const [text, box] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];"
    " return [Math.round(text.right), text.left >= box.left - 1 && text.right <= box.right + 1] })"
)
CUT = (
    "all => all.filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')"
    ".map(one => one.outerHTML.slice(0, 160))"
)


def printed(path: Path, *more: str) -> list[dict[str, Any]]:
    """The rows of a store's board as the command line prints them."""
    asked = command.run("leaderboard", "--db", path, "--format", "json", *more)
    rows: list[dict[str, Any]] = json.loads(asked.out)["rows"]
    return rows


def written(kind: Kind, value: Any, digits: int = 1) -> str:
    return display_text(Column("x", "x", kind, digits), tuple(value) if isinstance(value, list) else value)


async def column(page: Page, head: str) -> list[str]:
    """The cells of a column of the board, from the top."""
    heads = await page.locator("thead th").all_inner_texts()
    place = next(number for number, text in enumerate(heads, 1) if text.split("\n")[0].rstrip(" ↑↓") == head)
    cells = page.locator(f"tbody tr:has(> :nth-child(4)) > :nth-child({place})")
    return [text.strip() for text in await cells.all_inner_texts()]


@pytest.mark.parametrize("name", ["simulated", "published"])
async def test_every_number_of_the_board_is_that_of_the_command_line(
    browser: Browser, serve: Serve, store: Path, stores: Stores, name: str
) -> None:
    path = store if name == "simulated" else stores(name)
    viewer = await serve(path)
    rows = printed(path)
    async with seen(browser, 1600) as (page, _, _):
        await settled(page, viewer.route(f"/?cols={COLUMNS.replace(' ', '+')}"))
        assert await column(page, "#") == ["–".join(map(str, dict.fromkeys(row["rank_bounds"] or ()))) for row in rows]
        assert await column(page, "Index") == [
            written("index", row["bounds"] if row["index"] is None else row["index"]) for row in rows
        ]
        these = [row["intervals"].get("these-scenarios") or row["ci"] for row in rows]
        assert await column(page, "95% interval") == [written("index_range", ends) for ends in these]
        assert await column(page, "Coverage") == [written("percent", row["coverage"]) for row in rows]
        assert await column(page, "Runs") == [str(row["runs"]) for row in rows]
        lost = [row["points_lost"]["requests"] for row in rows]
        assert await column(page, "Requests") == [written("number", points) for points in lost]
        links = page.locator("tbody th[scope=row]").get_by_role("link")
        reached = {(await link.get_attribute("href") or "").rpartition("/")[2] for link in await links.all()}
        assert reached == {subject.slug for subject in viewer.index.subjects}
        assert len(reached) == len(rows)


async def test_a_chosen_scoring_rule_stands_in_the_address_and_ranks_as_the_command_line_does(
    browser: Browser, serve: Serve, stores: Stores
) -> None:
    path = stores("published")
    rows, viewer = printed(path, "--scoring", "published"), await serve(path)
    async with seen(browser, 1600) as (page, said, _):
        await settled(page, viewer.route("/?cols=ci"))
        choice = page.get_by_role("combobox", name="Scoring")
        assert await choice.locator("option").all_inner_texts() == ["strict", "published", "v2-march"]
        await choice.select_option("published")
        await page.get_by_text("The rule leaves missing verdicts out").wait_for()
        assert page.url.endswith("?cols=ci&scoring=published")
        assert await column(page, "#") == [str(row["rank"]) for row in rows]
        assert await column(page, "Index") == [written("index", row["index"]) for row in rows]
        assert await column(page, "95% interval") == [written("index_range", row["ci"]) for row in rows]
        fireworks = next(row for row in rows if row["label"].startswith("kimi-k2.5+fireworks"))
        await page.get_by_title(fireworks["label"]).click()
        await page.get_by_text(re.compile(rf"^{written('index', fireworks['index'])}( of 100)?$")).first.wait_for()
        assert page.url.endswith("?scoring=published")
        standing = page.get_by_role("region", name="Standing")
        assert re.search(r"without interval, among \d+", await standing.inner_text())
        assert "no rank" not in await standing.inner_text()
        await page.get_by_role("link", name="Report", exact=True).click()
        await page.get_by_text("Scoring: published").wait_for()
        await page.get_by_role("combobox", name="Scoring").select_option("strict")
        await page.get_by_text("Scoring: strict").wait_for()
        assert said == []


async def test_a_published_verdict_stands_on_its_scale(browser: Browser, serve: Serve, stores: Stores) -> None:
    viewer = await serve(stores("published"))
    async with seen(browser) as (page, said, _):
        await page.goto(viewer.route(f"/m/{viewer.index.subjects[0].slug}/r/1/pt01"))
        scale = page.get_by_role("row", name=re.compile(r"graceful handling", re.IGNORECASE)).get_by_text("/ 10")
        await scale.first.wait_for()
        await page.get_by_text("Its prompt is not known; the fields are those of the verdicts.").first.wait_for(
            state="attached"
        )
        assert said == []


async def kept(page: Page, button: Locator) -> Path:
    """What a button gives to keep."""
    async with page.expect_download() as downloading:
        await button.click()
    return Path(await (await downloading.value).path())


def close(text: str, value: float | None) -> bool:
    return (text == "") if value is None else abs(float(text) - value) <= LEFT_OUT


async def test_the_files_of_the_board_read_back_as_its_values(browser: Browser, viewer: Viewer, store: Path) -> None:
    rows = printed(store)
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route("/"))
        lines = (await kept(page, page.get_by_role("button", name="CSV").first)).read_text("utf-8").splitlines()
        found = list(csv.DictReader(lines))
        assert [line["config"] for line in found] == [row["config"] for row in rows]
        for line, row in zip(found, rows, strict=True):
            assert close(line["index"], row["index"])
            assert [close(line["bounds_low"], row["bounds"][0]), close(line["bounds_high"], row["bounds"][1])] == [
                True
            ] * 2
            assert line["rank"] == ("" if row["rank"] is None else str(row["rank"]))
        held = json.loads((await kept(page, page.get_by_role("button", name="JSON").first)).read_text("utf-8"))
        assert [(own["config"], own["rank"]) for own in held] == [(row["config"], row["rank"]) for row in rows]
        drawn = ElementTree.fromstring((await kept(page, page.get_by_role("button", name="SVG").first)).read_bytes())
        assert drawn.tag == f"{SVG}svg"
        assert (drawn.findtext(f"{SVG}title") or "").strip()
        texts = {text.text for text in drawn.iter(f"{SVG}text")}
        assert {named(subject) for subject in viewer.index.subjects} <= texts


async def test_the_drawing_of_a_page_is_a_file_with_a_title(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        for path in ("/heat", "/m/SUBJECT", "/s/SCENARIO"):
            await settled(page, viewer.route(path))
            buttons = await page.get_by_role("button", name="SVG").all()
            assert buttons, path
            for button in buttons:
                drawn = ElementTree.fromstring((await kept(page, button)).read_bytes())
                assert (drawn.findtext(f"{SVG}title") or "").strip(), path


async def test_results_of_a_subjects_dialogues_are_those_of_the_documents(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, _, _):
        async with page.expect_response("**/cells.*.json") as response:
            await settled(page, viewer.route("/m/SUBJECT"))
        cells = msgspec.json.decode(await (await response.value).body())
        slug = viewer.index.subjects[0].slug
        links = page.get_by_role("region", name="Every dialogue").get_by_role("link", name=", run ")
        shown = {
            (await link.get_attribute("href") or "").split("/m/")[1]: (await link.inner_text()).strip()
            for link in await links.all()
        }
        expected = {
            f"{slug}/r/{run}/{scenario}": written("percent", share)
            for scenario, runs in zip(cells["scenarios"], cells["shares"][slug], strict=True)
            for run, share in enumerate(runs, 1)
        }
        assert shown == expected


async def test_numbers_of_a_column_end_at_one_edge_and_nothing_is_cut(
    browser: Browser, serve: Serve, published_store: Path
) -> None:
    viewer = await serve(published_store)
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route("/"))
        heads = await page.locator("thead").first.locator("th").count()
        for width in (390, 1280):
            await page.set_viewport_size({"width": width, "height": 900})
            compared = 0
            for place in range(2, heads + 1):  # ranks stand at the left, as names do
                cells = page.locator(f"tbody tr:has(> :nth-child(4)) > td:nth-child({place})")
                cells = cells.filter(has_text=re.compile(r"^[\d.%–—, \[\]-]+$")).filter(visible=True)
                edges = await cells.evaluate_all(EDGES)
                assert all(inside for _, inside in edges), place
                if edges:
                    assert max(edge for edge, _ in edges) - min(edge for edge, _ in edges) <= 1, place
                    compared += len(edges)
            assert compared >= 79  # a phone has the index alone
            texts = page.locator("main :is(td, h1, h2, p, li, button, th[scope=row])").filter(visible=True)
            assert await texts.evaluate_all(CUT) == []
