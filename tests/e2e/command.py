"""Runs the real command in a clean environment and looks at what it leaves behind.

`run` runs it in this process; `apart` in a process of its own, for tests of signals, streams, limits and packages.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from independence.cli.main import main
from independence.config import entries
from independence.store import context, dialogue_rows
from independence.store.file import digests
from tests.virtual_time import HandClock

_KEYS = tuple(variable for entry in entries.shipped().values() for variable in entry.key_variables)
_OURS = ("OPENROUTER_", "LOCAL_", "INDEPENDENCE_", "BENCH_", "LOOP_", "LOG_LEVEL", "AZURE_OPENAI_", "GITHUB_", *_KEYS)
PATIENCE_S = 600  # training takes minutes on a machine that does much else


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def board(self) -> dict[str, Any]:
        """The one JSON document on stdout."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def scores(self) -> dict[str, Any]:
        """Label -> everything a board says about a subject except what it cost."""
        return {row["label"]: {k: v for k, v in row.items() if k != "cost_usd"} for row in self.board["rows"]}


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without anything that steers the command, plus `changes`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    return kept | {"PYTHONUNBUFFERED": "1"} | dict(changes or {})


def start(
    *arguments: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
    notes: Path | None = None,
) -> subprocess.Popen[str]:
    """The command, started. `before` runs in the new process first; `notes` is a file for stderr."""
    with nullcontext(subprocess.PIPE) if notes is None else notes.open("w") as stderr:
        return subprocess.Popen(
            [sys.executable, "-m", "independence", *map(str, arguments)],
            cwd=cwd,
            env=environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            preexec_fn=before,  # noqa: PLW1509 - it takes no lock that a thread of ours could hold
        )


def finish(process: subprocess.Popen[str], within_s: float = PATIENCE_S) -> Ended:
    """Wait for a started command."""
    try:
        out, err = process.communicate(timeout=within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"still running after {within_s} s\n{out}\n{err}") from None
    return Ended(process.returncode, out, err)


def apart(
    *arguments: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> Ended:
    """The command in a process of its own, from start to end."""
    return finish(start(*arguments, cwd=cwd, env=env, before=before))


def run(*arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Ended:
    """The command in this process, from start to end, in `cwd` or the working directory as it is.

    No time passes for what it says of its progress: however slow the machine is, a short command says nothing.
    """
    given = environment(env)
    cleared: dict[str, str | None] = {name: None for name in os.environ if name not in given}
    with nullcontext() if cwd is None else chdir(cwd):
        result = CliRunner().invoke(main, [str(one) for one in arguments], env=cleared | given, obj=HandClock())
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)


def ok(*arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Ended:
    """The command in this process; it must end well."""
    ended = run(*arguments, cwd=cwd, env=env)
    assert ended.code == 0, ended.err
    return ended


def refused(*arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """The one sentence in which the command, in this process, says what cannot be."""
    ended = run(*arguments, cwd=cwd, env=env)
    assert (ended.code, ended.out) == (2, ""), ended
    return one_sentence(ended)


@contextmanager
def opened(db: Path) -> Iterator[sqlite3.Connection]:
    """A store, to be changed by hand; committed at the end."""
    with closing(sqlite3.connect(db)) as connection:
        yield connection
        if connection.total_changes:
            meant(connection)
        connection.commit()


def meant(connection: sqlite3.Connection) -> None:
    """Take what a test has changed by hand for what was written."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'tallies'").fetchone():
        digests.offer(connection)
        connection.create_function("said_digest", 2, context.digest, deterministic=True)
        connection.execute("UPDATE calls SET said = said_digest(text, thinking) WHERE missing IS NULL")
        dialogue_rows.write(connection)
        digests.renew(connection)


def renew_digests(connection: sqlite3.Connection) -> None:
    """Make what was changed here on purpose as if it had been written so."""
    digests.offer(connection)
    digests.renew(connection)


def ask(db: Path, sql: str) -> list[tuple[Any, ...]]:
    """Rows of a store."""
    with opened(db) as connection:
        return connection.execute(sql).fetchall()


def kept(db: Path) -> int:
    """Replies and verdicts in a store, missing ones included; the replies of known dialogues are nobody's."""
    asked = "SELECT count(*) FROM calls JOIN trials ON key = trial WHERE shape NOT LIKE '%\"made\"%'"
    return sum(count for (count,) in ask(db, f"{asked} UNION ALL SELECT count(*) FROM verdicts"))


def holds(db: Path, more_than: int) -> bool:
    """Whether there are more replies and verdicts than that; false also before the store has its tables."""
    try:
        return db.exists() and kept(db) > more_than
    except sqlite3.OperationalError:
        return False


def missing(db: Path) -> Counter[str]:
    """Why replies and verdicts in a store are missing."""
    rows = ask(db, "SELECT missing FROM calls UNION ALL SELECT missing FROM verdicts")
    return Counter(reason for (reason,) in rows if reason is not None)


def one_sentence(ended: Ended) -> str:
    """The error a person reads: the last line that is one, and no traceback anywhere."""
    assert "Traceback" not in ended.err, ended.err
    lines = [line for line in ended.err.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1, ended.err
    return lines[0]
