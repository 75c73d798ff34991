"""Proxies before the viewer, as people have them: what they do with the Host of a request, its scheme and its path."""

from __future__ import annotations

import http.client
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import urlsplit

_OF_CONNECTIONS = ("connection", "content-length", "keep-alive", "transfer-encoding")


class ProxyKind(NamedTuple):
    """What a proxy changes."""

    keeps_host: bool = False  # else it asks for its upstream by name, as nginx does unless told otherwise
    says: str = ""  # the header in which it says the Host that it was asked for
    prefix: str = "/"  # that it takes off paths
    tls: ssl.SSLContext | None = None


@contextmanager
def before(upstream: str, kind: ProxyKind) -> Iterator[int]:
    """A proxy before an address, until the block ends; yields its port."""
    place = urlsplit(upstream)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            asked = self.headers["Host"]
            sent = {name: text for name, text in self.headers.items() if name.lower() not in _OF_CONNECTIONS}
            if not kind.keeps_host:
                sent["Host"] = place.netloc
            if kind.says:
                sent[kind.says] = f'for=10.0.0.1;host="{asked}"' if kind.says == "Forwarded" else asked
            upper = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
            upper.request("GET", "/" + self.path.removeprefix(kind.prefix), headers=sent)
            answer = upper.getresponse()
            self.send_response(answer.status)
            for name, text in answer.getheaders():
                if name.lower() not in _OF_CONNECTIONS:
                    self.send_header(name, text)
            self.send_header("Connection", "close")
            self.end_headers()
            while part := answer.read1(65_536):
                self.wfile.write(part)
                self.wfile.flush()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a reader who leaves in the middle
    if kind.tls is not None:
        server.socket = kind.tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
