"""`view` and `export --site` as commands: who is answered, what is written, and a run of another process followed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.e2e import command, endpoint, suites
from tests.e2e.test_read_only import plainly

WARDEN = "You keep the lock of a canal and nobody's secrets."
PERSONA = "warden.md"
_GROWTH = 12 * 2**20  # bytes that a server may take more after forty changes than after ten


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store: two subjects under a prompt of one's own and under one of the suite."""
    folder = tmp_path_factory.mktemp("view")
    suites.write(folder / "harbour", suites.harbour())
    (folder / PERSONA).write_text(WARDEN)
    line = f"run --suite harbour -m sim/half,sim/never -j cues --runs 2 --variants plain,{PERSONA} --db here.db --quiet"
    command.ok(*line.split(), cwd=folder)
    return folder


class Viewed(NamedTuple):
    """A running `view`."""

    address: str
    process: subprocess.Popen[str]

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.address + path, timeout=60) as answer:
            content: bytes = answer.read()
        return content

    def json(self, path: str) -> Any:
        return json.loads(self.get(path))

    def runs(self) -> list[Mapping[str, Any]]:
        """What runs say of themselves."""
        return list(self.json("api/changes")["runs"])

    def boards(self) -> list[Mapping[str, Any]]:
        return list(self.json("data/00000000/boards.json")["boards"])

    def memory(self) -> int:
        """Bytes that it holds."""
        fields = Path(f"/proc/{self.process.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def viewing(*arguments: str | Path, cwd: Path, before: Callable[[], None] | None = None) -> Iterator[Viewed]:
    """`view`, until the block ends; then Ctrl-C must end it in order."""
    process = command.start("view", "--port", "0", "--no-open", *arguments, cwd=cwd, before=before)
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), process.communicate()
        yield Viewed(address, process)
    finally:
        process.send_signal(signal.SIGINT)
        ended = command.finish(process)
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err, ended.err


def test_an_address_without_a_token_and_a_place_where_nothing_is_are_one_sentence(made: Path, tmp_path: Path) -> None:
    for folder, arguments, says in (
        (made, ("--host", "0.0.0.0", "--db", "here.db"), "--token"),
        (made, ("--host", "example.org", "--db", "here.db"), "--token"),
        (tmp_path, ("--db", "none.db"), "none.db"),
        (tmp_path, ("--site", "."), ""),
    ):
        ended = command.run("view", "--port", "0", "--no-open", *arguments, cwd=folder)
        assert (ended.code, ended.out, says in command.one_sentence(ended)) == (2, "", True)
    assert list(tmp_path.iterdir()) == []


def test_the_address_that_is_printed_opens_on_whatever_it_listens(made: Path) -> None:
    asked = ("--host", "0.0.0.0", "--token", "abcdefghijkl1234", "--allow-host", "x.example", "--db", "here.db")
    with viewing(*asked, cwd=made) as viewed:
        address, _, token = viewed.address.partition("?token=")
        asked_for = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(asked_for, timeout=60) as answer:
            assert b"independence-config" in answer.read()


def first_boards(db: Path) -> list[str]:
    """The variants of the boards of a store, without digests, in the order of the viewer."""
    with viewing("--db", db, cwd=db.parent) as viewed:
        return [str(board["variant"]).split("-")[0] for board in viewed.boards()]


def test_it_opens_on_the_prompt_that_was_tested_last(tmp_path: Path) -> None:
    command.ok("persona", "init", "first.md", "--example", "ahmet", "--weak", cwd=tmp_path)
    command.ok("persona", "init", "second.md", "--example", "ahmet", cwd=tmp_path)
    checked = ("-m", "sim/persona-reader", "--judge", "sim/judge", "--quick", "--quiet")
    command.run("check", "first.md", *checked, "--db", "two.db", cwd=tmp_path)
    command.run("check", "second.md", *checked, "--against", "first.md", "--db", "two.db", cwd=tmp_path)
    command.run("check", "second.md", *checked, "--against", "first.md", "--db", "one.db", cwd=tmp_path)
    for name in ("two.db", "one.db"):
        assert first_boards(tmp_path / name) == ["second", "first"], name


