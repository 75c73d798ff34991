"""Memory of `view`: at its start, after every page was asked for, and while another process writes the store.

The writer takes answers of the published part away and puts them back, twenty a second: what the server may hold stays
the same, so that whatever it gains is kept for nothing. `python -m benchmarks.viewer_memory 10` measures ten minutes,
and `python -m benchmarks.viewer_memory pages STORE` what the pages of another store take.
"""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks import published
from benchmarks.figure import Figure, Result, Skipped
from independence.report.pages.paths import StoreDocuments
from independence.store import dialogue_rows
from independence.store.file import database, digests

GROWTH, ANSWERED = "memory of `view`, gained while a store is written", "`api/changes` meanwhile, 95%"
GROWTH_BOUND_MB, ANSWERED_BOUND_MS = 24.0, 250.0
START, WHOLE = "memory of `view` at its start", "memory of `view` after every page, of its store"
START_BOUND_MB, WHOLE_BOUND = 150.0, 2.2
MINUTES = 2.0
_MISSING, _PER_S, _POLL_S = 400, 20, 0.5
_SAMPLES = 10  # at either end, of which the median counts


class Watched(NamedTuple):
    """What was seen of a server: its memory again and again, and how long it took to tell what changed."""

    memory_mb: list[float]
    changes_ms: list[float]
    versions: int
    documents: int


def measure(minutes: float = MINUTES) -> list[Result]:
    """Skipped where the data is not there."""
    found = published.found()
    if isinstance(found, str):
        return [Skipped(name, found) for name in (START, WHOLE, GROWTH, ANSWERED)]
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / "store.db"
        published.make(found, store)
        asked = every_page(store)
        with serving(store) as (address, process):
            reader = _Reader(address)
            with _writing(store) as writer:
                watched = reader.watch(process.pid, minutes)
                if writer.poll() is not None:
                    raise RuntimeError("the writer ended early; nothing was measured")
    first, last = median(watched.memory_mb[:_SAMPLES]), median(watched.memory_mb[-_SAMPLES:])
    quantile = sorted(watched.changes_ms)[int(0.95 * len(watched.changes_ms))]
    most = max(watched.memory_mb)
    told = f"{minutes:g} min, {watched.versions} changes seen, {watched.documents:,} documents read"
    return [
        *asked,
        Figure(
            GROWTH,
            last - first,
            "MB",
            GROWTH_BOUND_MB,
            detail=f"{first:.0f} to {last:.0f}, at most {most:.0f} MB; {told}",
        ),
        Figure(ANSWERED, quantile, "ms", ANSWERED_BOUND_MS, detail=f"at most {max(watched.changes_ms):.0f} ms"),
    ]


def every_page(store: Path) -> list[Result]:
    """What the server holds at first, and once each document of a store was asked for."""
    with database.reading(store) as connection:
        paths = list(StoreDocuments(connection).paths())
    size_mb = store.stat().st_size / 2**20
    with serving(store) as (address, process):
        first, began = memory_mb(process.pid), time.monotonic()
        for path in paths:
            with urllib.request.urlopen(f"{address}data/00000000/{path}", timeout=600) as answer:
                answer.read()
        last, took = memory_mb(process.pid), time.monotonic() - began
    told = f"{last:.0f} of {size_mb:.0f} MB; {len(paths):,} documents in {took:.0f} s"
    return [
        Figure(START, first, "MB", START_BOUND_MB),
        Figure(WHOLE, last / size_mb, "times", WHOLE_BOUND, detail=told),
    ]


@contextmanager
def serving(*arguments: str | Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`view` over a store, or with other arguments: its address, and the process."""
    own = ["--db", *arguments] if len(arguments) == 1 else list(arguments)
    command = [sys.executable, "-m", "independence", "view", "--port", "0", "--no-open", *map(str, own)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


@contextmanager
def _writing(store: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.viewer_memory", "write", str(store)])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def write(store: Path) -> None:
    """Take answers away and put them back, until this process is ended."""
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("PRAGMA busy_timeout = 30000")
        digests.offer(connection)
        keys = connection.execute("SELECT trial, turn FROM calls WHERE version = 0 ORDER BY after").fetchall()
        away: deque[Sequence[Any]] = deque()
        for key in cycle(keys):
            where = "FROM calls WHERE trial = ? AND turn = ? AND version = 0"
            away.append(connection.execute(f"SELECT * {where}", key).fetchone())
            connection.execute(f"DELETE {where}", key)
            dialogue_rows.write(connection, [key[0]])
            if len(away) > _MISSING:
                back = away.popleft()
                connection.execute(f"INSERT INTO calls VALUES ({', '.join('?' * len(back))})", back)
                dialogue_rows.write(connection, [back[0]])
                time.sleep(1 / _PER_S)


class _Reader:
    """Reads every document once, then follows the store as the page does, and keeps nothing."""

    def __init__(self, address: str) -> None:
        self._address = address
        (board, *_) = self._json("data/00000000/boards.json")["boards"]
        base = f"data/00000000/{board['id']}"
        judge = board["judges"][0]["slug"]
        units = {one["unit"] for one in self._json(f"{base}/index.{judge}.json")["scenarios"]}
        self._live = f"api/live/{board['id']}"
        self._shown = [f"{base}/index.{judge}.json", f"{base}/cells.{judge}.json", f"{base}/texts.json"]
        places = [f"{unit}/{bucket}" for unit in sorted(units) for bucket in range(board["buckets"])]
        blocks = [f"{base}/text/{place}.0.json" for place in places]
        for path in (*self._shown, *blocks):
            self._get(path)
        self._blocks = cycle(blocks)

    def watch(self, pid: int, minutes: float) -> Watched:
        """Of the process that serves it."""
        memory, took = list[float](), list[float]()
        versions, documents, version = 0, 0, ""
        until = time.monotonic() + 60 * minutes
        while time.monotonic() < until:
            began = time.monotonic()
            told = self._json("api/changes")["version"]
            took.append(1000 * (time.monotonic() - began))
            if told != version:
                version, versions = told, versions + 1
                for path in (self._live, *self._shown, next(self._blocks)):
                    documents += bool(self._get(path))
            memory.append(memory_mb(pid))
            time.sleep(_POLL_S)
        return Watched(memory, took, versions, documents)

    def _get(self, path: str) -> bytes:
        """A document; empty for a block in which nobody is."""
        try:
            with urllib.request.urlopen(self._address + path, timeout=120) as answer:
                content: bytes = answer.read()
            return content
        except urllib.error.HTTPError as error:
            if error.code != 404 or "/text/" not in path:
                raise
            return b""

    def _json(self, path: str) -> Any:
        return json.loads(self._get(path))


def memory_mb(pid: int) -> float:
    """What a process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    return float(status.split("VmRSS:")[1].split()[0]) / 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["pages"]:
        for figure in every_page(Path(sys.argv[2])):
            print(figure)
    else:
        for result in measure(float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES):
            print(result)
