"""OpenRouter, and gateways that speak as it does.

It silently drops parameters that a model does not take, so they follow its catalogue: `parallel_tool_calls` only
where listed, and with a schema `require_parameters`. A provider pin fails closed (`only`, without fallbacks). Its
response cache is refused in every request: a replayed reply is not an independent one.
"""

from __future__ import annotations

from typing import Any

from independence.clients.catalogue import ModelInfo
from independence.clients.dialects import Dialect
from independence.config.endpoints import Endpoint
from independence.types import ChatRequest

_TITLE = "AI Independence Bench"
_HOMEPAGE = "https://ai-independence-bench.example"  # how OpenRouter tells applications apart; no page is needed
_SLOW = "nvidia/"  # ids of models whose hosts answer late; the published project waits for them longer


class OpenRouter(Dialect):
    """Routing parameters, a page about the key, and other names for models."""

    key_path = "/key"
    open_catalogue = True

    def headers(self, endpoint: Endpoint) -> dict[str, str]:
        """The usual ones, who asks, and that no reply may come from a cache."""
        return super().headers(endpoint) | {
            "HTTP-Referer": _HOMEPAGE,
            "X-OpenRouter-Title": _TITLE,
            "X-OpenRouter-Metadata": "enabled",
            "X-OpenRouter-Cache": "false",
        }

    def parameters(self, request: ChatRequest, info: ModelInfo | None) -> dict[str, Any]:
        """The usual ones, and which provider may answer."""
        out = super().parameters(request, info)
        if request.tool is not None and info is not None and info.lists("parallel_tool_calls"):
            out["parallel_tool_calls"] = False
        provider: dict[str, Any] = {}
        if request.sampling.provider:
            provider |= {"only": (request.sampling.provider,), "allow_fallbacks": False}
        if "response_format" in out:
            provider["require_parameters"] = True
        return out | {"provider": provider} if provider else out

    def effort(self, effort: str) -> dict[str, Any]:
        """OpenRouter has an object for it."""
        return {"reasoning": {"effort": effort}}

    def is_slow(self, model: str) -> bool:
        """Models of one vendor are."""
        return model.startswith(_SLOW)

    def model_path(self, model: str) -> str:
        """It resolves aliases."""
        return f"/model/{model}"


DIALECT = OpenRouter()
