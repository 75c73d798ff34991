"""The server on a real socket: what it refuses, how it sends, and that it follows a store that others write."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

from independence.errors import UsageError
from independence.store import leases
from independence.store.file import database
from independence.suites.load import LoadedSuite
from independence.viewer import app
from independence.viewer.access import HEADERS
from independence.viewer.app import ViewerSettings
from independence.viewer.folder_pages import FolderPages
from independence.viewer.store_pages import StorePages
from tests.e2e import command
from tests.virtual_time import HandClock

from .raw import Answer, ask

DOCUMENT = "/data/0123abcd/boards.json"
POST = b"POST /api/ratings HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
TOKEN = "a-text-only-readers-know"


def verdicts(found: Answer) -> int:
    """How many the list of boards tells."""
    return sum(one["verdicts"] for one in found.json["boards"])


async def board(address: str) -> str:
    """The id of the only board."""
    (one,) = (await ask(address, DOCUMENT)).json["boards"]
    return str(one["id"])


async def test_the_page_and_every_answer_have_the_strict_policy(address: str) -> None:
    for path in ("/", DOCUMENT, "/api/changes", "/nowhere"):
        found = await ask(address, path)
        assert {name: found.headers[name.lower()] for name in HEADERS} == HEADERS
    assert "script-src 'self'" in HEADERS["Content-Security-Policy"]
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


async def test_the_page_holds_its_boot_document(address: str) -> None:
    page = await ask(address)
    assert page.status == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    boot = page.body.split(b'type="application/json">')[1].split(b"</script>")[0]
    held = msgspec.json.decode(boot)
    assert held["board_list"] == (await ask(address, DOCUMENT)).json
    assert (held["served"], held["base"]) == (True, f"data/{held['board_list']['dataset']}/")
    preloaded = page.body.split(b'as="fetch" crossorigin href=".')[1].split(b'"')[0].decode()
    assert (await ask(address, preloaded)).json["id"] == await board(address)


async def test_another_host_name_and_another_origin_are_refused(address: str) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Host": ""}):
        found = await ask(address, DOCUMENT, **headers)
        assert found.status in (400, 403)
        assert b"boards" not in found.body
    own = await ask(address, DOCUMENT, Origin=address.rstrip("/"))
    assert own.status == 200


async def test_a_document_is_packed_where_the_reader_takes_that_and_not_sent_to_who_has_it(address: str) -> None:
    first = await ask(address, DOCUMENT)
    assert (first.status, verdicts(first)) == (200, 9)
    assert first.headers["content-type"] == "application/json"
    assert first.headers["cache-control"] == "no-cache"
    assert first.headers["vary"] == "Accept-Encoding"
    assert "content-encoding" not in first.headers
    packed = await ask(address, DOCUMENT, Accept_Encoding="gzip, br")
    assert (packed.headers["content-encoding"], packed.headers["etag"]) == ("gzip", first.headers["etag"])
    assert gzip.decompress(packed.body) == first.body
    again = await ask(address, DOCUMENT, If_None_Match=f'"x", {first.headers["etag"]}')
    assert (again.status, again.body) == (304, b"")
    assert (await ask(address, DOCUMENT, If_None_Match='"x"')).status == 200
    head = await ask(address, DOCUMENT, "HEAD")
    assert (head.status, head.body, head.headers["etag"]) == (200, b"", first.headers["etag"])
    assert head.headers["content-length"] == str(len(first.body))
    other = await ask(address, DOCUMENT.replace("0123abcd", "ffffffff"))
    assert other.body == first.body  # any data set of the address means the store as it is


NOWHERE = """
/nowhere /data/0123abcd/nowhere.json /data/0123abcd/../../../etc/passwd /../../etc/passwd /app/../../x
/%2e%2e/%2e%2e/etc/passwd /data/0123abcd/..%2f..%2fetc%2fpasswd /data/ /api/ /api/live/nowhere
/api/search?board=nowhere&q=x //etc/passwd /data/0123ABCD/boards.json /%00 /store.db
"""


async def test_what_is_not_there_is_one_sentence_of_json(address: str) -> None:
    found = {path: await ask(address, path) for path in NOWHERE.split()}
    told = {path: (one.status, one.headers["content-type"], list(one.json)) for path, one in found.items()}
    assert told == dict.fromkeys(found, (404, "application/json", ["error"]))
    assert [path for path, one in found.items() if "nothing at" not in one.json["error"]] == []


async def test_other_methods_are_refused(address: str) -> None:
    for method in ("PUT", "DELETE", "POST", "OPTIONS", "PATCH"):
        found = await ask(address, DOCUMENT, method)
        assert (found.status, found.headers["allow"]) == (405, "GET, HEAD"), method


async def test_a_port_that_is_taken_is_said_to_be(address: str, store: Path) -> None:
    port = int(address.rstrip("/").rsplit(":", 1)[1])
    with pytest.raises(UsageError, match="choose another --port"):
        async with app.serving(FolderPages(site(store.parent)), ViewerSettings(port=port)):
            pass


def site(folder: Path) -> Path:
    made = folder / "site"
    (made / "data").mkdir(parents=True, exist_ok=True)
    (made / "index.html").write_text("<p>here</p>")
    (made / "data" / "x.json").write_text("[1]")
    (folder / "secret.txt").write_text("hidden words")
    (made / "link.txt").unlink(missing_ok=True)
    (made / "link.txt").symlink_to(folder / "secret.txt")
    return made


async def test_a_folder_is_served_and_nothing_outside_of_it(tmp_path: Path) -> None:
    folder = site(tmp_path)
    async with app.serving(FolderPages(folder), ViewerSettings()) as address:
        assert (await ask(address)).body == b"<p>here</p>"
        assert (await ask(address, "/data/x.json")).json == [1]
        outside = [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/link.txt",
            "/data",
            "/api/changes",
            "/%00",
            f"/{'x' * 999}",
        ]
        for path in outside:
            found = await ask(address, path)
            assert found.status in (400, 404), path
            assert b"hidden" not in found.body
        assert (await ask(address, "/api/ratings", "POST", b"{}")).status == 405
        (folder / "data" / "x.json").write_text("[1, 2]")
        assert (await ask(address, "/data/x.json")).json == [1, 2]  # as it is now


async def test_a_token_opens_the_page_and_leaves_the_address(tmp_path: Path) -> None:
    async with app.serving(FolderPages(site(tmp_path)), ViewerSettings(token=TOKEN)) as address:
        assert (await ask(address)).status == 401
        assert (await ask(address, "/?token=wrong")).status == 401
        opened = await ask(address, f"/?token={TOKEN}")
        assert (opened.status, opened.headers["location"]) == (303, "./")
        cookie = opened.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert "Path" not in cookie  # it is sent below the folder that the page is in, whatever a proxy calls that
        assert (await ask(address, Cookie=cookie.split(";")[0])).status == 200
        assert (await ask(address, Authorization=f"Bearer {TOKEN}")).status == 200


def write(store: Path, *statements: str) -> None:
    """Write as another process does: by a connection of one's own."""
    with closing(sqlite3.connect(store)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


async def test_what_another_writes_is_seen_at_once_and_documents_are_made_again_when_they_are_due(
    address: str, store: Path, clock: HandClock
) -> None:
    async def version() -> str:
        return str((await ask(address, "/api/changes")).json["version"])

    before, name = await version(), await board(address)
    assert await version() == before
    assert verdicts(await ask(address, DOCUMENT)) == 9
    write(store, "DELETE FROM verdicts WHERE judge = 'two'")
    changed = await version()
    assert changed != before
    assert (await ask(address, f"/api/live/{name}")).json["verdicts"] == 6
    old = await ask(address, DOCUMENT)
    assert (verdicts(old), old.headers["x-independence-behind"]) == (9, "1")
    clock.forward(1.875)
    assert await version() == changed
    clock.forward(0.125)
    last = await version()
    assert last != changed  # what was sent as it was is due now
    new = await ask(address, DOCUMENT)
    assert verdicts(new) == 6
    assert "x-independence-behind" not in new.headers
    assert last == await version()


async def test_the_live_matrix_counts_what_is_planned_answered_judged_and_failed(
    address: str, store: Path, toy_suite: LoadedSuite, clock: HandClock
) -> None:
    path = f"/api/live/{await board(address)}"
    found = (await ask(address, path)).json
    assert found["scenarios"] == [one.id for one in toy_suite.suite.scenarios]
    assert found["labels"] == ["label of a", "label of b"]
    assert found["cells"] == [[[1, 0, 1, 1, 0, 1]] * 3] * 2
    me, gone = leases.owner(), f"{socket.gethostname()}:999999999:0"
    write(
        store,
        f"INSERT INTO leases VALUES ('b radio 1', '{me}', 9e12), ('b dessert 1', '{gone}', 9e12)",
        f"INSERT INTO leases VALUES ('b dinner 1', '{me}', 9e12)",
        "DELETE FROM calls WHERE trial IN ('b radio 1', 'b dessert 1')",
        "INSERT INTO failures VALUES ('b dessert 1', 'x', 'GaveUp', 'HTTP 500 (7f)', 0, 0, '[]', '2026', 0)",
        "INSERT INTO failures VALUES ('b radio 1', 'y', 'GaveUp', 'HTTP 500 (8e)', 0, 0, '[]', '2027', 0)",
        "INSERT INTO failures SELECT trial, turn_id, 'GaveUp', 'answered later', 0, 0, '[]', '2028', 0 FROM calls",
        "DELETE FROM verdicts WHERE trial = 'a radio 1'",
    )
    clock.forward(0.25)
    assert (await ask(address, path)).json == found  # it is counted again at most every half a second
    clock.forward(0.25)
    found = (await ask(address, path)).json
    by = {
        (label, scenario): cell
        for label, row in zip(found["labels"], found["cells"], strict=True)
        for scenario, cell in zip(found["scenarios"], row, strict=True)
    }
    assert by["label of a", "radio"] == [1, 0, 1, 0, 0, 1]
    assert by["label of b", "radio"] == [1, 1, 0, 0, 0, 1]
    assert by["label of b", "dessert"] == [1, 0, 0, 0, 1, 1]
    assert by["label of b", "dinner"] == [1, 0, 1, 1, 0, 1]
    (failure,) = found["failures"]  # in the same words but for a number, the last one is told
    assert [failure[name] for name in ("label", "what", "detail", "times", "scenarios", "scenario", "run", "at")] == [
        "label of b", "y", "HTTP 500 (8e)", 2, 2, "radio", 1, "2027",
    ]  # fmt: skip


async def test_search_finds_words_in_what_subjects_and_judges_wrote(address: str) -> None:
    name = await board(address)

    async def search(words: str, more: str = "") -> Any:
        found = await ask(address, f"/api/search?board={name}&q={words}{more}")
        assert found.status == 200, found.body
        return found.json

    everywhere = await search("RADIO%201")
    assert everywhere["found"] == 2
    assert {(hit["scenario"], hit["role"], hit["places"]) for hit in everywhere["hits"]} == {("radio", "answer", 1)}
    assert {hit["judge"] for hit in (await search("on%20radio"))["hits"]} == {"one", "two"}
    assert (await search("adi"))["found"] > 0
    assert (await search("adi", "&whole=1"))["found"] == (await search("100%25"))["found"] == 0
    assert (await ask(address, f"/api/search?board={name}&q=%25")).status == 400
    assert (await ask(address, f"/api/search?board={name}&q=")).status == 400


def rating(items: dict[str, str], rater: str = "Ann") -> bytes:
    rows = [
        {"item": items["radio"], "values": {"firmness": 7, "kept": True}, "seconds": 9.5},
        {"item": items["dinner"], "values": {"drift": 1}},
        {"item": items["radio"], "values": {"firmness": 6, "kept": True}},
    ]
    pairs = [{"first": items["radio"], "second": items["dinner"], "better": "equal"}]
    return msgspec.json.encode({"schema": 1, "rater": rater, "dataset": "0123abcd", "ratings": rows, "pairs": pairs})


def items(store: Path) -> dict[str, str]:
    """Scenario -> item of subject a."""
    with database.reading(store) as connection:
        ends = connection.execute(
            "SELECT trial, after FROM calls WHERE version = 0 AND trial LIKE 'a %' ORDER BY turn"
        ).fetchall()
    return {trial.split()[1]: after[:16] for trial, after in ends}


async def test_ratings_become_verdicts_that_validate_judges_compares(address: str, store: Path) -> None:
    sent = await ask(address, "/api/ratings", "POST", rating(items(store)), Content_Type="application/json")
    assert (sent.status, sent.json["stored"]) == (200, 2)
    assert "human:Ann: 2 verdicts" in sent.json["notes"]
    assert any("1 dialogues were rated again, 0 of them alike" in note for note in sent.json["notes"])
    in_parts = b" " * 2**20 + rating(items(store))  # more than a socket takes at once
    again = await ask(address, "/api/ratings", "POST", in_parts, Content_Type="application/json")
    assert again.json == {**sent.json, "stored": 0, "notes": again.json["notes"]}
    told = command.run("validate-judges", "--db", store, "--format", "json")
    assert told.code == 0, told.err
    assert "human:Ann" in told.out


async def test_ratings_that_fit_nothing_or_that_a_form_of_another_site_could_send_are_refused(
    address: str, store: Path
) -> None:
    kind, own = {"Content_Type": "application/json"}, rating(items(store))
    for body, headers, status, words in (
        (b"", kind, 400, "ratings.json:1: the file is empty"),
        (b"[]", kind, 400, "ratings.json:1: expected a mapping of keys, got a list"),
        (b'{"schema":1,"rater":"A","ratings":[{"item":"ffff","values":{"x":1}}]}', kind, 400, "no item here"),
        (b'{"schema":1,"rater":""}', kind, 200, ""),
        (own, {"Content_Type": "text/plain"}, 415, "application/json"),
        (own, {**kind, "Origin": "http://evil.example"}, 403, "other sites"),
    ):
        found = await ask(address, "/api/ratings", "POST", body, **headers)
        assert (found.status, words in found.json.get("error", "")) == (status, True), found


async def test_a_client_that_never_sends_its_whole_request_is_let_go_and_nothing_is_printed(
    store: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with StorePages(store) as pages:
        async with app.serving(pages, ViewerSettings(request_s=0.05)) as address:
            parts = urlsplit(address)
            for sent, status in (
                (b"", b""),
                (b"GET / HTTP/1.1\r\nHost: ", b""),
                (POST, b"408"),
                (b"nonsense\r\n\r\n", b"400"),
                (b"GET / HTTP/1.1\r\nHost: \xff\x00\r\n\r\n", b"400"),
                (b"GET /x HTTP/1.1\r\nHost: %s\r\nContent-Length: no\r\n\r\n", b"400"),
            ):  # fmt: skip
                reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
                writer.write(sent.replace(b"%s", parts.netloc.encode()))
                said = b""
                with contextlib.suppress(ConnectionResetError):
                    said = await asyncio.wait_for(reader.readuntil(b"\r\n") if status else reader.read(), 10)
                assert said.split(b" ")[1:2] == ([status] if status else []), sent
                writer.close()
            assert (await ask(address)).status == 200
    assert capfd.readouterr() == ("", "")
