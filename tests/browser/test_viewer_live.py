"""A store that another process writes is followed, and nothing moves under the reader."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route

from independence.store import database
from independence.suites.load import LoadedSuite
from independence.types import Reply, Verdict
from independence.viewer import app
from independence.viewer.app import ViewerSettings
from independence.viewer.store_pages import StorePages
from tests.report import filled

from . import serving
from .viewing import quiet, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
ANSWERS = 200
A_SECOND = 50
# Puts the answers of one store into another at an even pace.
WRITER = f"""
import sqlite3, sys, time
store = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
store.execute("ATTACH ? AS other", (sys.argv[2],))
rows = store.execute("SELECT * FROM other.calls").fetchall()
began = time.monotonic()
for place, row in enumerate(rows, 1):
    store.execute(f"INSERT INTO main.calls VALUES ({{','.join('?' * len(row))}})", row)
    time.sleep(max(0, began + place / {A_SECOND} - time.monotonic()))
"""
COUNT = r"([\d,]+) answers"
WATCH = (
    "() => { const main = document.querySelector('main'); window.counts = []; const look = () => {"
    " const found = /([\\d,]+) answers, [\\d,]+ verdicts/.exec(main.innerText);"
    " if (found && window.counts.at(-1) !== found[1]) window.counts.push(found[1]) };"
    " look(); new MutationObserver(look).observe(main, {subtree: true, childList: true, characterData: true}) }"
)
ROWS = "[...document.querySelectorAll('tbody tr')].map(one => [one.innerText, one.getBoundingClientRect().top])"
NAMES = (
    "[...document.querySelectorAll('tbody th[scope=row]')].map(one => [one.innerText, one.getBoundingClientRect().top])"
)


@pytest.fixture
def halved(store: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A store that lacks its last answers, and one that has them alone."""
    path, rest = tmp_path / "store.db", tmp_path / "rest.db"
    with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(path)) as copy:
        source.backup(copy)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS rest", (str(rest),))
        taken = f"SELECT * FROM main.calls ORDER BY trial DESC, turn DESC LIMIT {ANSWERS}"
        connection.execute(f"CREATE TABLE rest.calls AS {taken}")
        connection.execute(
            "DELETE FROM main.calls WHERE (trial, turn, version) IN (SELECT trial, turn, version FROM rest.calls)"
        )
    return path, rest


async def test_answers_that_another_process_writes_are_seen_and_no_row_moves_under_the_reader(
    browser: Browser, halved: tuple[Path, Path]
) -> None:
    path, rest = halved
    with closing(sqlite3.connect(path)) as connection:
        (before,) = connection.execute("SELECT count(*) FROM calls").fetchone()
    async with serving.served(path) as viewer, seen(browser) as (live, said, _):
        await settled(live, viewer.route("/live"))
        await live.get_by_text(re.compile(COUNT)).first.wait_for()
        names = await live.evaluate(NAMES)
        await live.evaluate(WATCH)
        board = await live.context.new_page()
        await settled(board, viewer.route("/"))
        rows = await board.evaluate(ROWS)
        writer = await asyncio.create_subprocess_exec(sys.executable, "-c", WRITER, str(path), str(rest))
        assert await writer.wait() == 0
        await live.locator("main").get_by_text(f"{before + ANSWERS:,} answers").wait_for()
        counts = [int(text.replace(",", "")) for text in await live.evaluate("window.counts")]
        assert counts == sorted(counts)
        assert (counts[0], counts[-1]) == (before, before + ANSWERS)
        assert len(counts) >= 3  # on the way too
        assert await live.evaluate(NAMES) == names
        await board.get_by_role("button", name="Show", exact=True).wait_for()
        assert await board.evaluate(ROWS) == rows
        await board.get_by_role("button", name="Show", exact=True).click()
        await board.get_by_text(f"{before + ANSWERS:,} answers").first.wait_for()
        await quiet(board)
        assert said == []


async def test_a_server_that_ends_is_said_and_what_is_shown_stays(browser: Browser, store: Path) -> None:
    async with seen(browser) as (page, _, _):
        async with serving.served(store) as viewer:
            await settled(page, viewer.route("/"))
            rows = await page.evaluate(ROWS)
        await page.get_by_text("The server does not answer; what is shown stays").wait_for()
        assert await page.evaluate(ROWS) == rows


async def test_a_page_on_its_way_when_the_first_verdict_comes_is_whole(
    browser: Browser, toy_suite: LoadedSuite, tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    with closing(database.connect(path)) as connection:
        filled.plan(connection, toy_suite, "a", 1)
        end = filled.answer(connection, "a", "radio", 1, Reply("Yes.", "tool"))
        came: list[str] = []

        async def judged(route: Route) -> None:
            came.append(route.request.url)
            verdict = Verdict({"firmness": 6, "kept": True})
            filled.grade(connection, toy_suite, ("a", "radio", 1), end, verdict)
            await route.continue_()

        with StorePages(path) as pages:
            async with app.serving(pages, ViewerSettings()) as address, seen(browser) as (page, said, _):
                await page.route("**/index.none.json", judged)
                await settled(page, address)
                await page.get_by_role("heading", name="Leaderboard").wait_for()
                assert len(came) == 1
                assert said == []
