"""Functions of the user's own, in this process. `clients/functions.py` reads what is written here."""

from __future__ import annotations

from typing import Any

from independence.clients.catalogue import ModelInfo
from independence.clients.dialects import Dialect
from independence.types import ChatRequest


class Python(Dialect):
    """A call costs nothing unless it says what it cost. Settings of a model mean nothing to it."""

    free = True
    slow_advice = "allow more time (BENCH_TIMEOUT_S, in seconds)"

    def parameters(self, request: ChatRequest, info: ModelInfo | None) -> dict[str, Any]:
        """The body of a chat request, with the dialogue that it belongs to."""
        plain = super().parameters(request, info)
        return {key: plain[key] for key in ("model", "messages", "tools") if key in plain} | {
            "dialogue": request.dialogue
        }


DIALECT = Python()
