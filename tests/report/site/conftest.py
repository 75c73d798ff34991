from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from tests.report.site import reading
from tests.report.site.reading import Documents
from tests.stores import Stores


@pytest.fixture(scope="session")
def documents(stores: Stores) -> Callable[[str], Documents]:
    """Every document of a store by its name, read once."""
    return cache(lambda name: reading.read(stores(name)))
