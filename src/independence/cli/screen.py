"""What a command that asks models shows meanwhile: what it does, the plan, then progress. Its log is kept beside."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from types import TracebackType

import click

from independence.cli.activity import working
from independence.cli.interrupts import interruptible, stops
from independence.cli.log_file import LogFile
from independence.cli.progress import ProgressBars
from independence.cli.run_options import TerminalOptions
from independence.cli.terminal import note
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.engine.service import Hooks

ASK_ABOVE_USD = 5.0


class Screen:
    """The terminal during one command. Use as a context manager."""

    def __init__(self, terminal: TerminalOptions, connection: ConnectionOptions) -> None:
        """Raises UsageError for a LOG_LEVEL that is none."""
        self._terminal = terminal
        self._connection = connection
        self._progress = ProgressBars(terminal.quiet)
        self._log = LogFile(terminal.log, terminal.quiet)
        self._on_event = self._log.beside(self._progress)
        self._working = ExitStack()
        self._open = ExitStack()

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._working.close()
        self._open.__exit__(kind, error, at)

    @property
    def hooks(self) -> Hooks:
        """What a run tells this screen, and Ctrl-C the run."""
        return Hooks(self._on_event, lambda stop_signal: stops(stop_signal, self._on_event), interruptible)

    def doing(self, what: str) -> None:
        """Say what the command does from here on, if that takes long."""
        self._working.close()
        self._working.enter_context(working(what, self._terminal.quiet))

    def agree(self, lines: Iterable[str], usd: float, endpoints: Mapping[str, Endpoint]) -> bool:
        """Print a plan and whether to go on with it, asked of a person where it is dear. Progress begins, and the log,
        which holds no secret of an endpoint.
        """
        self._working.close()
        for line in lines:
            note(line, self._terminal.quiet)
        if self._connection.dry_run or not self._affordable(usd):
            return False
        secrets = (secret for endpoint in endpoints.values() for secret in endpoint.secrets)
        self._open.enter_context(self._log.opened(secrets))
        self._open.enter_context(self._progress)
        return True

    def _affordable(self, usd: float) -> bool:
        """Whether to go ahead: where a person said so, has set a bound, or the typical cost is small."""
        if self._terminal.yes or self._connection.max_cost is not None or usd <= ASK_ABOVE_USD:
            return True
        if not sys.stdin.isatty():
            raise click.UsageError(f"this may cost about ${usd:.2f}; add --yes or --max-cost to go ahead")
        return click.confirm(f"about ${usd:.2f}; go ahead?", err=True)
