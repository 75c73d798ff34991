"""The loopback endpoint in a process of its own, so that its CPU is never taken for the client's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

_WAIT_S = 10.0


class _Line(msgspec.Struct, frozen=True):
    state: str


@contextmanager
def endpoint(latency: str, log: Path | None = None) -> Iterator[str]:
    """Serve on a free port until the block ends; yields the base URL. The models cost nothing."""
    logged = ["--log", str(log)] if log else []
    command = [sys.executable, "-m", "independence", "endpoint", "--port", "0", "--latency", latency, "--price", "0/0"]
    process = subprocess.Popen([*command, *logged], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        if not url:
            raise RuntimeError("the loopback endpoint did not start")
        yield url
    finally:
        process.terminate()
        process.wait(_WAIT_S)


def most_in_flight(log: Path) -> int:
    """The most requests an endpoint held at one time, by its log."""
    now = most = 0
    for line in log.read_bytes().splitlines():
        now += 1 if msgspec.json.decode(line, type=_Line).state == "received" else -1
        most = max(most, now)
    return most
