"""A scripted OpenAI-compatible server, and simulated subjects and judges behind it, for tests and demos."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from independence.testing.endpoint import LoopbackEndpoint as Endpoint
    from independence.testing.sim.parties import Dispute, request_digest

__all__ = ["Dispute", "Endpoint", "request_digest"]


def __getattr__(name: str) -> Any:
    # The simulated subjects are data that many commands name; who reads them must not load a server (PEP 562).
    if name == "Endpoint":
        from independence.testing.endpoint import LoopbackEndpoint

        return LoopbackEndpoint
    if name in ("Dispute", "request_digest"):
        from independence.testing.sim import parties

        return getattr(parties, name)
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
