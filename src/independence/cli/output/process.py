"""The process around a command: its streams, which may be closed or too poor, Ctrl-C, and how errors end it."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

import click

from independence.cli.output.terminal import note, one_line, plain
from independence.errors import DiskFull, IndependenceError, Interrupted, UsageError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_LONGEST = 80  # signs of a file's name in a sentence


class _Hangable(io.FileIO):
    """A stream of this process; what is written after its reader has gone is dropped, so that the command goes on.

    The exit code of `check | head -1` is then the decision.
    """

    def write(self, data: ReadableBuffer, /) -> int:
        """Bytes written, or dropped."""
        try:
            return super().write(data)
        except BrokenPipeError:
            with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
                os.dup2(nowhere.fileno(), self.fileno())
            return super().write(data)


def prepare_streams() -> None:
    """Put a closed stream's place out of use, and let neither a character nor a reader that leaves stop the command."""
    spare = os.open(os.devnull, os.O_RDWR)
    while spare <= 2:  # or the store would be opened in the place of stdout
        spare = os.open(os.devnull, os.O_RDWR)
    os.close(spare)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - for as long as the process lives
    sys.stdout, sys.stderr = _prepared(sys.stdout, sys.__stdout__), _prepared(sys.stderr, sys.__stderr__)


def _prepared(stream: TextIO | None, own: TextIO | None) -> TextIO:
    """The stream to write to; `own`: the one that the process began with, others are of whoever calls us."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123
    if stream is own and isinstance(stream, io.TextIOWrapper):
        stream.flush()
        at_once = stream.line_buffering or stream.write_through
        raw = io.BufferedWriter(_Hangable(stream.fileno(), "wb", closefd=False))
        stream = io.TextIOWrapper(raw, stream.encoding, stream.errors, line_buffering=at_once)
    if getattr(stream, "errors", "") in ("strict", "surrogateescape") and hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")  # "?" for what an encoding lacks
    return stream


def run(invoke: Callable[[], Any]) -> Any:
    """Run a command; what a person can mend becomes one line on stderr and the right exit code."""
    prepare_streams()
    before = signal.getsignal(signal.SIGINT)
    try:
        try:
            return invoke()
        finally:
            sys.stdout.flush()  # what cannot be written must fail here, not when the interpreter goes
    except (KeyboardInterrupt, click.Abort):
        click.echo("Error: interrupted; the same command continues from what is stored", err=True)
        sys.exit(Interrupted.exit_code)
    except Exception as error:
        ended = _ended(error)
        if ended is None:
            raise
        sentence, code = ended
        note(f"Error: {one_line(sentence)}")  # names of files may hold line breaks
        sys.exit(code)
    finally:
        if signal.getsignal(signal.SIGINT) is not before:
            signal.signal(signal.SIGINT, before)


def _ended(error: BaseException) -> tuple[str, int] | None:
    """What an error means to a person, and the exit code; None for an error of this program."""
    while isinstance(error, BaseExceptionGroup):  # of tasks that failed together the first
        error = error.exceptions[0]
    if isinstance(error, IndependenceError):
        return str(error), error.exit_code
    if isinstance(error, OSError):
        return _system(error)
    if isinstance(error, MemoryError | RecursionError | ImportError) or "can't start new thread" in str(error):
        return _exhausted(error)
    sqlite3 = sys.modules.get("sqlite3")  # where a command has loaded it
    if sqlite3 is not None and isinstance(error, sqlite3.Error):
        what = f"the store cannot be used ({error}); `independence doctor` says what is wrong with it"
        return what, UsageError.exit_code
    return None


def _exhausted(error: BaseException) -> tuple[str, int] | None:
    """Where memory or the stack ran out, or a part of the installation is missing."""
    # A library that does not fit into the memory that is left fails while it is loaded, and then what of ours needs it.
    if isinstance(error, ImportError) and "failed to map segment" not in str(error):
        if not (error.name or "").startswith("independence."):
            return None
        if not _memory_is_limited():
            what = f"the installation is damaged ({error}); install this program again"
            return what, UsageError.exit_code
    what = "something is nested too deep to be read" if isinstance(error, RecursionError) else "not enough memory"
    return f"{what}; what was stored is kept", IndependenceError.exit_code


def _memory_is_limited() -> bool:
    try:
        import resource
    except ImportError:  # Windows
        return False
    return any(
        resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    )


def _system(error: OSError) -> tuple[str, int] | None:
    """What the system refused: to print any more, or a file."""
    if error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter would try once more
        what = f"the output cannot be written ({error.strerror}); free space and run the command again"
        return what, DiskFull.exit_code
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "too many open files for this process; raise the limit (ulimit -n 1024)", UsageError.exit_code
    if error.errno in (errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES, errno.EROFS, errno.EPERM) and error.filename:
        what = f"{plain(str(error.filename)[:_LONGEST])}: {error.strerror}; name another file"
        return what, UsageError.exit_code
    return None
