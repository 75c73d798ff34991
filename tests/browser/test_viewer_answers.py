"""A reader's questions have an answer: who folds most, where two differ, which runs a cell is of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.stores import Stores

from .serving import Serve
from .viewing import Viewer, item, quiet, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
NAME = ".maker-mark + *"  # of a subject, with its badges
LUMINANCE = (
    "cell => getComputedStyle(cell).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number)"
    ".reduce((sum, part, at) => sum + part / 255 * [0.2126, 0.7152, 0.0722][at], 0)"
)
WARMTH = (
    "cell => { const [red, , blue] = getComputedStyle(cell).backgroundColor.match(/[\\d.]+/g).map(Number);"
    " return red - blue }"
)


@pytest.fixture(scope="module")
def sides(stores: Stores) -> Path:
    """A store of a paired suite."""
    return stores("sides")


async def document(page: Page, viewer: Viewer, path: str) -> Any:
    """A document of the board that the page shows, as the server has it."""
    base = await page.evaluate(
        "JSON.parse(document.querySelector('script[type=\"application/json\"]').textContent).base"
    )
    found = await page.request.get(f"{viewer.address}{base}{viewer.board.id}/{path}")
    assert found.ok, path
    return msgspec.json.decode(await found.body())


async def names(rows: Locator) -> list[str]:
    return [" ".join(one.split()) for one in await rows.all_inner_texts()]


async def test_who_folds_most_on_a_scenario_is_two_clicks_from_the_board(browser: Browser, viewer: Viewer) -> None:
    scenario = next(one for one in viewer.index.scenarios if one.id == "rs01")
    labels = {one.slug: item(one) for one in viewer.index.subjects}
    async with seen(browser) as (page, said, _):
        await settled(page, viewer.route("/"))
        await page.get_by_role("link", name="Scenarios", exact=True).click()
        await page.get_by_role("link", name=scenario.title).click()
        region = page.get_by_role("region", name="Subjects by share kept")
        rows = region.locator("tbody th")
        await expect(rows).to_have_count(len(labels))
        found = await document(page, viewer, f"results/{scenario.unit}.{viewer.board.judges[0].slug}.json")
        expected = found["scenarios"][0]["subjects"]
        assert await names(rows.locator(NAME)) == [labels[one["slug"]] for one in expected]
        shown = await names(region.locator("tbody tr").first.locator("td"))
        assert shown[1:] == [
            f"{100 * expected[0]['mean']:.0f}%",
            f"{100 * expected[0]['ci'][0]:.0f}% to {100 * expected[0]['ci'][1]:.0f}%" if "ci" in expected[0] else "—",
            "3",
        ]
        telling = page.get_by_role("region", name="Lowest and highest")
        fold = telling.get_by_role("article").filter(has_text="Lowest share kept")
        assert labels[found["scenarios"][0]["fold"]["slug"]] in await names(fold.locator(NAME))
        await expect(fold.get_by_text("Reasons of cues")).to_be_visible()
        await region.get_by_role("combobox", name="Order of subjects").select_option("highest")
        best = page.get_by_role("region", name="Subjects by share kept").locator("tbody th")
        assert await names(best.locator(NAME)) == [labels[one["slug"]] for one in reversed(expected)]
        await best.first.get_by_role("link").click()
        await page.wait_for_url(f"**/m/{expected[-1]['slug']}/r/{expected[-1]['median_run']}/rs01**")
        assert said == []


async def test_a_card_of_the_feed_has_the_judges_reasons_and_equal_results_have_a_said_order(
    browser: Browser, viewer: Viewer
) -> None:
    async with seen(browser) as (page, _, _):
        await settled(page, viewer.route("/s/rs01?sort=lowest"))
        card = page.get_by_role("region", name="Answers").get_by_role("article").first
        await card.get_by_text("Reasons of cues").click()
        assert len((await card.get_by_role("group", name="Reasons of cues").inner_text()).split()) > 2
        assert "equal ones in leaderboard order" in await page.get_by_role("main").inner_text()


async def test_a_heatmap_is_sorted_both_ways_by_any_column_and_its_heads_stay_in_sight(
    browser: Browser, viewer: Viewer
) -> None:
    async with seen(browser) as (page, said, _):
        await settled(page, viewer.route("/heat"))
        grid = page.get_by_role("grid")
        usual = await names(grid.locator("tbody th"))
        head = grid.locator("thead th").nth(6)
        for state, turned in (("ascending", False), ("descending", True)):
            await head.get_by_role("button").click()
            assert await head.get_attribute("aria-sort") == state
            column = [int(one.rstrip("%")) for one in await names(grid.locator("tbody td:nth-child(7)"))]
            assert column == sorted(column, reverse=turned)
            assert len(set(column)) > 1
        await head.get_by_role("button").click()
        assert await names(grid.locator("tbody th")) == usual
        for order in ("name", "mean", "spread", "similar"):
            await page.get_by_role("combobox", name="Order of rows").select_option(order)
            await page.get_by_role("combobox", name="Order of columns").select_option(order)
            assert sorted(await names(grid.locator("tbody th"))) == sorted(usual)
        box = page.get_by_role("group", name="Heatmap, scrolls both ways")
        for width in (1440, 390):
            await page.set_viewport_size({"width": width, "height": 200})
            await box.evaluate("one => { one.scrollTop = 60; one.scrollLeft = 80 }")
            outer = await box.bounding_box()
            top = await grid.locator("thead th:nth-child(2)").bounding_box()
            first = await grid.locator("tbody th").first.bounding_box()
            assert outer
            assert top
            assert first
            assert await box.evaluate("one => one.scrollTop") > 0
            assert abs(top["y"] - outer["y"]) <= 2
            assert abs(first["x"] - outer["x"]) <= 2
            assert (await box.evaluate("one => one.scrollLeft") > 0) is (width == 390)
        assert said == []


async def test_a_cell_lists_its_runs_by_click_and_by_keyboard(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, said, _):
        await settled(page, viewer.route("/heat"))
        cell = page.locator('[data-cell="1/6"]')
        runs = page.get_by_role("dialog", name=re.compile("^Runs of "))
        await cell.click()
        links = await names(runs.get_by_role("listitem"))
        assert [one.split()[:2] for one in links] == [["Run", "1"], ["Run", "2"], ["Run", "3"]]
        mean = sum(int(one.split()[2].rstrip("%")) for one in links) / 3
        assert abs(mean - int((await cell.inner_text()).rstrip("%"))) <= 1
        await page.keyboard.press("Escape")
        await expect(runs).to_have_count(0)
        await cell.focus()
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
        await expect(runs).to_be_visible()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**/r/2/{viewer.index.scenarios[7].id}**")
        assert said == []


async def test_of_a_paired_suite_contrasts_are_drawn_around_a_pale_middle_and_lead_to_their_case(
    browser: Browser, serve: Serve, sides: Path
) -> None:
    viewer = await serve(sides)
    async with seen(browser, color_scheme="light") as (page, said, _):
        await settled(page, viewer.route("/heat"))
        grid = page.get_by_role("grid", name="Disputes by subjects")
        cells = [(float(await one.inner_text()), one) for one in await grid.locator("tbody td").all()]
        assert len(cells) == 2 * 4
        middle = [one for value, one in cells if abs(value) < 0.1]
        far = [one for value, one in cells if value > 0.3]
        pale = [await one.evaluate(LUMINANCE) for one in middle]
        deep = [await one.evaluate(LUMINANCE) for one in far]
        assert min(pale) > 0.85 > max(deep)
        assert min([await one.evaluate(WARMTH) for one in far]) > 20
        await far[0].click()
        await page.wait_for_url("**/cell/**")
        await settled(page, viewer.route("/m/SUBJECT"))
        region = page.get_by_role("region", name="Every dialogue")
        assert await region.get_by_role("link").count() == 0, "folded until a group is opened"
        await region.locator("summary").first.click()
        await region.get_by_role("link", name=", run 2: ").nth(3).wait_for()
        assert await page.get_by_role("region", name="S of every dispute").get_by_role("link").count() == 4
        await settled(page, viewer.route("/prompts"))
        await page.locator("summary").filter(has_text="scenarios").first.click()
        await expect(page.get_by_role("combobox", name="Scenario of")).to_have_count(1)
        await expect(page.get_by_text("What is asked")).to_have_count(1)
        assert said == []


async def test_two_subjects_are_compared_where_they_differ_most_by_their_median_runs(
    browser: Browser, viewer: Viewer
) -> None:
    first, second = (next(one for one in viewer.index.subjects if name in one.config) for name in ("half", "never"))
    judge = viewer.board.judges[0].slug
    async with seen(browser) as (page, said, _):
        await settled(page, viewer.route(f"/cmp?a={first.slug}&b={second.slug}"))
        found = await document(page, viewer, f"pairs/{first.slug}.{judge}.json")
        (pair,) = (one for one in found["pairs"] if one["slug"] == second.slug)
        region = page.get_by_role("region", name="Scenarios by difference")
        await region.get_by_role("button", name="Show all").click()
        gaps = [int(re.findall(r"[+-]?\d+", one)[-1]) for one in await names(region.get_by_role("listitem"))]
        assert [abs(one) for one in gaps] == sorted((abs(one) for one in gaps), reverse=True)
        assert len(gaps) == len(viewer.index.scenarios)
        assert max(map(abs, gaps)) == round(100 * max(map(abs, pair["gaps"])))
        await region.get_by_role("checkbox").check()
        await expect(region.get_by_role("listitem")).to_have_count(len(pair.get("differ", ())))
        await region.get_by_role("checkbox").uncheck()
        await region.get_by_role("listitem").nth(1).get_by_role("button").click()
        await quiet(page)
        chosen = await page.get_by_role("combobox", name="Scenario").input_value()
        assert chosen in page.url
        unit = next(one.unit for one in viewer.index.scenarios if one.id == chosen)
        results = (await document(page, viewer, f"results/{unit}.{judge}.json"))["scenarios"][0]["subjects"]
        median = {one["slug"]: str(one["median_run"]) for one in results}
        for place, subject in enumerate((first, second), 1):
            run = page.get_by_role("combobox", name=f"Run of subject {place}")
            assert await run.input_value() == median[subject.slug]
        await page.get_by_role("combobox", name="Run of all").select_option("3")
        assert await page.get_by_role("combobox", name="Run of subject 1").input_value() == "3"
        assert said == []
