from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from independence.suites.load import Loaded, load

from . import toy

# The same examples every time, however busy the machine is.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


@pytest.fixture
def toy_folder(tmp_path: Path) -> Path:
    """A toy suite of one's own, free to be broken."""
    return toy.write(tmp_path / "toy")


@pytest.fixture(scope="session")
def toy_suite(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    """The toy suite, loaded."""
    return load(str(toy.write(tmp_path_factory.mktemp("suites") / "toy")))
