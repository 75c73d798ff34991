"""Where the structured log goes: `--log FILE` adds its lines to a file, `LOG_LEVEL=debug` shows them on stderr too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Final

import msgspec

from independence.cli.terminal import note
from independence.config import environment, user_files
from independence.config.endpoints import masking
from independence.engine.events import (
    POSITION,
    CallCommitted,
    Event,
    LogEntry,
    RunStopping,
    VerdictCommitted,
    entries,
)
from independence.errors import UsageError

_RANK: Final = {"debug": 0, "info": 1, "warning": 2, "error": 3}


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
        self._masked = masking(())
        self._counts: Counter[str] = Counter()
        self._usd = 0.0
        self._status = "done"

    @contextmanager
    def opened(self, secrets: Iterable[str]) -> Iterator[None]:
        """Hold the file open while models are asked, and say how it ended. `secrets` reach no line.

        Raises UsageError for a file that cannot be written or is no log.
        """
        self._masked = masking(secrets)
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
        line = self._masked(msgspec.json.encode(msgspec.structs.replace(entry, time=at)))
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
