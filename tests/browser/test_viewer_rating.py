"""A person rates blind by keyboard; the ratings become verdicts, and agreement with the judges is told."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from tests.e2e import command

from . import serving
from .serving import Site
from .viewing import Viewer, quiet, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
ITEMS = 10


@pytest.fixture
def copy(store: Path, tmp_path: Path) -> Path:
    """A store that may be written."""
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
    return path


async def does(*arguments: str | Path) -> str:
    """What the command prints; beside the loop in which the page is served."""
    ended = await asyncio.to_thread(command.run, *arguments)
    assert ended.code == 0, ended.err
    return ended.out


async def press_to(page: Page, name: str) -> None:
    """Press Tab until a button or a field of a name has the focus."""
    for _ in range(200):
        await page.keyboard.press("Tab")
        if name in await page.evaluate(
            "(one => one.closest('label')?.innerText ?? one.innerText ?? '')(document.activeElement)"
        ):
            return
    raise AssertionError(f"Tab never comes to {name}")


async def begin(page: Page, viewer: Viewer, rater: str, *, pairs: bool = False) -> None:
    """Begin a session of ten, without the mouse."""
    await settled(page, viewer.route("/rate"))
    await press_to(page, "name")
    await page.keyboard.type(rater)
    await press_to(page, "How")
    await page.keyboard.press("ArrowDown" if pairs else "ArrowUp")
    await press_to(page, "How many")
    await page.keyboard.press("ArrowUp")
    await press_to(page, "Begin")
    await page.keyboard.press("Enter")
    await page.get_by_text(f"0 of {ITEMS} rated by {rater}").wait_for()


async def blind(page: Page, viewer: Viewer) -> None:
    """Nothing of an item tells who wrote it or what judges said."""
    text = await page.locator("main").inner_text()
    assert [one.label for one in viewer.index.subjects if one.label in text or one.name in text] == []
    assert not any(word in text for word in ("sim/", "cues", "Thinking", "Reasoning", "$"))


async def rate(page: Page, viewer: Viewer, rater: str, done: int) -> None:
    """Score one dialogue by its fields."""
    await page.get_by_text(f"{done} of {ITEMS} rated by {rater}").wait_for()
    await page.get_by_role("region", name="Dialogue").wait_for()
    await page.get_by_role("group").first.wait_for()
    await blind(page, viewer)
    for _ in range(await page.get_by_role("group").count()):
        await page.keyboard.press(str(done % 2))
    await page.keyboard.press("Enter")
    await page.get_by_text(f"{done + 1} of {ITEMS} rated by {rater}").wait_for()


async def test_ratings_by_keyboard_are_sent_to_the_store_and_their_agreement_is_told(
    browser: Browser, copy: Path
) -> None:
    async with serving.served(copy) as viewer, seen(browser) as (page, said, _):
        await begin(page, viewer, "ada")
        for done in range(ITEMS):
            await rate(page, viewer, "ada", done)
            if done == 3:
                await page.reload()
                await quiet(page)
        await page.get_by_text("All rated").wait_for()
        await press_to(page, "Send to the store")
        await page.keyboard.press("Enter")
        await page.get_by_text("verdicts stored").wait_for()
        await settled(page, viewer.route("/judges"))
        await page.locator("main").get_by_text("human:ada").first.wait_for()
        assert said == []
    with closing(sqlite3.connect(copy)) as connection:
        (stored,) = connection.execute("SELECT count(*) FROM verdicts WHERE judge = 'human:ada'").fetchone()
    assert ITEMS * 0.8 <= stored <= ITEMS  # a fifth is shown twice
    told = await does("validate-judges", "--db", copy, "--format", "json")
    assert "human:ada" in told
    assert json.loads(told)


async def test_ratings_in_a_static_site_are_kept_downloaded_and_imported(
    browser: Browser, site: Site, copy: Path, tmp_path: Path
) -> None:
    async with seen(browser) as (page, said, asked):
        await begin(page, site.viewer, "bea")
        for done in range(3):
            await rate(page, site.viewer, "bea", done)
        await page.reload()
        await page.get_by_text(f"3 of {ITEMS} rated by bea").wait_for()
        async with page.expect_download() as downloading:
            await press_to(page, "Download ratings.json")
            await page.keyboard.press("Enter")
        file = tmp_path / "ratings.json"
        await (await downloading.value).save_as(file)
        assert not any("/api/" in url for url in asked)
        assert said == []
    held = json.loads(file.read_bytes())
    assert (held["rater"], len(held["ratings"]), held["pairs"]) == ("bea", 3, [])
    await does("import", file, "--db", copy)
    with closing(sqlite3.connect(copy)) as connection:
        judges = dict(connection.execute("SELECT judge, count(*) FROM verdicts GROUP BY judge"))
    assert judges["human:bea"] == len({one["item"] for one in held["ratings"]})
    told = await does("validate-judges", "--db", copy)
    assert "human:bea" in told
    assert "Judges against people" in told


async def test_two_dialogues_are_compared_by_four_keys(browser: Browser, site: Site) -> None:
    async with seen(browser) as (page, _, _):
        await begin(page, site.viewer, "cyd", pairs=True)
        for done, key in enumerate("abes"):
            await page.get_by_text(f"{done} of {ITEMS} rated by cyd").wait_for()
            await page.get_by_role("button", name=f"({key})").and_(page.locator(":enabled")).wait_for()
            await blind(page, site.viewer)
            await page.keyboard.press(key)
        await page.get_by_text(f"4 of {ITEMS} rated by cyd").wait_for()
        async with page.expect_download() as downloading:
            await page.get_by_role("button", name="Download ratings.json").click()
        file = await (await downloading.value).path()
        held = json.loads(file.read_bytes())
        assert [pair["better"] for pair in held["pairs"]] == ["first", "second", "equal", "skipped"]
        assert all(pair["first"] != pair["second"] and pair["seconds"] >= 0 for pair in held["pairs"])
