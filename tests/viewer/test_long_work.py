"""A document that takes for ever to be made keeps nobody from seeing what changes, and Ctrl-C from nothing."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from pathlib import Path

import pytest

from .raw import ask

_CODE = """
import sys
from independence.cli.main import main
from independence.report.site.paths import StoreDocuments

def document(self, path):
    {work}

StoreDocuments.document = document
main(["view", "--port", "0", "--no-open", "--db", sys.argv[1]])
"""
_COMPUTES = "while True: pass"
_ASKS = (
    "self._connection.execute('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT count(*) FROM n').fetchone()"
)


@pytest.mark.parametrize("work", [_COMPUTES, _ASKS])
async def test_changes_are_told_at_once_and_ctrl_c_ends_it_at_once(store: Path, work: str) -> None:
    assert await _until_ended(store, work) < 30  # the work never ends


async def _until_ended(store: Path, work: str) -> float:
    """Seconds from Ctrl-C to the end of a server that is at work."""
    code = _CODE.format(work=work)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(store), stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
    )
    assert process.stdout is not None
    address = (await process.stdout.readline()).decode().strip()
    waiting = asyncio.create_task(ask(address, "/data/0123abcd/x/index.y.json"))
    await asyncio.sleep(0.3)
    took = []
    for _ in range(20):
        began = time.monotonic()
        assert (await ask(address, "/api/changes")).status == 200
        took.append(time.monotonic() - began)
    assert sorted(took)[18] < 0.25, took
    assert not waiting.done()
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = await asyncio.wait_for(process.communicate(), 10)
    took_s = time.monotonic() - began
    assert process.returncode == 0, said
    assert b"Traceback" not in said
    waiting.cancel()
    return took_s
