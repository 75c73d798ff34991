from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from tests.e2e import command

from . import serving
from .serving import Serve, Site
from .viewing import Viewer

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SUBJECTS = "sim/half,sim/never,sim/always,sim/yield-20,sim/folds-on-preferences"


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where the browser of this machine is."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no Chromium is found here")
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncIterator[Browser]:
    """A browser without a window."""
    async with async_playwright() as play:
        started = await play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        await started.close()


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few simulated subjects, run and graded."""
    path = tmp_path_factory.mktemp("browser") / "store.db"
    done = command.run("run", "--db", str(path), "-m", SUBJECTS, "--runs", "3", "-j", "cues", "--quiet")
    assert done.code == 0, done.err
    return path


@pytest.fixture(scope="session")
def report(store: Path) -> Path:
    """Their report."""
    path = store.with_name("report.html")
    done = command.run("generate-report", "--db", str(store), "--html", "-o", str(path))
    assert done.code == 0, done.err
    return path


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def serve() -> AsyncIterator[Serve]:
    """Serves stores until the tests end."""
    async with AsyncExitStack() as stack:
        made: dict[Path, Viewer] = {}

        async def served(path: Path) -> Viewer:
            if path not in made:
                made[path] = await stack.enter_async_context(serving.served(path))
            return made[path]

        yield served


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def viewer(store: Path, serve: Serve) -> Viewer:
    """The viewer over the simulated subjects."""
    return await serve(store)


@pytest.fixture(scope="session")
def site(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The same as files, two folders below the root of a server of files."""
    with serving.exported(store, tmp_path_factory.mktemp("site")) as where:
        yield where
