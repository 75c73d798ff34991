"""A gateway on loopback that keeps replies as LiteLLM does: the same request gets the same reply, until told not to."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.e2e import between


class Gateway(ThreadingHTTPServer):
    """What it was asked and what it keeps. `deaf`: it replays whatever it is asked, and says nothing of it."""

    def __init__(self, *, deaf: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.deaf = deaf
        self.lock = threading.Lock()
        self.kept: dict[str, str] = {}
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Gateway

    def do_GET(self) -> None:
        self._send({"data": [{"id": "m"}]}, {})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append(dict(body))
            anew = not self.server.deaf and body.pop("cache", {}).get("no-cache", False)
            body.pop("cache", None)
            key = json.dumps(body)
            hit = key in self.server.kept and not anew
            text = self.server.kept[key] if hit else f"I think so, and I say it as I see it: {uuid.uuid4()}."
            self.server.kept[key] = text
        signed = {} if self.server.deaf else {"x-litellm-call-id": "1"} | ({"x-litellm-cache-key": "k"} if hit else {})
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        self._send({"id": "1", "model": "m", "choices": [choice], "usage": between.usage(body)}, signed)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has where it comes from
        """Say nothing."""

    def _send(self, document: dict[str, Any], headers: dict[str, str]) -> None:
        content = json.dumps(document).encode()
        self.send_response(200)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving(*, deaf: bool = False) -> Iterator[Gateway]:
    """The gateway, while it is needed."""
    server = Gateway(deaf=deaf)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
