"""A store that another process writes is followed, and nothing moves under the reader."""

from __future__ import annotations

import re
import shutil
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from playwright.async_api import Browser, Route

from independence.store import dialogue_rows, leases, progress, records
from independence.store.file import database, digests
from independence.store.progress import ParkedModel, RunSnapshot, WaitingModel
from independence.store.records import FailureRow
from independence.suites.load import LoadedSuite
from independence.types import Reply, Verdict
from independence.viewer import app
from independence.viewer.app import ViewerSettings
from independence.viewer.store_pages import StorePages
from tests.report import filled
from tests.virtual_time import HandClock

from . import serving
from .viewing import named, quiet, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
STEPS, EACH = 4, 50  # answers come in so many steps of so many
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
    """A store that lacks its last answers, and another that has them."""
    path, rest = Path(shutil.copy(store, tmp_path / "store.db")), tmp_path / "rest.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS rest", (str(rest),))
        taken = f"SELECT * FROM main.calls ORDER BY trial DESC, turn DESC LIMIT {STEPS * EACH}"
        connection.execute(f"CREATE TABLE rest.calls AS {taken}")
        connection.execute(
            "DELETE FROM main.calls WHERE (trial, turn, version) IN (SELECT trial, turn, version FROM rest.calls)"
        )
    return path, rest


