"""A scripted OpenAI-compatible server, and simulated subjects and judges behind it, for tests and demos."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from independence.testing.endpoint import LoopbackEndpoint as Endpoint

__all__ = ["Endpoint"]


def __getattr__(name: str) -> Any:
    if name != "Endpoint":
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    return import_module("independence.testing.endpoint").LoopbackEndpoint
