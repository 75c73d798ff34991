"""The one error tree: what is wrong, how to mend it, and the exit code it ends in.

A model's bad reply is data (`types.Missing`), never an exception. Exceptions are for people: each says what is wrong
and where (`what`) and what to do about it (`fix`). Only cli/ turns them into a line on stderr and an exit code.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant: one that begins so, else one that is spelt much like it; else ``""``."""
    names = list(known)
    starting = [one for one in names if len(name) > 1 and one.lower().startswith(name.lower())]
    return next(iter(starting or difflib.get_close_matches(name, names, n=1)), "")


def suggestion(name: str, known: Iterable[str], otherwise: str = "there are") -> str:
    """What to advise where `name` is none of the known ones: the nearest of them, or all of them."""
    near = nearest(name, names := list(known))
    return f"did you mean `{near}`?" if near else f"{otherwise} {', '.join(names)}"


_SHOWN = 6  # names in one sentence


def listed(names: Sequence[str]) -> str:
    """Names in one sentence, cut where they are many."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def offered(names: Sequence[str]) -> str:
    """Names to choose from, in back-ticks."""
    more = len(names) - _SHOWN
    marked = [f"`{name}`" for name in names[:_SHOWN]]
    if more > 0:
        return f"{', '.join(marked)} or one of {more} more"
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} or {marked[-1]}"


def unknown(what: str, name: str, likely: Sequence[str], otherwise: str = "") -> tuple[str, str]:
    """What an error says of a name that is not known, and the fix: what may have been meant, else `otherwise`."""
    return f"no {what} `{name}`", f"did you mean {offered(likely)}?" if likely else otherwise


def ambiguous(name: str, what: str, meant: Sequence[str]) -> tuple[str, str]:
    """What an error says of a name that fits several things, and the fix: their full names."""
    return f"`{name}` may be any of {len(meant)} {what}", f"use a full name: {listed(meant)}"


class IndependenceError(Exception):
    """Root of everything this package raises on purpose. Exit code 70 (1 is the verdict of a gate).

    `str` of it is one sentence: what is wrong, then how to mend it. They are joined by a semicolon, or by the colon
    that the first part ends in.
    """

    exit_code: ClassVar[int] = 70
    attempts: tuple[Any, ...] = ()  # types.Attempt: what a call had tried when the error ended it, for its cost

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what, fix)
        self.what = what.removesuffix(":")
        self.fix = fix  # empty where nothing can be advised, or where `what` holds the advice
        self._sentence = f"{what}{' ' if what.endswith(':') else '; '}{fix}" if fix else what

    def __str__(self) -> str:
        return self._sentence

    @property
    def problem(self) -> str:
        """What is wrong, and where."""
        return self.what


class UsageError(IndependenceError):
    """Bad usage or configuration; nothing was sent and nothing was written. Exit code 2."""

    exit_code: ClassVar[int] = 2


class UntrustedAddressError(UsageError):
    """The user has not agreed yet that keys go to `destinations` (`engine.trust.Destination`)."""

    def __init__(self, what: str, fix: str, destinations: Sequence[Any]) -> None:
        super().__init__(what, fix)
        self.destinations = destinations


def missing_extra(what: str, extra: str) -> UsageError:
    """What to say where the packages of an extra of `pyproject.toml` are not installed.

    The package index has no project of our name: `pip install NAME[EXTRA]` would install what a stranger puts there.
    """
    return UsageError(
        what, f"run pip install '.[{extra}]' in the folder of this program's checkout or unpacked archive"
    )


def refuse_windows() -> None:
    """Raise UsageError on Windows, where nobody has tested this package and asking whether a process lives ends it."""
    if sys.platform == "win32":
        raise UsageError("Windows is not supported yet", "use WSL 2 or a container (docs/installing.md)")


def refuse_little_memory() -> None:
    """Raise UsageError where this process may not use 256 MiB of addresses: numpy's libraries would end it with 1."""
    import resource  # noqa: PLC0415 - Windows has none

    limit, least = resource.getrlimit(resource.RLIMIT_AS)[0], 256 * 2**20
    if limit != resource.RLIM_INFINITY and limit < least:
        raise UsageError(f"not enough memory: the limit is {limit >> 20} MiB", f"allow 256 (`ulimit -v {least >> 10}`)")


class DocumentError(UsageError):
    """A YAML document is malformed or does not fit its schema. The message begins with `file:line:`."""

    def __init__(self, path: str, line: int, what: str, fix: str = "") -> None:
        super().__init__(f"{path}:{line}: {what}", fix)
        self.what = what.removesuffix(":")
        self.path = path
        self.line = line

    @property
    def problem(self) -> str:
        """What is wrong, after file and line."""
        return f"{self.path}:{self.line}: {self.what}"


class StoreError(UsageError):
    """The store cannot be used as it is: newer version, not a store, no match. Exit code 2."""


class DiskFull(IndependenceError):
    """The store could not be written. Everything committed before is kept; resume after freeing space. Exit code 3."""

    exit_code: ClassVar[int] = 3


class StoreUnwritable(IndependenceError):
    """The store cannot be written any more: its file is gone, or its writer failed or hangs. What was answered before
    is kept, where the sentence says; the same command resumes. Exit code 3.
    """

    exit_code: ClassVar[int] = 3


class WriterHangs(StoreUnwritable):
    """A write does not end, and nobody waits for it any more. The connection must not be touched. Exit code 3."""


class KeyRejected(UsageError):
    """The endpoint refused the API key (401). Exit code 2; replies stored before it are kept."""


class OutOfCredit(IndependenceError):
    """The account has no credit left (402 without Retry-After). The run stops, everything is kept. Exit code 3."""

    exit_code: ClassVar[int] = 3


class CostCapReached(IndependenceError):
    """The next call could exceed `--max-cost`. The run stops, everything is kept. Exit code 4."""

    exit_code: ClassVar[int] = 4


class NoAnswer(IndependenceError):
    """A model gave no answer that the command could use; it is kept nowhere, and may be asked again. Exit code 3."""

    exit_code: ClassVar[int] = 3


class NoVerdict(IndependenceError):
    """A judge can grade hardly any answer of a subject, so nothing is asked on. Everything is kept. Exit code 3."""

    exit_code: ClassVar[int] = 3


class WorkersLost(IndependenceError):
    """Nobody is left to ask models. What was stored is kept; the same command resumes. Exit code 3."""

    exit_code: ClassVar[int] = 3


class Interrupted(IndependenceError):
    """The person pressed Ctrl-C. What was in flight was stored; the same command resumes. Exit code 130."""

    exit_code: ClassVar[int] = 130
