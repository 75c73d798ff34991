"""A run that is killed and resumed, as who watches the live page sees it."""

from __future__ import annotations

import asyncio
import re
import signal
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from independence.viewer import app
from independence.viewer.app import ViewerSettings
from independence.viewer.store_pages import StorePages
from tests.e2e import command, endpoint, suites

from .viewing import seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
LINE = "run --models-file models.yaml --suite harbour -m loop/half,loop/never,loop/always -j cues --db here.db --quiet"
RUNS, CAP = 3, 3
_CELLS = "[...document.querySelectorAll('tbody td')].map(one => one.innerText)"
_NAMES = "[...document.querySelectorAll('tbody th')].map(one => one.innerText)"


async def until(page: Page, *words: str, without: str = "not among them") -> None:
    """Wait until the page's runs say all of this."""
    runs = page.get_by_role("region", name="Runs").filter(has_not_text=without)
    for one in words:
        runs = runs.filter(has_text=one)
    await runs.wait_for()


@pytest.mark.deep
async def test_a_run_is_watched_as_it_works_is_killed_and_resumed(browser: Browser, tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    options = ("--latency", "0.3", "--faults", "429=0.3,404@always", "--price", "2/8")
    env, db = {"LOOP_KEY": endpoint.KEY}, tmp_path / "here.db"
    line = [*LINE.split(), "--runs", str(RUNS), "--max-cost", str(CAP)]
    with endpoint.serving(tmp_path, *options) as served:
        models = endpoint.models_file(tmp_path, served.base_url, 4)
        models.write_text(models.read_text().replace("backoff_s: 0.02", "backoff_s: 2"))
        first = command.start(*line, cwd=tmp_path, env=env)
        await asyncio.to_thread(endpoint.until, lambda: command.holds(db, 4), "answers")
        with StorePages(db) as pages:
            async with app.serving(pages, ViewerSettings()) as address, seen(browser) as (page, said, _):
                await settled(page, f"{address}#/live")
                await until(page, "running", "waits", "not asked", "Asked again: HTTP 429 (")
                text = await page.get_by_role("region", name="Runs").inner_text()
                assert re.search(r"\$\d+\.\d\d of at most \$3\.00", text)
                assert "loop/always@low-t0.7 is not asked any more: HTTP 404" in text
                names = await page.evaluate(_NAMES)
                first.send_signal(signal.SIGKILL)
                await asyncio.to_thread(command.finish, first)
                await until(page, "stopped before its end")
                again = command.start(*line, cwd=tmp_path, env=env)
                await until(page, "running", without="stopped")
                ended = await asyncio.to_thread(command.finish, again)
                assert ended.code == 3, ended.err
                await until(page, "ended")
                ((answers, verdicts),) = command.ask(
                    db, "SELECT (SELECT count(*) FROM calls), (SELECT count(*) FROM verdicts)"
                )
                await page.get_by_text(f"{answers} answers, {verdicts} verdicts").wait_for()
                assert await page.evaluate(_NAMES) == names
                cells = await page.evaluate(_CELLS)
                assert cells[:3] == [f"0/{RUNS}"] * 3  # no call failed: the model that nobody serves was never asked
                assert cells[3:] == [f"{RUNS}/{RUNS}"] * 6
                assert said == []
