"""Dialects: what differs between kinds of OpenAI-compatible endpoints. Each kind is one module here, or a plug-in.

A module of this folder is a dialect under its own name, and holds it as `DIALECT`. Names that are none of these are
looked up among the entry points `independence.dialects` of installed packages.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from independence.clients import catalogue
from independence.clients.catalogue import ModelInfo, resolve_effort
from independence.clients.limits import FREE, Prices
from independence.config import plugins
from independence.config.endpoints import Endpoint
from independence.types import ChatRequest, Sampling, Tool

GROUP = "independence.dialects"

_ENCODER = msgspec.json.Encoder()
_NOT_SENT_BY_NAME = ("effort", "provider", "max_tokens", "extra_body")
_NUMBERS = tuple(name for name in Sampling.__struct_fields__ if name not in _NOT_SENT_BY_NAME)


class Dialect:
    """An OpenAI-compatible API as most servers have it. A kind of endpoint overrides what it does otherwise."""

    chat_path: ClassVar[str] = "/chat/completions"
    key_path: ClassVar[str] = ""  # a page that tells what a key is good for; empty: there is none
    props_path: ClassVar[str] = ""  # a page that shows the chat template, from the root of the server; empty: none
    weights_paths: ClassVar[tuple[str, ...]] = ()  # pages that tell the weights of its models, from the root
    free: ClassVar[bool] = False  # a model without a listed price costs nothing
    own_server: ClassVar[bool] = False  # answers cost time: they are streamed, and not asked for twice for their length
    open_catalogue: ClassVar[bool] = False  # models are listed for callers without a key
    listing_timeout_s: ClassVar[float] = 30.0
    start_advice: ClassVar[str] = ""  # what to do where nothing answers at the address; empty: nothing particular
    slow_advice: ClassVar[str] = ""  # the same where no answer comes in time

    def headers(self, endpoint: Endpoint) -> dict[str, str]:
        """The headers of every request."""
        out = {"Content-Type": "application/json", "Accept": "application/json", "Cache-Control": "no-cache"}
        key = endpoint.api_key.strip()
        return out | {"Authorization": f"Bearer {key}"} if key else out

    def parameters(self, request: ChatRequest, info: ModelInfo | None) -> dict[str, Any]:
        """The body of a chat request, without what the catalogue rules out. A seed is sent where it lists one."""
        out: dict[str, Any] = {
            "model": request.model,
            "messages": request.messages,
            "max_tokens": request.max_tokens,
        }
        out |= self.sampling(request.sampling, info)
        if request.seed is not None and info is not None and info.lists("seed"):
            out["seed"] = request.seed
        if request.tool is not None:
            out["tools"] = _tools(request.tool)
        refused = info is not None and info.rejects("structured_outputs") and info.rejects("response_format")
        if request.schema is not None and not refused:
            schema = {"name": "reply", "strict": True, "schema": request.schema}
            out["response_format"] = {"type": "json_schema", "json_schema": schema}
        if request.sampling.effort is not None:
            effort = resolve_effort(request.sampling.effort, info)
            out |= {} if effort is None else self.effort(effort)
        return out

    def sampling(self, sampling: Sampling, info: ModelInfo | None) -> dict[str, Any]:
        """The settings that are numbers, by their own names, unless the catalogue rules them out."""
        out: dict[str, Any] = {}
        for name in _NUMBERS:
            value = getattr(sampling, name)
            if value is not None and not (info and info.rejects(name)):
                out[name] = value
        return out

    def effort(self, effort: str) -> dict[str, Any]:
        """The parameter that sets the reasoning effort."""
        return {"reasoning_effort": effort}

    def prices(self, info: ModelInfo | None) -> Prices | None:
        """What a model costs; None where nobody knows."""
        if info is None:
            return FREE if self.free else None
        return info.prices

    def is_slow(self, model: str) -> bool:
        """Whether answers of a model are waited for longer than usual (`Endpoint.slow_timeout_s`)."""
        return False

    def models(self, document: object) -> list[ModelInfo] | None:
        """The models of a `GET /models` page; None where it is no such page."""
        return catalogue.read_models(document, free=self.free)

    def model_path(self, model: str) -> str:
        """The page of a model that is listed under another name; empty where there is none."""
        return ""


@cache
def of(name: str) -> Dialect:
    """The dialect of that name, ours or of another package. Raises UsageError where there is none."""
    files = Path(__file__).parent.iterdir()
    ours = sorted(path.stem for path in files if path.suffix == ".py" and path.stem[0] != "_")
    if name not in ours:
        return plugins.find(GROUP, name, Dialect, ours)
    found = import_module(f"{__name__}.{name}").DIALECT
    assert isinstance(found, Dialect)
    return found


def body(parameters: Mapping[str, Any]) -> bytes:
    """A request as it goes over the wire."""
    return _ENCODER.encode(parameters)


@lru_cache(maxsize=64)
def _tools(tool: Tool) -> msgspec.Raw:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    if tool.lists_none:
        schema["required"] = []
    if tool.parameter:
        schema["properties"] = {tool.parameter: {"type": "string", "description": tool.parameter_description}}
        schema["required"] = [tool.parameter]
    function = {"name": tool.name, "description": tool.description, "parameters": schema}
    return msgspec.Raw(_ENCODER.encode([{"type": "function", "function": function}]))
