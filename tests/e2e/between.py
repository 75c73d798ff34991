"""A server in a thread that answers as it is told and remembers every exchange; told to pass on, it is a wire tap."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple


class Said(NamedTuple):
    """An answer as bytes."""

    status: int
    body: bytes
    headers: Mapping[str, str] = {}


class Exchange(NamedTuple):
    """A POST and what was answered."""

    asked: dict[str, Any]
    said: Said


class Tapped(NamedTuple):
    """A running server."""

    url: str  # with /v1
    exchanges: list[Exchange]


Answer = Callable[[str, bytes | None], Said]  # (path, body of a POST) -> answer


def passing_on(base: str) -> Answer:
    """Ask the server at `base` (without /v1)."""

    def answer(path: str, body: bytes | None) -> Said:
        request = urllib.request.Request(base + path, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return Said(response.status, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return Said(error.code, error.read())

    return answer


def said(document: Any, status: int = 200) -> Said:
    """An answer in JSON."""
    return Said(status, json.dumps(document).encode())


def usage(asked: Mapping[str, Any]) -> dict[str, int]:
    """What an honest server counts: the words of messages, tool calls and tools."""
    return {"prompt_tokens": len(json.dumps([asked["messages"], asked.get("tools")]).split()), "completion_tokens": 9}


def is_probe(asked: Mapping[str, Any]) -> bool:
    """Whether a request is one of the delivery probe, whose texts begin with a word of its own."""
    return str(asked["messages"][0]["content"]).startswith("Note ")


def planned(exchanges: Iterable[Exchange]) -> list[Exchange]:
    """Those that are not of the delivery probe."""
    return [exchange for exchange in exchanges if not is_probe(exchange.asked)]


@contextmanager
def serving(answer: Answer) -> Iterator[Tapped]:
    """The server, on a free port of the loopback interface."""
    exchanges: list[Exchange] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(answer(self.path, None))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            reply = answer(self.path, body)
            exchanges.append(Exchange(json.loads(body), reply))
            self._send(reply)

        def _send(self, reply: Said) -> None:
            self.send_response(reply.status)
            length = {"Content-Type": "application/json", "Content-Length": str(len(reply.body))}
            for name, value in (length | dict(reply.headers)).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            """Nothing: stderr belongs to pytest."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield Tapped(f"http://127.0.0.1:{server.server_port}/v1", exchanges)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
