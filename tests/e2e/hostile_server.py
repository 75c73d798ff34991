"""A server that misbehaves as its path says: `/NAME/v1/models` lists one model, unless the listing is the fault."""

from __future__ import annotations

import gzip
import json
import select
import socketserver
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Write = Callable[[bytes], None]
Gone = Callable[[float], bool]  # whether the client leaves within so many seconds

SECRET = "lab-4f1d2c3b5a6978"
_LISTING = b'{"data": [{"id": "m"}]}'
_ZEROS = bytes(2**20)


def _said(**message: object) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", **message}, "finish_reason": "stop"}]}).encode()


def _head(status: str, *lines: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "Connection: close", "", ""]).encode()


def _whole(body: bytes, status: str = "200 OK", *lines: str) -> bytes:
    return _head(status, f"Content-Length: {len(body)}", *lines) + body


_GZIP = "Content-Encoding: gzip"


def _bomb(write: Write, _gone: Gone) -> None:
    """2 GB of zeros in a small body, packed when it is asked for."""
    packer = zlib.compressobj(9, wbits=31)
    write(_whole(b"".join(packer.compress(_ZEROS) for _ in range(2000)) + packer.flush(), "200 OK", _GZIP))


def _endless(write: Write, _gone: Gone) -> None:
    write(_head("200 OK", "Content-Type: application/json"))
    while True:
        write(b" " * 2**18)


def _hang(_write: Write, gone: Gone) -> None:
    gone(30)


def _loris(write: Write, gone: Gone) -> None:
    write(_head("200 OK", "Content-Length: 400"))
    while not gone(0.1):
        write(b" ")


ANSWERS: dict[str, bytes | Callable[[Write, Gone], None]] = {
    "page": _whole(b"<html>no</html>"),
    "null": _whole(b"null"),
    "list": _whole(b"[]"),
    "deep": _whole(b"[" * 100_000),
    "no-content": _head("204 No Content"),
    "moved": _whole(b"", "307 Temporary Redirect", f"Location: http://127.0.0.1:9/v1?key={SECRET}"),
    "bad-gzip": _whole(b"no gzip", "200 OK", _GZIP),
    "bomb": _bomb,
    "endless": _endless,
    "hang": _hang,
    "loris": _loris,
    "header": _head("200 OK", "X-Long: " + "x" * 100_000) + b"{}",
    "no-http": b"220 mail.example ESMTP\r\n",
    "long": _whole(_said(content="I stay with the east berth. " + " ".join(map(str, range(1_500_000))))),
    "latin": _whole(
        _said(content="I would keep the café.").replace(b"\\u00e9", b"\xe9"), "200 OK",
        "Content-Type: application/json; charset=latin-1",
    ),
    "echo": _whole(_said(content=f"I keep the east berth, and your key is {SECRET}.", reasoning=f"It is {SECRET}.")),
    "packed": _whole(gzip.compress(_said(content="I would keep the east berth.")), "200 OK", _GZIP),
    "error-echo": _whole(
        json.dumps({"error": {"message": f"no use of ?api-key={SECRET}x {SECRET}"}}).encode(), "400 No"
    ),
}  # fmt: skip
ODD_IDS = ("C:\\models\\ok.gguf", "/data/qwen/", "claude@20250929", "a b", "x:y", "vendor/*", "part/name-*", "model*")
LISTINGS = {
    "odd-ids": _whole(json.dumps({"data": [{"id": one} for one in ODD_IDS]}).encode()),
    "all": _whole(b'{"data": [{"id": "*"}]}'),
    "any-names": _head("404 Not Found"),
    "models-bomb": ANSWERS["bomb"],
    "models-endless": _endless,
    "models-hang": _hang,
}


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        with suppress(OSError, ValueError, IndexError):
            if self.rfile.peek(1)[:1] == b"\x16":  # TLS, which is not spoken here
                self.wfile.write(_whole(b"", "400 Bad Request"))
                return
            path = self.rfile.readline().split()[1].decode()
            length = 0
            while (line := self.rfile.readline().strip()) != b"":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.rfile.read(length)
            self._answer(path.partition("?")[0].strip("/").split("/"))

    def _answer(self, path: list[str]) -> None:
        listing = path[-1] == "models"
        answer = LISTINGS.get(path[0], _whole(_LISTING)) if listing else ANSWERS.get(path[0], ANSWERS["packed"])
        if isinstance(answer, bytes):
            self.wfile.write(answer)
        else:
            answer(self.wfile.write, lambda within_s: bool(select.select([self.connection], [], [], within_s)[0]))


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def serving() -> Iterator[str]:
    """The server on a free port, as `http://HOST:PORT`."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
