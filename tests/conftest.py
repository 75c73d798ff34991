from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from independence.suites.load import Loaded, load

from . import toy

# The same examples every time, however busy the machine is.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport]:
    """Where the published data has to be there, a test that skips for want of it has failed."""
    report = yield
    required = os.environ.get("INDEPENDENCE_REQUIRE_PUBLISHED")
    if required and report.skipped and "INDEPENDENCE_PUBLISHED_DATA" in str(report.longrepr):
        report.outcome = "failed"
    return report


@pytest.fixture
def toy_folder(tmp_path: Path) -> Path:
    """A toy suite of one's own, free to be broken."""
    return toy.write(tmp_path / "toy")


@pytest.fixture(scope="session")
def toy_suite(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    """The toy suite, loaded."""
    return load(str(toy.write(tmp_path_factory.mktemp("suites") / "toy")))
