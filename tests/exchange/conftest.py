from __future__ import annotations

import os
from pathlib import Path

import pytest

from independence.suites.load import load
from independence.suites.schema import Suite


@pytest.fixture(scope="session")
def suite() -> Suite:
    return load("v2").suite


@pytest.fixture(scope="session")
def published_data() -> Path:
    folder = os.environ.get("INDEPENDENCE_PUBLISHED_DATA")
    if not folder:
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA is not set")
    return Path(folder)
