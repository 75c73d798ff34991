from __future__ import annotations

import sqlite3

import pytest

from independence.suites.load import LoadedSuite

from .filled import Toy


@pytest.fixture
def toy(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> Toy:
    """A blank store and the toy suite, by which to fill it."""
    return Toy(connection, toy_suite)
