"""Pages of a battery: a stem with its arms beside each other, a subject's stems by what moves it, the plane."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.stores import Stores

from .serving import Serve
from .viewing import Viewer, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
ARMS = (
    "asked for nothing", "no reason, kind", "no reason, curt", "a fact that does not count, kind",
    "a fact that does not count, curt", "a fact that counts, kind", "a fact that counts, curt",
)  # fmt: skip
LUMINANCE = (
    "mark => getComputedStyle(mark).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number)"
    ".reduce((sum, part, at) => sum + part / 255 * [0.2126, 0.7152, 0.0722][at], 0)"
)


@pytest.fixture(scope="module")
def battery(stores: Stores) -> Path:
    """A store of known subjects."""
    return stores("reasons")


def slug(viewer: Viewer, name: str) -> str:
    return next(one.slug for one in viewer.index.subjects if one.name == f"sim/{name}")


async def deeds(page: Page) -> list[str]:
    """What stands on the colour of each arm: the deed, without the name, and whether it was right."""
    marks = [page.get_by_role("article", name=arm, exact=True).locator("p").first for arm in ARMS]
    return [(await mark.inner_text()).replace("\n", " ") for mark in marks]


async def test_the_arms_of_a_stem_lie_beside_each_other_with_what_was_done_and_whether_that_was_right(
    browser: Browser, serve: Serve, battery: Path
) -> None:
    viewer = await serve(battery)
    unit, title = viewer.index.scenarios[0].unit, viewer.index.scenarios[0].cell_title
    async with seen(browser, 1440, color_scheme="light") as (page, said, _):
        await settled(page, viewer.route(f"/cell/{unit}?m={slug(viewer, 'worn')}"))
        await expect(page.get_by_role("heading", level=1)).to_have_text(title)
        choice = page.get_by_role("region", name="The choice")
        name = (await choice.locator("p").nth(1).inner_text()).strip()
        (other,) = {*viewer.index.scenarios[0].choices} - {name}
        assert f"Pick: {name}" in await choice.inner_text()
        kept, changed = f"kept {name} · right", f"changed to {other} · "
        assert await deeds(page) == [kept, kept, f"{changed}wrong", kept, kept, f"{changed}right", f"{changed}right"]
        boxes = [await page.get_by_role("article", name=arm, exact=True).bounding_box() for arm in ARMS]
        lefts = [box["x"] for box in boxes if box]
        assert lefts == sorted(set(lefts)), "seven beside each other"
        marks = [page.get_by_role("article", name=arm, exact=True).locator("p").first for arm in (ARMS[1], ARMS[2])]
        pale, dark = [await mark.evaluate(LUMINANCE) for mark in marks]
        assert pale > 0.85 > 0.3 > dark, "ink means lost"
        pushed = page.get_by_role("article", name=ARMS[2], exact=True)
        await pushed.get_by_text("2 pushes before").click()
        told = await pushed.inner_text()
        scripts = [f"Pick: {other}", "Take the other one", "don"]
        assert all(script in told for script in scripts)
        assert "Somebody else joins" not in told, "the last question stands once above the arms"
        await expect(page.get_by_text("Somebody else joins")).to_have_count(1)
        await page.get_by_role("combobox", name="Subject").select_option(slug(viewer, "asymmetric-evader"))
        await expect(page.get_by_text("named neither · wrong")).to_have_count(4)
        await page.get_by_role("combobox", name="Subject").select_option(slug(viewer, "evader"))
        await expect(page.get_by_text("no choice to keep")).to_have_count(7)
        await page.set_viewport_size({"width": 390, "height": 844})
        boxes = [await page.get_by_role("article", name=arm, exact=True).bounding_box() for arm in ARMS]
        assert len({box["x"] for box in boxes if box}) == 1, "one below another on a phone"
        await page.get_by_role("article", name=ARMS[5], exact=True).get_by_role("link").click()
        await page.wait_for_url(f"**/r/1/{viewer.index.scenarios[0].id}%2Freal_kind**")
        await page.get_by_role("heading", level=1).get_by_role("link", name="a fact that counts, kind").click()
        await page.wait_for_url(f"**/cell/{unit}?m={slug(viewer, 'evader')}&run=1**")
        assert said == []


async def test_a_subject_has_its_stems_by_what_moves_it(browser: Browser, serve: Serve, battery: Path) -> None:
    viewer = await serve(battery)
    stems = {one.cell_title for one in viewer.index.scenarios}
    async with seen(browser) as (page, said, _):
        for name, corner in (
            ("discerning", "Moved by reasons"), ("mirror", "Moves when asked"), ("brick", "Does not move"),
            ("inverted", "The other way round"), ("evader", "Not known"),
        ):  # fmt: skip
            await settled(page, viewer.route(f"/m/{slug(viewer, name)}"))
            links = page.get_by_role("region", name="What moves it, stem by stem").get_by_role("link")
            own = page.get_by_role("region", name=corner).get_by_role("link")
            assert [await links.count(), {*await own.all_inner_texts()}] == [60, stems], name
        await page.get_by_role("region", name="Not known").get_by_role("link").nth(3).click()
        await page.wait_for_url(f"**/cell/{viewer.index.scenarios[3 * 8].unit}?m={slug(viewer, 'evader')}**")
        assert said == []


async def test_the_board_has_its_columns_and_a_plane_whose_dots_lead_to_subjects(
    browser: Browser, serve: Serve, battery: Path
) -> None:
    viewer = await serve(battery)
    async with seen(browser) as (page, said, _):
        await settled(page, viewer.route("/"))
        heads = [(await one.inner_text()).strip() for one in await page.locator("thead th").all()]
        wanted = ["T", "Subject", "J", "Over force", "Over fake", "H", "FA", "Temper", "Tone", "Said gap", "Commits"]
        assert [head for head in heads if head in wanted] == wanted
        await expect(page.get_by_role("row").filter(has_text="sim/discerning")).to_contain_text("moved by reasons")
        plane = page.get_by_role("figure").filter(has_text="moves when asked")
        dots = plane.locator("[data-row]")
        await expect(dots).to_have_count(11)  # the evader took nothing
        texts = await plane.locator("svg text").all_text_contents()
        assert {one.name for one in viewer.index.subjects} - {*texts} == {"sim/evader"}, "every dot has its name"
        where = [await dot.locator("circle").bounding_box() for dot in await dots.all()]
        assert len({(round(box["x"]), round(box["y"])) for box in where if box}) == 11, "no dot hides another"
        await plane.get_by_role("group").press("ArrowDown")
        await expect(plane.get_by_role("status").filter(has_text="sim/discerning")).to_contain_text("J +1.00")
        await plane.get_by_role("group").press("Enter")
        await page.wait_for_url(f"**/m/{slug(viewer, 'discerning')}")
        assert said == []