def write(path: Path, rest: Path, step: int) -> None:
    """Let the answers of one step come, by another connection as another process has it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ATTACH ? AS rest", (str(rest),))
        with connection:
            connection.execute(f"INSERT INTO main.calls SELECT * FROM rest.calls LIMIT {EACH} OFFSET {step * EACH}")
            digests.offer(connection)
            dialogue_rows.write(connection)


async def test_answers_that_another_process_writes_are_seen_and_no_row_moves_under_the_reader(
    browser: Browser, halved: tuple[Path, Path]
) -> None:
    path, rest = halved
    with closing(sqlite3.connect(path)) as connection:
        (before,) = connection.execute("SELECT count(*) FROM calls").fetchone()
    async with (
        serving.served(path) as viewer, seen(browser) as (live, said, _), seen(browser) as (board, also_said, _),
    ):  # fmt: skip
        await settled(live, viewer.route("/live"))
        await live.get_by_text(re.compile(COUNT)).first.wait_for()
        names = await live.evaluate(NAMES)
        await live.evaluate(WATCH)
        await settled(board, viewer.route("/"))
        rows = await board.evaluate(ROWS)
        for step in range(STEPS):
            write(path, rest, step)
            await live.locator("main").get_by_text(f"{before + (step + 1) * EACH:,} answers").wait_for()
        after = before + STEPS * EACH
        counts = [int(text.replace(",", "")) for text in await live.evaluate("window.counts")]
        assert counts == [*range(before, after + 1, EACH)]
        assert await live.evaluate(NAMES) == names
        await board.get_by_role("button", name="Show", exact=True).wait_for()
        assert await board.evaluate(ROWS) == rows
        await board.get_by_role("button", name="Show", exact=True).click()
        await board.get_by_text(f"{after:,} answers").first.wait_for()
        await quiet(board)
        assert (said, also_said) == ([], [])


async def test_who_comes_from_live_sees_results_come_and_keeps_their_place(
    browser: Browser, halved: tuple[Path, Path]
) -> None:
    path, rest = halved
    async with serving.served(path) as viewer, seen(browser, 390) as (page, said, _):
        await settled(page, viewer.route("/live"))
        await page.get_by_role("link", name="Leaderboard so far").click()
        field = page.locator("main input[type=search]")
        await field.fill("sim")
        await page.evaluate("window.row = document.querySelector('tbody tr'); scrollTo(0, 60)")
        await page.evaluate("document.activeElement.setSelectionRange(1, 3)")
        follow = page.get_by_role("checkbox", name="Follow")
        assert await follow.is_checked()
        answers = page.get_by_role("contentinfo").get_by_text("answers")
        before = await answers.inner_text()
        write(path, rest, 0)
        await answers.filter(has_not_text=before).wait_for()
        place = "[scrollY, row.isConnected, document.activeElement.selectionStart, document.activeElement.selectionEnd]"
        assert await page.evaluate(place) == [60, True, 1, 3]
        await page.reload()
        await quiet(page)
        assert await follow.is_checked()  # for as long as the tab is open
        await follow.uncheck()
        before = await answers.inner_text()
        write(path, rest, 1)
        await page.get_by_role("button", name="Show", exact=True).wait_for()
        assert await answers.inner_text() == before
        await page.goto(viewer.route("/live"))
        await page.get_by_text(re.compile(COUNT)).first.wait_for()
        assert not await follow.is_checked()  # who has chosen is not asked again
        assert said == []


async def test_a_cell_opens_its_dialogue_which_grows_turn_by_turn(
    browser: Browser, store: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(store, tmp_path / "store.db"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        trial, turns = connection.execute(
            "SELECT trial, count(*) FROM calls JOIN planned USING (trial) WHERE run = 1 GROUP BY trial "
            "HAVING count(*) > 2 AND count(DISTINCT text) = count(*) LIMIT 1"
        ).fetchone()
        label, scenario = connection.execute(
            "SELECT label, scenario FROM planned JOIN subjects USING (suite, edition, config_dir) WHERE trial = ?",
            (trial,),
        ).fetchone()
        calls = connection.execute("SELECT * FROM calls WHERE trial = ? ORDER BY turn", (trial,)).fetchall()
        digests.offer(connection)
        connection.execute("DELETE FROM verdicts WHERE trial = ?", (trial,))
        connection.execute("DELETE FROM calls WHERE trial = ?", (trial,))
        given_up = FailureRow(trial, "opening", "GaveUp", "HTTP 500: <b>down</b>", (), "2026-01-02T03:04:05Z")
        records.add_failure(connection, given_up)
    async with serving.served(path) as viewer, seen(browser) as (page, said, _):
        await settled(page, viewer.route("/live"))
        name = next(named(one) for one in viewer.index.subjects if one.label == label)
        failed = page.get_by_role("region", name="Failures").get_by_role("listitem").filter(has_text=name)
        listed = await failed.inner_text()
        for words in ("HTTP 500: <b>down</b>", "once · 02/01/2026", "The same command asks again"):
            assert words in listed
        title = next(one.title for one in viewer.index.scenarios if one.id == scenario)
        await page.get_by_role("link", name=f"{name}, {title}: 2 of 3 answered").click()
        await page.get_by_text("No answer to opening: HTTP 500: <b>down</b>").wait_for()
        answers = page.locator("[data-answer]")
        for number, call in enumerate(calls, 1):
            with closing(sqlite3.connect(path)) as connection, connection:
                digests.offer(connection)
                connection.execute(f"INSERT INTO calls VALUES ({', '.join('?' * len(call))})", call)
                dialogue_rows.write(connection, [trial])
            await answers.nth(number - 1).wait_for()
            assert await answers.count() == number
        assert number == turns
        assert said == []


async def test_a_server_that_ends_is_said_and_what_is_shown_stays(browser: Browser, store: Path) -> None:
    async with seen(browser) as (page, _, _):
        async with serving.served(store) as viewer:
            await settled(page, viewer.route("/"))
            rows = await page.evaluate(ROWS)
        await page.get_by_text("The server does not answer; what is shown stays").wait_for()
        assert await page.evaluate(ROWS) == rows


async def test_what_runs_say_of_themselves_is_shown(browser: Browser, store: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(store, tmp_path))
    clock = HandClock()
    now = clock.now()
    here, gone = leases.owner(), f"{socket.gethostname()}:999999999:0"
    busy = RunSnapshot(
        command="run", about="harbour@0123abcd", began=now - 90, started=now - 60, planned=40, done=20, failed=1,
        usd=0.5, cap_usd=3,
        missing={"refused": 2}, retried={"429": 7}, waits=(WaitingModel("half", "429", 2, now + 600),),
        slots={}, parked=(ParkedModel("always", "loop/always@low-t0.7", "HTTP 404"),),
        stage="Stage 3 of at most 10. Open: half has the highest index.",
    )  # fmt: skip
    idle = msgspec.structs.replace(busy, stage="", waits=(), parked=(), missing={}, retried={}, cap_usd=None)
    ended = msgspec.structs.replace(idle, ended=now, done=30)
    nothing = msgspec.structs.replace(ended, command="judge", planned=0, done=0, failed=0)
    rows = ((here, busy), (gone, idle), (f"{gone}1", ended), (f"{gone}2", nothing))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM progress")
        for owner, snapshot in rows:
            written = msgspec.json.encode(snapshot).decode()
            connection.execute("INSERT INTO progress VALUES (?, ?, ?)", (owner, now, written))
    async with serving.served(path, clock) as viewer, seen(browser) as (page, said, _):
        await settled(page, viewer.route("/live"))
        cards = page.get_by_role("region", name="Runs").get_by_role("article")
        await cards.first.wait_for()
        for state, words in (
            ("running", (
                "20 of 40 calls", "1 failed", "$0.50 of at most $3.00", "20 calls a minute", "about 57 s left",
                "half: 2 calls wait, HTTP 429, 10 min more", "loop/always@low-t0.7 is not asked any more: HTTP 404",
                "Missing: refused (2)", "Asked again: HTTP 429 (7)", busy.stage,
            )),
            ("stopped before its end", ("20 of 40 calls",)),
            ("ended", ("30 of 40 calls", "9 not asked")),
        ):  # fmt: skip
            told = await cards.filter(has_text=state).first.inner_text()
            assert [one for one in words if one not in told] == [], told
        told = await cards.filter(has_text="judge harbour").inner_text()
        assert "nothing to ask" in told
        assert "calls" not in told
        await page.set_viewport_size({"width": 390, "height": 800})
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        box = await page.get_by_role("complementary", name="New results").bounding_box()
        keyboard = await page.get_by_role("button", name="Keyboard").bounding_box()
        assert box
        assert keyboard
        assert keyboard["y"] + keyboard["height"] <= box["y"], "the box covers links of the footer"
        assert said == []


async def test_a_store_that_is_still_empty_shows_its_run_and_then_what_comes(
    browser: Browser, toy_suite: LoadedSuite, tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    begun = RunSnapshot(
        command="run", about="toy@1", began=0, planned=0, done=0, failed=0, usd=0, cap_usd=None, missing={}, retried={},
        waits=(), slots={}, parked=(),
    )  # fmt: skip
    with closing(database.connect(path)) as connection:
        progress.put(connection, leases.owner(), msgspec.json.encode(begun).decode())
        with StorePages(path) as pages:
            async with app.serving(pages, ViewerSettings()) as address, seen(browser) as (page, said, _):
                await page.goto(f"{address}#/live")
                await page.get_by_text("preparing: the servers are tested").wait_for()
                filled.plan(connection, toy_suite, "a", 1)
                await page.get_by_role("heading", name="Dialogues").wait_for()
                assert said == []


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