def test_of_the_prompts_of_a_suite_the_newest_comes_first_and_of_several_in_one_run_the_usual(tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    line = "run --suite harbour -m sim/half -j cues --quiet --db here.db --runs"
    command.ok(*f"{line} 1 --variants blunt,plain".split(), cwd=tmp_path)
    assert first_boards(tmp_path / "here.db") == ["plain", "blunt"]
    command.ok(*f"{line} 2 --variants blunt".split(), cwd=tmp_path)
    assert first_boards(tmp_path / "here.db") == ["blunt", "plain"]


def test_a_site_says_before_it_is_written_whose_prompts_it_shows(made: Path, tmp_path: Path) -> None:
    ended = command.ok("export", "--site", tmp_path / "site", "--db", "here.db", cwd=made)
    said, written = (next(at for at, line in enumerate(ended.err.splitlines()) if words in line)
                     for words in ("system prompts of your own", "written: "))  # fmt: skip
    assert said < written
    assert holding(tmp_path / "site", WARDEN) != []
    redacted = command.ok("export", "--site", tmp_path / "redacted", "--redact-prompts", "--db", "here.db", cwd=made)
    assert "of your own" not in redacted.err
    assert holding(tmp_path / "redacted", WARDEN) == []


def holding(folder: Path, words: str) -> list[Path]:
    """Files in which the words stand."""
    return [file for file in folder.rglob("*") if file.is_file() and words.encode() in file.read_bytes()]


def test_a_site_covers_every_board_is_no_second_layout_and_can_be_looked_at(made: Path, tmp_path: Path) -> None:
    for more in ("--summary", "--published", "-m sim/half", "--suite harbour", "--mode user_role"):
        ended = command.run("export", "--site", tmp_path / "x", *more.split(), "--db", "here.db", cwd=made)
        assert ended.code == 2, more
        assert not (tmp_path / "x").exists()
    command.ok("export", "--site", tmp_path / "site", "--db", "here.db", cwd=made)
    with viewing("--site", tmp_path / "site", cwd=tmp_path) as viewed:
        assert viewed.get("") == (tmp_path / "site" / "index.html").read_bytes()


@pytest.fixture
def locked(made: Path, tmp_path: Path) -> Iterator[Path]:
    """The store in a folder that lets nobody write."""
    folder = tmp_path / "locked"
    folder.mkdir()
    shutil.copy(made / "here.db", folder)
    (folder / "here.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


def test_a_store_that_cannot_be_written_is_served(locked: Path) -> None:
    with viewing("--db", locked / "here.db", cwd=locked, before=plainly) as viewed:
        assert len(viewed.boards()) == 2
        assert viewed.json("api/changes")["writable"] is False
        board = viewed.boards()[0]["id"]
        assert viewed.json(f"api/live/{board}")["answers"] > 0
    assert [file.name for file in locked.iterdir()] == ["here.db"]


def test_requests_that_are_none_are_refused_and_nothing_of_them_is_printed(made: Path) -> None:
    with viewing("--db", made / "here.db", cwd=made) as viewed:
        there = urlsplit(viewed.address)
        for sent in (b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: no\r\n\r\n", b"\x16\x03\x01\r\n\r\n"):
            with socket.create_connection((there.hostname, there.port or 0), timeout=60) as client:
                client.sendall(sent)
                assert b" 400 " in client.recv(100), sent


def test_a_run_is_followed_killed_and_resumed(tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--latency", "0.3") as served:
        endpoint.models_file(tmp_path, served.base_url, 2)
        line = "run --models-file models.yaml --suite harbour -m loop/half,loop/never -j cues --runs 4 --db here.db"
        env = {"LOOP_KEY": endpoint.KEY}
        first = command.start(*line.split(), "--quiet", "--max-cost", "3", cwd=tmp_path, env=env)
        endpoint.until(lambda: len(served.requests()) > 6, "questions")
        endpoint.until(lambda: command.holds(tmp_path / "here.db", 4), "answers")
        with viewing("--db", "here.db", cwd=tmp_path) as viewed:
            (run,) = viewed.runs()
            assert (run["state"], run["snapshot"]["command"], run["snapshot"]["cap_usd"]) == ("running", "run", 3.0)
            assert run["snapshot"]["planned"] > 0
            began = viewed.json("api/changes")["version"]
            endpoint.until(lambda: viewed.json("api/changes")["version"] != began, "a change")
            first.send_signal(signal.SIGKILL)
            command.finish(first)
            assert [run["state"] for run in viewed.runs()] == ["gone"]
            command.ok(*line.split(), "--quiet", cwd=tmp_path, env=env)
            (after,) = viewed.runs()
            assert (after["state"], after["snapshot"]["failed"]) == ("ended", 0)
            assert after["snapshot"]["done"] == after["snapshot"]["planned"]
            live = viewed.json(f"api/live/{viewed.boards()[0]['id']}")
            cells = [cell[:5] for row in live["cells"] for cell in row]
            assert cells == [[4, 0, 4, 4, 0]] * len(cells)
            assert holds_no_key(viewed)


def holds_no_key(viewed: Viewed) -> bool:
    answers = map(viewed.get, ("", "api/changes", "data/00000000/boards.json"))
    return all(endpoint.KEY.encode() not in answer for answer in answers)


@pytest.mark.deep
def test_a_server_over_a_store_that_changes_does_not_grow(made: Path, tmp_path: Path) -> None:
    db = Path(shutil.copy(made / "here.db", tmp_path))
    with viewing("--db", db, cwd=tmp_path) as viewed:
        board = viewed.boards()[0]
        judge = board["judges"][0]["slug"]
        index, texts = (f"data/00000000/{board['id']}/{name}.json" for name in (f"index.{judge}", "texts"))
        held = []
        for number in range(40):
            with command.opened(db) as connection:
                connection.execute("UPDATE subjects SET label = ? || label", (f"{number}-",))
            for path in ("api/changes", f"api/live/{board['id']}", "data/00000000/boards.json"):
                viewed.get(path)
            if number % 10 == 9:  # documents are made anew after a while
                shown = f"{number}-".encode()
                endpoint.until(lambda shown=shown: shown in viewed.get(index), "a new document")
                assert viewed.get(texts)
                held.append(viewed.memory())
        assert held[-1] - held[0] < _GROWTH, held
