from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple

import aiohttp
import pytest


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: Any  # parsed JSON

    @property
    def message(self) -> dict[str, Any]:
        return self.body["choices"][0]["message"]

    @property
    def finish(self) -> str | None:
        return self.body["choices"][0]["finish_reason"]

    @property
    def text(self) -> str:
        calls = self.message.get("tool_calls")
        return "".join(json.loads(c["function"]["arguments"])["words"] for c in calls) if calls else self.content

    @property
    def content(self) -> str:
        return self.message["content"]


TOOL = {
    "type": "function",
    "function": {
        "name": "speak",
        "description": "Say something.",
        "parameters": {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
    },
}
GREETING = "Good to see you."


@pytest.fixture
def plain() -> Callable[..., dict[str, Any]]:
    """A request body in which the human speaks as the user."""

    def body(model: str = "half", question: str = "Tea or coffee?", **more: Any) -> dict[str, Any]:
        messages = [{"role": "system", "content": "You have a view."}, {"role": "user", "content": question}]
        return {"model": model, "messages": messages, "max_tokens": 2048, "seed": 7, **more}

    return body


@pytest.fixture
def tooled(plain: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A request body in which the human speaks through tool results."""

    def body(model: str = "half", question: str = "Tea or coffee?", **more: Any) -> dict[str, Any]:
        call = {"name": "speak", "arguments": json.dumps({"words": GREETING})}
        messages = [
            {"role": "system", "content": "You have a view."},
            {"role": "user", "content": "[start]"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c00000001", "type": "function", "function": call}],
            },
            {"role": "tool", "content": question, "tool_call_id": "c00000001"},
        ]
        return plain(model, question) | {"messages": messages, "tools": [TOOL], **more}

    return body


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    timeout = aiohttp.ClientTimeout(total=20)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as opened:
        yield opened


@pytest.fixture
def post(session: aiohttp.ClientSession) -> Callable[..., Any]:
    """Send a chat completion to a server, get its Answer."""

    async def send(server: Any, body: Any, **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with session.post(f"{server.base_url}/chat/completions", json=body, headers=named) as response:
            return Answer(response.status, dict(response.headers), json.loads(await response.read()))

    return send
