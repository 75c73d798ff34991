"""The one error tree: what went wrong, what a person can do about it, and the exit code it ends in.

A model's bad reply is data (`types.Missing`), never an exception. Exceptions are for people: each carries one clear
sentence that names what is wrong, where, and what to do. Only cli/ turns them into a line on stderr and an exit code.
"""

from __future__ import annotations

from typing import Any, ClassVar


class IndependenceError(Exception):
    """Root of everything this package raises on purpose. Exit code 1.

    `attempts` (types.Attempt) holds what a call had already tried when the error ended it, so that its cost is kept.
    """

    exit_code: ClassVar[int] = 1
    attempts: tuple[Any, ...] = ()


class UsageError(IndependenceError):
    """Bad usage or configuration; nothing was sent and nothing was written. Exit code 2."""

    exit_code: ClassVar[int] = 2


class DocumentError(UsageError):
    """A YAML document is malformed or does not fit its schema. The message begins with `file:line:`."""

    def __init__(self, path: str, line: int, what: str) -> None:
        super().__init__(f"{path}:{line}: {what}")
        self.path = path
        self.line = line
        self.what = what


class StoreError(UsageError):
    """The store cannot be used as it is: newer version, not a store, no match. Exit code 2."""


class DiskFull(IndependenceError):
    """The store could not be written. Everything committed before is kept; resume after freeing space. Exit code 3."""

    exit_code: ClassVar[int] = 3


class KeyRejected(UsageError):
    """The endpoint refused the API key (401). Exit code 2; replies stored before it are kept."""


class OutOfCredit(IndependenceError):
    """The account has no credit left (402 without Retry-After). The run stops, everything is kept. Exit code 3."""

    exit_code: ClassVar[int] = 3


class CostCapReached(IndependenceError):
    """The next call could exceed `--max-cost`. The run stops, everything is kept. Exit code 4."""

    exit_code: ClassVar[int] = 4


class Interrupted(IndependenceError):
    """The person pressed Ctrl-C. What was in flight was stored; the same command resumes. Exit code 130."""

    exit_code: ClassVar[int] = 130
