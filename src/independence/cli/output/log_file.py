"""Where the structured log goes: `--log FILE` adds its lines to a file, `LOG_LEVEL=debug` shows them on stderr too."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from independence.cli.output.terminal import note
from independence.config import environment, user_files
from independence.config.endpoints import masking
from independence.engine.events import POSITION, CallCommitted, Event, LogEntry, RunStopping, VerdictCommitted, entries
from independence.errors import UsageError


class _AddedFile(logging.FileHandler):
    """The file of `--log`, to which lines are added."""

    def handleError(self, _: logging.LogRecord) -> None:  # noqa: N802 - of logging
        """Say that no further line is written: none is worth a run."""
        error = sys.exc_info()[1]
        note(f"--log {self.name}: {getattr(error, 'strerror', error)}; the run goes on without it")
        self.setLevel(logging.CRITICAL + 1)


class _Notes(logging.Handler):
    """Lines on stderr, escaped as every other one."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line."""
        note(self.format(record))


def _opened(path: Path) -> logging.Handler:
    """The file, to be added to. Raises UsageError where it is something else than a log."""
    user_files.check(path, "--log", b',"level":"')
    try:
        file = _AddedFile(path, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--log {path}: {error.strerror}; choose a file that can be written") from None
    file.name = str(path)
    return file


class LogFile:
    """The structured log of run events. Writes nothing outside of `opened`."""

    def __init__(self, path: Path | None, quiet: bool = False) -> None:
        """Raises UsageError for a LOG_LEVEL that is none."""
        level = environment.log_level(environment.read())
        self._path, self._on_stderr = path, level == "debug" and not quiet
        self._log = logging.Logger("independence.run", level.upper())  # of no tree, so nobody else configures it
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
        if self._path is not None:
            self._log.addHandler(_opened(self._path))
        if self._on_stderr:
            self._log.addHandler(_Notes())
        try:
            yield
        except BaseException as error:
            self._status = type(error).__name__
            raise
        finally:
            missing = f"{self._counts['missing']} missing" if self._counts["missing"] else None
            self._write(
                LogEntry(
                    level="info", event="stopped", status=self._status, calls=self._counts["calls"],
                    verdicts=self._counts["verdicts"], cost=round(self._usd, 9), detail=missing,
                )
            )  # fmt: skip
            for handler in list(self._log.handlers):
                self._log.removeHandler(handler)
                with suppress(OSError):  # a full disk, which was told
                    handler.close()

    def __call__(self, event: Event) -> None:
        """Write an event down, in the task it comes from."""
        if not self._log.handlers:
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
        level = logging.getLevelNamesMapping()[entry.level.upper()]
        if self._log.isEnabledFor(level):
            at = datetime.now(UTC).isoformat(timespec="milliseconds")
            self._log.log(level, self._masked(msgspec.json.encode(msgspec.structs.replace(entry, time=at))).decode())
