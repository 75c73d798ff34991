"""What a command that asks models shows meanwhile: what it does, the plan, then progress. Its log is kept beside.

Ctrl-C waits a while for what is in flight; a second one drops it.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, TypeVar

import click

from independence.cli.options import TerminalOptions
from independence.cli.output.activity import working
from independence.cli.output.log_file import LogFile
from independence.cli.output.progress import ProgressBars
from independence.cli.output.terminal import note
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.engine import event_loop
from independence.engine.concurrency import StopSignal
from independence.engine.events import Event, RunStopping
from independence.engine.service import Hooks
from independence.errors import Interrupted, UsageError

T = TypeVar("T")
ASK_ABOVE_USD = 1.0
GRACE_S = 30.0  # for which a run that is interrupted waits for calls in flight


class Screen:
    """The terminal during one command. Use as a context manager."""

    def __init__(self, terminal: TerminalOptions, connection: ConnectionOptions) -> None:
        """Raises UsageError for a LOG_LEVEL that is none."""
        self._terminal = terminal
        self._connection = connection
        self._progress = ProgressBars(terminal.quiet)
        self._log = LogFile(terminal.log, terminal.quiet)
        self._shown = ExitStack()
        self._dropped = 0  # calls in flight

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
            calls = "1 call" if self._dropped == 1 else f"{self._dropped or ''} calls".strip()
            what = f"interrupted: {calls} {'was' if self._dropped == 1 else 'were'} cancelled"
            raise Interrupted(f"{what}; the same command resumes") from None

    def _hear(self, event: Event) -> None:
        self._log(event)
        self._progress(event)

    def doing(self, what: str) -> None:
        """Say what the command does from here on, if that takes long."""
        self._shown.enter_context(working(what, self._terminal.quiet))

    def agree(self, lines: Iterable[str], most_usd: float, endpoints: Mapping[str, Endpoint]) -> bool:
        """Print a plan and say whether to go on with it, which a person is asked where it may cost more than
        ASK_ABOVE_USD. Progress begins, and the log, which holds no secret of an endpoint.

        Raises UsageError where nobody can be asked.
        """
        self._shown.close()
        for line in lines:
            note(line, self._terminal.quiet)
        if self._connection.dry_run or not self._affordable(most_usd):
            return False
        if not any(endpoint.stream for endpoint in endpoints.values()):  # whose answers may take any time
            self._progress.patience_s = max((endpoint.timeout_s for endpoint in endpoints.values()), default=0.0)
        secrets = (secret for endpoint in endpoints.values() for secret in endpoint.secrets)
        self._shown.enter_context(self._log.opened(secrets))
        self._shown.enter_context(self._progress)
        return True

    def _affordable(self, most_usd: float) -> bool:
        """Whether to go ahead: where a person said so, has set a bound, or no more than ASK_ABOVE_USD can be spent."""
        if self._terminal.yes or self._connection.max_cost is not None or most_usd <= ASK_ABOVE_USD:
            return True
        if not sys.stdin.isatty():
            raise UsageError(f"this may cost up to ${most_usd:,.2f}", "add --yes or --max-cost to go ahead")
        return click.confirm(f"this may cost up to ${most_usd:,.2f}; go ahead?", err=True)

    def _stop_on_interrupt(self, stop_signal: StopSignal) -> None:
        """From here on the first Ctrl-C stops the run in order; the second, or GRACE_S later, cancels this task."""
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None

        def interrupted() -> None:
            if stop_signal.reason is None:
                stop_signal.stop(Interrupted("interrupted"), GRACE_S)
                loop.call_later(GRACE_S, drop)
                return
            if not isinstance(stop_signal.reason, Interrupted):
                self._hear(RunStopping("interrupted", dropped=True, calls=stop_signal.in_flight))
            drop()

        def drop() -> None:
            self._dropped = stop_signal.in_flight
            task.cancel()

        # SIGHUP: the terminal is gone, as when an SSH session ends
        for number in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
                loop.add_signal_handler(number, interrupted)


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C ends at once what runs here without waiting, though the event loop would hear of it only afterwards."""
    before = signal.getsignal(signal.SIGINT)
    if before in (signal.SIG_IGN, None) or threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = list[int]()

    def interrupted(number: int, _frame: object) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupted)
    try:
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # by a Ctrl-C that the event loop has heard already
            raise KeyboardInterrupt
        yield
    except Exception:
        if heard:  # inside a function that SQLite called, which makes an error of its own of it
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)
