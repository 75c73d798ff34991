"""Which releases of Inspect AI this package takes, and what to say of others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from independence.errors import UsageError, missing_extra

# As the extra `inspect` of pyproject.toml says; `python -m tools.inspect_versions` tries releases. Older ones drop why
# a score has no value (`Score.reason`), and before 0.3.258 they send nothing by what the extra brings today, openai 3.
FLOOR: Final = "0.3.261"
BELOW: Final = "0.4"


def taken(found: str) -> bool:
    """Whether a release is in the range."""
    return _numbers(FLOOR) <= _numbers(found) < _numbers(BELOW)


@contextmanager
def fitting() -> Iterator[None]:
    """Import here what imports Inspect AI.

    Raises UsageError where that is not installed, is out of the range, or lacks a name that is imported.
    """
    try:
        found = version("inspect-ai")
    except PackageNotFoundError as error:
        raise missing_extra("Inspect AI is not installed, which reads and writes .eval logs", "inspect") from error
    check(found)
    try:
        yield
    except ImportError as error:
        if not (error.name or "").startswith("inspect_ai"):
            raise
        what = f"Inspect AI {found} lacks something that this package imports: {error}"
        raise UsageError(what, f"pip install 'inspect-ai=={FLOOR}'") from error


def check(found: str) -> None:
    """Raises UsageError for a release of Inspect AI that is out of the range."""
    if not taken(found):
        what = f"Inspect AI {found} is installed, and this package takes {FLOOR} up to below {BELOW}"
        raise UsageError(what, f"pip install 'inspect-ai>={FLOOR},<{BELOW}'")


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", release)[:3])
