"""Requests as bytes on a socket: no client between the test and the server mends them."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec


class Answer(NamedTuple):
    """A response."""

    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


async def ask(address: str, path: str = "/", method: str = "GET", body: bytes = b"", **headers: str) -> Answer:
    """Send one request; `headers` by name with `_` for `-`, an empty one is left out."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    own = {"Host": parts.netloc, "Connection": "close"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    if body:
        own["Content-Length"] = str(len(body))
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in own.items() if value), "", ""]
    writer.write("\r\n".join(lines).encode() + body)
    await writer.drain()
    whole = await reader.read()
    writer.close()
    head, _, content = whole.partition(b"\r\n\r\n")
    first, *rest = head.decode().split("\r\n")
    found = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    return Answer(int(first.split()[1]), found, content)
