"""Requests to a loopback endpoint, and what came back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

import aiohttp
import pytest

from independence.testing.loopback.request_log import RequestLog
from independence.testing.loopback.server import Loopback, serving
from independence.testing.loopback.settings import LoopbackSettings

GREETING = "Good to see you."
TOOL = {
    "type": "function",
    "function": {
        "name": "speak",
        "description": "Say something.",
        "parameters": {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
    },
}


class Answer(NamedTuple):
    """A response as it came, and the log of its server."""

    status: int
    headers: dict[str, str]
    kind: str
    text: str
    log: RequestLog

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def error(self) -> Any:
        return self.json["error"]

    @property
    def choice(self) -> Any:
        return self.json["choices"][0]

    @property
    def finish(self) -> Any:
        return self.choice["finish_reason"]

    @property
    def message(self) -> Any:
        return self.choice["message"]

    @property
    def content(self) -> str:
        return str(self.message["content"])

    @property
    def calls(self) -> list[str]:
        """The arguments of its tool calls."""
        return [call["function"]["arguments"] for call in self.message.get("tool_calls") or ()]

    @property
    def said(self) -> str:
        return "".join(json.loads(call)["words"] for call in self.calls) or self.content

    @property
    def usage(self) -> Any:
        return self.json["usage"]

    @property
    def prompt_tokens(self) -> int:
        return int(self.usage["prompt_tokens"])


def plain(model: str = "half", question: str = "Tea or coffee?", **more: Any) -> dict[str, Any]:
    """A request body in which the human speaks as the user."""
    messages = [{"role": "system", "content": "You have a view."}, {"role": "user", "content": question}]
    return {"model": model, "messages": messages, "max_tokens": 2048, "seed": 7, **more}


def tooled(model: str = "half", question: str = "Tea or coffee?", **more: Any) -> dict[str, Any]:
    """A request body in which the human speaks through tool results."""
    call = {"name": "speak", "arguments": json.dumps({"words": GREETING})}
    messages = [
        {"role": "system", "content": "You have a view."},
        {"role": "user", "content": "[start]"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c01", "type": "function", "function": call}]},
        {"role": "tool", "content": question, "tool_call_id": "c01"},
    ]
    return plain(model, question) | {"messages": messages, "tools": [TOOL], **more}


Ask = Callable[..., Awaitable[Answer]]
Once = Callable[..., Awaitable[Any]]


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as opened:
        yield opened


@pytest.fixture
def ask(session: aiohttp.ClientSession) -> Ask:
    """Send a body to a server, or ask it for a path, and get what came."""

    async def send(server: Loopback, what: dict[str, Any] | str, **headers: str) -> Answer:
        root = server.base_url.removesuffix("/v1")
        url = root + what if isinstance(what, str) else f"{server.base_url}/chat/completions"
        method, body = ("GET", None) if isinstance(what, str) else ("POST", what)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with session.request(method, url, json=body, headers=named) as response:
            text = await response.text()
            return Answer(response.status, dict(response.headers), response.content_type, text, server.ledger)

    return send


@pytest.fixture
def once(ask: Ask) -> Once:
    """Send bodies, or ask for paths, to a server of these ways or settings: one answer, or all of them."""

    async def send(*what: dict[str, Any] | str, headers: dict[str, str] | None = None, **settings: Any) -> Any:
        async with serving(LoopbackSettings(**settings)) as server:
            came = [await ask(server, each, **(headers or {})) for each in what]
        return came if len(came) > 1 else came[0]

    return send
