"""What a command that asks models shows meanwhile: what it does, the plan, then progress. Its log is kept beside.

`--log FILE` adds a line to a file for every event, `LOG_LEVEL=debug` shows them on stderr too. Ctrl-C waits for what is
in flight; a second one drops it.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections import Counter
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar

import click
import msgspec

from independence.cli.options import TerminalOptions
from independence.cli.progress import ProgressBars, working
from independence.cli.terminal import note
from independence.config import environment, user_files
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.engine import event_loop
from independence.engine.events import (
    POSITION,
    CallCommitted,
    Event,
    LogEntry,
    RunStopping,
    VerdictCommitted,
    entries,
)
from independence.engine.gate import StopSignal
from independence.engine.service import Hooks
from independence.errors import Interrupted, UsageError

T = TypeVar("T")
ASK_ABOVE_USD = 5.0
_RANK: Final = {"debug": 0, "info": 1, "warning": 2, "error": 3}
_SHORTEST_SECRET = 4


class Screen:
    """The terminal during one command. Use as a context manager."""

    def __init__(self, terminal: TerminalOptions, connection: ConnectionOptions) -> None:
        """Raises UsageError for a LOG_LEVEL that is none."""
        self._terminal = terminal
        self._connection = connection
        self._progress = ProgressBars(terminal.quiet)
        self._log = LogFile(terminal.log, terminal.quiet)
        self._shown = ExitStack()

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._shown.__exit__(kind, error, at)

    @property
    def hooks(self) -> Hooks:
        """What a run tells this screen, and Ctrl-C the run."""
        return Hooks(self._hear, self._stop_on_interrupt, interruptible)

    def drive(self, work: Coroutine[Any, Any, T]) -> T:
        """Its result. Raises Interrupted where a second Ctrl-C ended it."""
        try:
            return event_loop.drive(work)
        except asyncio.CancelledError:
            raise Interrupted("interrupted: calls in flight were dropped; the same command resumes") from None

    def _hear(self, event: Event) -> None:
        self._log(event)
        self._progress(event)

    def doing(self, what: str) -> None:
        """Say what the command does from here on, if that takes long."""
        self._shown.enter_context(working(what, self._terminal.quiet))

    def agree(self, lines: Iterable[str], usd: float, endpoints: Mapping[str, Endpoint]) -> bool:
        """Print a plan and whether to go on with it, asked of a person where it is dear. Progress begins, and the log,
        which holds no secret of an endpoint.
        """
        self._shown.close()
        for line in lines:
            note(line, self._terminal.quiet)
        if self._connection.dry_run or not self._affordable(usd):
            return False
        secrets = (secret for endpoint in endpoints.values() for secret in endpoint.secrets)
        self._shown.enter_context(self._log.opened(secrets))
        self._shown.enter_context(self._progress)
        return True

    def _affordable(self, usd: float) -> bool:
        """Whether to go ahead: where a person said so, has set a bound, or the typical cost is small."""
        if self._terminal.yes or self._connection.max_cost is not None or usd <= ASK_ABOVE_USD:
            return True
        if not sys.stdin.isatty():
            raise click.UsageError(f"this may cost about ${usd:.2f}; add --yes or --max-cost to go ahead")
        return click.confirm(f"about ${usd:.2f}; go ahead?", err=True)

    def _stop_on_interrupt(self, stop_signal: StopSignal) -> None:
        """From here on the first Ctrl-C stops the run in order, and the second cancels the task that calls this."""
        task = asyncio.current_task()
        assert task is not None

        def interrupted() -> None:
            if stop_signal.reason is None:
                stop_signal.stop(Interrupted("interrupted"))
                return
            if not isinstance(stop_signal.reason, Interrupted):
                self._hear(RunStopping("interrupted", dropped=True))
            task.cancel()

        # SIGHUP: the terminal is gone, as when an SSH session ends
        for number in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
                asyncio.get_running_loop().add_signal_handler(number, interrupted)


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C ends at once what runs here without waiting, though the event loop would hear of it only afterwards."""
    before = signal.getsignal(signal.SIGINT)
    if before in (signal.SIG_IGN, None) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class LogFile:
    """The structured log of run events. Writes nothing outside of `opened`."""

    def __init__(self, path: Path | None, quiet: bool = False) -> None:
        """Raises UsageError for a LOG_LEVEL that is none."""
        level = environment.log_level(environment.read())
        self._least = _RANK[level]
        self._path = path
        self._debug = level == "debug" and not quiet
        self._shown = False
        self._file: FileIO | None = None
        self._secrets: tuple[bytes, ...] = ()
        self._counts: Counter[str] = Counter()
        self._usd = 0.0
        self._status = "done"

    @contextmanager
    def opened(self, secrets: Iterable[str]) -> Iterator[None]:
        """Hold the file open while models are asked, and say how it ended. `secrets` reach no line.

        Raises UsageError for a file that cannot be written or is no log.
        """
        self._secrets = tuple(msgspec.json.encode(s)[1:-1] for s in secrets if len(s) >= _SHORTEST_SECRET)
        self._file = _opened(self._path) if self._path else None
        self._shown = self._debug
        try:
            yield
        except BaseException as error:
            self._status = type(error).__name__
            raise
        finally:
            self._write(self._end())
            self._shown = False
            self._close()

    def _end(self) -> LogEntry:
        missing = f"{self._counts['missing']} missing" if self._counts["missing"] else None
        return LogEntry(
            level="info", event="stopped", status=self._status, calls=self._counts["calls"],
            verdicts=self._counts["verdicts"], cost=round(self._usd, 9), detail=missing,
        )  # fmt: skip

    def __call__(self, event: Event) -> None:
        """Write an event down, in the task it comes from."""
        if self._file is None and not self._shown:
            return
        if isinstance(event, RunStopping):
            self._status = "stopped"
        elif isinstance(event, CallCommitted | VerdictCommitted):
            self._counts["calls" if isinstance(event, CallCommitted) else "verdicts"] += 1
            self._counts["missing"] += event.missing is not None
            self._usd += event.usd
        for entry in entries(event, POSITION.get()):
            self._write(entry)

    def _write(self, entry: LogEntry) -> None:
        if _RANK[entry.level] < self._least:
            return
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = msgspec.json.encode(msgspec.structs.replace(entry, time=at))
        for secret in self._secrets:
            line = line.replace(secret, b"[key]")
        if self._shown:
            note(line.decode())
        if self._file is not None:
            try:
                self._file.write(line + b"\n")
            except OSError as error:  # no line is worth a run
                note(f"--log {self._path}: {error.strerror}; the run goes on without it")
                self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _opened(path: Path) -> FileIO:
    """The file, to be added to. Raises UsageError where it is something else than a log."""
    user_files.check(path, "--log", b',"level":"')
    try:
        return FileIO(path, "a")
    except OSError as error:
        raise UsageError(f"--log {path}: {error.strerror}; choose a file that can be written") from None
