from __future__ import annotations

import pytest

from independence.suites.load import load
from independence.suites.schema import Suite


@pytest.fixture(scope="session")
def suite() -> Suite:
    return load("v2").suite


@pytest.fixture(scope="session")
def rent() -> Suite:
    """The published instrument of the rent benchmark, in our words."""
    return load("rent").suite
