from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import settings

from independence.cli.main import main
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


@pytest.fixture(scope="session")
def published_data() -> Path:
    """The folder of published data."""
    folder = os.environ.get("INDEPENDENCE_PUBLISHED_DATA")
    if not folder:
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA is not set")
    return Path(folder)


@pytest.fixture(scope="session")
def published_store(published_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the published V2 part in it. Only to be read."""
    path = tmp_path_factory.mktemp("published") / "store.db"
    archive, models = (published_data / f"published-v2-part.{end}" for end in ("tar.xz", "models.yaml"))
    done = CliRunner().invoke(main, ["import", str(archive), "--models-file", str(models), "--db", str(path)])
    assert done.exit_code == 0, done.output
    return path
