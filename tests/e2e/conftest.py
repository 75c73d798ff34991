from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e import llama


@pytest.fixture(scope="session")
def smollm2() -> Iterator[str]:
    """The address, without /v1, of llama.cpp's server over SmolLM2-135M-Instruct, whose own template drops tools."""
    with llama.serving(llama.smollm2(), "smollm2") as address:
        yield address
