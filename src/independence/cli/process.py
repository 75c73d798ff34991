"""The process around a command: its streams, which may be closed or too poor, Ctrl-C, and how errors end it."""

from __future__ import annotations

import codecs
import errno
import os
import signal
import sys
import unicodedata
from collections.abc import Callable
from typing import Any, Final

import click

from independence.cli.terminal import note, one_line, plain
from independence.errors import DiskFull, IndependenceError, Interrupted, UsageError

_LONGEST = 80  # signs of a file's name in a sentence
_HANDLER: Final = "independence-plain"
_INSTEAD: Final = {
    "↓": "v", "↑": "^", "–": "-", "—": "-", "−": "-", "…": "...", "·": ".", "×": "x", "≤": "<=", "≥": ">=", "±": "+-",
    "→": "->", "‘": "'", "’": "'", "“": '"', "”": '"', "•": "*", "●": "*", "○": "o", "█": "#", "─": "-", "│": "|",
}  # fmt: skip


def prepare_streams() -> None:
    """Put a closed stream's place out of use, and let no character stop what is printed."""
    spare = os.open(os.devnull, os.O_RDWR)
    while spare <= 2:  # or the store would be opened in the place of stdout
        spare = os.open(os.devnull, os.O_RDWR)
    os.close(spare)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - for as long as the process lives
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    codecs.register_error(_HANDLER, _plain)
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", "") in ("strict", "surrogateescape") and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_HANDLER)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """What is printed for characters that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_instead(one) for one in lacking), error.end


def _instead(character: str) -> str:
    apart = unicodedata.normalize("NFKD", character)[0]
    return _INSTEAD.get(character) or (apart if apart.isascii() else "?")


def run(invoke: Callable[[], Any]) -> Any:
    """Run a command; what a person can mend becomes one line on stderr and the right exit code."""
    prepare_streams()
    before = signal.getsignal(signal.SIGINT)
    try:
        try:
            return invoke()
        finally:
            sys.stdout.flush()  # what cannot be written must fail here, not when the interpreter goes
    except IndependenceError as error:
        note(f"Error: {one_line(str(error))}")  # names of files may hold line breaks
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("Error: interrupted; the same command continues from what is stored", err=True)
        sys.exit(Interrupted.exit_code)
    except OSError as error:
        sys.exit(_system(error))
    except (MemoryError, RecursionError, ImportError) as error:
        sys.exit(_exhausted(error))
    except _of_sqlite() as error:
        what = f"the store cannot be used ({error}); `independence doctor` says what is wrong with it"
        click.echo(f"Error: {what}", err=True)
        sys.exit(UsageError.exit_code)
    finally:
        if signal.getsignal(signal.SIGINT) is not before:
            signal.signal(signal.SIGINT, before)


def _exhausted(error: MemoryError | RecursionError | ImportError) -> int:
    """Exit code where memory or the stack ran out. Raises an import error of any other cause."""
    # A library that does not fit into the memory that is left fails while it is loaded, and then what of ours needs it.
    if isinstance(error, ImportError) and "failed to map segment" not in str(error):
        if not (error.name or "").startswith("independence."):
            raise error
        if not _memory_is_limited():
            click.echo(f"Error: the installation is damaged ({error}); install ai-independence-bench again", err=True)
            return UsageError.exit_code
    what = "something is nested too deep to be read" if isinstance(error, RecursionError) else "not enough memory"
    click.echo(f"Error: {what}; what was stored is kept", err=True)
    return IndependenceError.exit_code


def _memory_is_limited() -> bool:
    try:
        import resource
    except ImportError:  # Windows
        return False
    return any(
        resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    )


def _system(error: OSError) -> int:
    """Exit code of what the system refused: to print any more, or a file. Raises any other error."""
    if error.filename is None and error.errno in (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return _unwritten(error)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        click.echo("Error: too many open files for this process; raise the limit (ulimit -n 1024)", err=True)
    elif error.errno in (errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES, errno.EROFS, errno.EPERM) and error.filename:
        click.echo(f"Error: {plain(str(error.filename)[:_LONGEST])}: {error.strerror}; name another file", err=True)
    else:
        raise error
    return UsageError.exit_code


def _unwritten(error: OSError) -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter would try once more
    if error.errno == errno.EPIPE:
        return 0
    click.echo(
        f"Error: the output cannot be written ({error.strerror}); free space and run the command again", err=True
    )
    return DiskFull.exit_code


def _of_sqlite() -> tuple[type[Exception], ...]:
    """The errors of SQLite, where a command has loaded it."""
    sqlite3 = sys.modules.get("sqlite3")
    return (sqlite3.Error,) if sqlite3 else ()
