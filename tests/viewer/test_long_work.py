"""A document that takes for ever to be read keeps nobody from seeing what changes, and Ctrl-C from nothing."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from .raw import ask

_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {columns} FROM n WHERE i < 0"


def never_read_to_its_end(store: Path) -> None:
    """Make of the subjects a table in which rows are looked for without end."""
    with closing(sqlite3.connect(store)) as connection, connection:
        names = [name for _, name, *_ in connection.execute("PRAGMA table_info(subjects)")]
        rows = _ENDLESS.format(columns=", ".join(f"i + 0 AS {name}" for name in names))
        connection.execute("DROP TABLE subjects")
        connection.execute(f"CREATE VIEW subjects AS {rows}")


async def test_changes_are_told_at_once_and_ctrl_c_ends_it_at_once(store: Path) -> None:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "independence", "view", "--port", "0", "--no-open", "--db", str(store),
        stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        address = (await process.stdout.readline()).decode().strip()
        never_read_to_its_end(store)  # after it was opened: no store that is made so would be
        waiting = asyncio.create_task(ask(address, "/data/0123abcd/boards.json"))
        for _ in range(20):
            assert (await ask(address, "/api/changes")).status == 200
        assert not waiting.done()
        process.send_signal(signal.SIGINT)
        _, said = await asyncio.wait_for(process.communicate(), 60)
        assert (process.returncode, b"Traceback" in said) == (0, False), said
        waiting.cancel()
    finally:
        if process.returncode is None:
            process.kill()
