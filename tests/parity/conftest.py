from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.parity import lines
from tests.parity.lines import Workplace
from tests.stores import once


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workplace]:
    """Where lines are run."""
    with lines.workplace(once(tmp_path_factory, "parity", lines.make)) as found:
        yield found
