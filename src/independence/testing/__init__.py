"""A scripted OpenAI-compatible server, and simulated subjects and judges behind it, for tests and demos."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from independence import faces

__all__ = ["Dispute", "Endpoint", "request_digest"]


def __getattr__(name: str) -> Any:
    if name == "Endpoint":
        return import_module("independence.testing.endpoint").LoopbackEndpoint
    if name in ("Dispute", "request_digest"):
        return getattr(import_module("independence.testing.sim.parties"), name)
    return faces.lazy(__name__)(name)
