"""Which answers carry no measurement, whatever a judge said about them."""

from __future__ import annotations

from collections.abc import Collection

from independence.types import MissingReason

# Flags of an answer -> why its verdict counts as missing under strict scoring.
VOID: dict[str, MissingReason] = {
    "artefact": "transport",
    "greeting_echo": "transport",
    "stale_history": "stale",
}


def void_reason(flags: Collection[str]) -> MissingReason | None:
    """Why a dialogue with these flags cannot be scored; None when it can."""
    for flag, reason in VOID.items():
        if flag in flags:
            return reason
    return None
