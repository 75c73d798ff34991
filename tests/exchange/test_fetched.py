"""Results that are read from an address: fetched whole, or refused in one sentence."""

from __future__ import annotations

import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from independence.suites.load import load
from tests.e2e import command
from tests.extensions.published.trees import write_run


class Quiet(SimpleHTTPRequestHandler):
    """A folder on the web; `/short` breaks off, `/to/ADDRESS` leads there."""

    def do_GET(self) -> None:
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", unquote(self.path.removeprefix("/to/")))
            self.end_headers()
        elif self.path.startswith("/short"):
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.wfile.write(b"\x1f\x8b")
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Nothing."""


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "web"
    folder.mkdir()
    write_run(tmp_path / "clone-main" / "cache", load("v2").suite)
    with tarfile.open(folder / "main.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "clone-main", "clone-main")
    handler: type[BaseHTTPRequestHandler] = Quiet
    with HTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_an_archive_on_the_web_is_imported_like_a_file(web: str, tmp_path: Path) -> None:
    for words in (
        ["--published", f"{web}/main.tar.gz"],
        [f"{web}/main.tar.gz"],
        ["--published", tmp_path / "clone-main"],
    ):
        store = tmp_path / f"{len(words)}{len(str(words[-1]))}.db"
        told = command.ok("import", *words, "--db", store)
        assert "new in the store: " in told.err
        assert "nothing" not in told.err
        assert "next: " in told.err


def test_what_does_not_come_is_said_in_one_sentence_and_nothing_is_written(web: str, tmp_path: Path) -> None:
    for path, told in (
        (f"{web}/other.tar.gz", "HTTP Error 404"),
        (f"{web}/short.tar.gz", "broken off after 2 bytes"),
        ("http://127.0.0.1:1/main.tar.gz", "Connection refused"),
        ("http://[::1/main.tar.gz", "Invalid IPv6 URL"),
    ):
        refusal = command.refused("import", path, "--db", tmp_path / "new.db")
        assert refusal.startswith(f"Error: {path}: ")
        assert told in refusal
    assert not (tmp_path / "new.db").exists()
    assert "name one PATH" in command.refused("import", "a.csv", "--published", "b", "--db", tmp_path / "new.db")
    assert "name one PATH" in command.refused("import", "--db", tmp_path / "new.db")


def test_a_server_leads_nowhere_but_to_the_web_and_no_address_is_printed_with_its_secrets(
    web: str, tmp_path: Path
) -> None:
    store = ("--db", tmp_path / "new.db")
    for to in (
        "http://127.0.0.1:1/x", "http://localhost:1/x", "http://[::1]:1/x", "http://10.0.0.7/x", "http://192.168.1.1/x",
        "http://169.254.169.254/latest/meta-data", "http://0.0.0.0:1/x", "ftp://example.com/x", "file:///etc/passwd",
        "http://us:geheim@127.0.0.1:1/x?token=geheim",
    ):  # fmt: skip
        refusal = command.refused("import", f"{web}/to/{quote(to, safe='')}", *store)
        assert ("which is not followed" in refusal or "HTTP Error 302" in refusal) is True, refusal
        assert "geheim" not in refusal.partition("leads on to")[2]
    with_secrets = web.replace("http://", "http://us:geheim@")
    told = command.ok("import", f"{web}/to/{quote(f'{web}/main.tar.gz', safe='')}", *store)  # the same server
    assert "new in the store: " in told.err
    assert "geheim" not in command.refused("import", f"{with_secrets}/other.tar.gz?token=geheim", *store)
