"""Which reasoning effort a model gets when nobody says: a table by id prefix."""

from __future__ import annotations

import functools
from pathlib import Path

from independence.config import documents
from independence.errors import UsageError

EFFORTS = ("auto", "off", "none", "minimal", "low", "medium", "high", "xhigh", "max")
FALLBACK = "low"


@functools.cache
def _table() -> dict[str, str]:
    return documents.convert(documents.read(Path(__file__).parent / "efforts.yaml"), dict[str, str])


def default_effort(model_id: str) -> str:
    """The effort of the longest prefix that fits, else `low`."""
    fitting = [prefix for prefix in _table() if model_id.startswith(prefix)]
    return _table()[max(fitting, key=len)] if fitting else FALLBACK


def check_effort(effort: str) -> str:
    """The effort itself. Raises UsageError for one that does not exist."""
    if effort not in EFFORTS:
        raise UsageError(f"no reasoning effort `{effort}`", f"choose one of {', '.join(EFFORTS)}")
    return effort
