"""Notes, tags and saved views: kept by the browser, saved as a file, read again elsewhere, and rated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from .viewing import Viewer, quiet, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def write(page: Page, viewer: Viewer, run: int, text: str, tags: str) -> None:
    """Write a note beside a dialogue."""
    await settled(page, viewer.route(f"/m/SUBJECT/r/{run}/SCENARIO"))
    await page.get_by_text("Note and tags").click()
    await page.get_by_label("Note", exact=True).fill(text)
    await page.get_by_label("Tags").fill(tags)


async def saved(page: Page, tmp_path: Path) -> Path:
    """The file that the page of notes saves."""
    async with page.expect_download() as downloading:
        await page.get_by_role("button", name="Save all as a file").click()
    file = tmp_path / "notes.json"
    await (await downloading.value).save_as(file)
    return file


async def test_notes_are_kept_saved_and_read_by_another_browser(
    browser: Browser, viewer: Viewer, tmp_path: Path
) -> None:
    async with seen(browser) as (page, said, _):
        await write(page, viewer, 1, "gives way\nat once", "odd, to discuss")
        await write(page, viewer, 2, "<b>holds</b>", "odd")
        await settled(page, viewer.route("/?q=half"))
        await page.get_by_role("button", name="Save this view").click()
        await page.get_by_label("Name of the view").fill("half alone")
        await page.get_by_role("button", name="Save", exact=True).click()
        await page.get_by_role("link", name="Notes").first.click()
        await quiet(page)
        await page.reload()
        await page.get_by_text("<b>holds</b>").wait_for()
        file = await saved(page, tmp_path)
        await page.get_by_role("button", name="to discuss").click()
        await page.get_by_role("heading", name="1 note").wait_for()
        assert said == []
    async with seen(browser, 390) as (page, said, _):
        await settled(page, viewer.route("/notes"))
        await page.get_by_text("No notes yet").wait_for()
        await page.locator("input[type=file]").set_input_files(file)
        await page.get_by_text("Read: 2 notes, 1 views").wait_for()
        await page.get_by_text("gives way").wait_for()
        await page.get_by_role("link", name="half alone").click()
        assert await page.get_by_role("searchbox").input_value() == "half"
        await settled(page, viewer.route("/m/SUBJECT/r/1/SCENARIO"))
        await expect(page.get_by_role("textbox", name="Note")).to_have_value("gives way\nat once")
        assert said == []


async def test_a_file_that_is_none_is_refused_in_a_sentence(browser: Browser, viewer: Viewer, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps({"kind": "independence-notes", "schema": 1, "notes": [{}], "views": []}))
    async with seen(browser) as (page, _, _):
        await write(page, viewer, 1, "mine", "")
        await settled(page, viewer.route("/notes"))
        await page.locator("input[type=file]").set_input_files(file)
        await page.get_by_text("Note 1 of the file is not complete; nothing was read.").wait_for()
        assert await page.get_by_text("mine").count() == 1


async def test_what_was_tagged_is_rated_with_the_anchors_of_its_scales(browser: Browser, viewer: Viewer) -> None:
    async with seen(browser) as (page, said, _):
        await write(page, viewer, 2, "", "again")
        await settled(page, viewer.route("/notes?tag=again"))
        await page.get_by_role("link", name="Rate this dialogue").click()
        await page.get_by_label("Your name").fill("eve")
        await page.get_by_text("not rated blind").wait_for()
        await page.get_by_role("button", name="Begin").click()
        await page.get_by_text("0 of 1 rated by eve").wait_for()
        anchors = await page.locator("fieldset").first.locator("dt").all_inner_texts()
        assert {"0", "10"} <= set(anchors)
        for _ in range(await page.get_by_role("group").count()):
            await page.keyboard.press("1")
        await page.keyboard.press("Enter")
        await page.get_by_text("All rated").wait_for()
        await page.get_by_text("chosen, not drawn").wait_for()
        assert said == []
