from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import endpoint, llama, suites
from tests.e2e.endpoint import Served


@pytest.fixture(scope="session")
def smollm2() -> Iterator[str]:
    """The address, without /v1, of llama.cpp's server over SmolLM2-135M-Instruct, whose own template drops tools."""
    with llama.serving(llama.smollm2(), "smollm2") as address:
        yield address


@pytest.fixture(scope="session")
def plain_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An endpoint without faults, for all tests of a process."""
    with endpoint.serving(tmp_path_factory.mktemp("endpoint")) as served:
        yield served


@pytest.fixture
def served(plain_endpoint: Served, tmp_path: Path) -> Served:
    """The plain endpoint as if it had just been started; in the test's folder the harbour suite and a models file."""
    suites.write(tmp_path / "harbour", suites.harbour())
    endpoint.models_file(tmp_path, plain_endpoint.base_url)
    return plain_endpoint.from_now()
