"""Nothing is deleted that was not named first and agreed to, and what was deleted is asked again."""

from __future__ import annotations

import os
import pty
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e import command, refusals, suites
from tests.e2e.command import Ended

CALLS, GRADES = 5, 3  # of one run of the harbour suite
ALL = (4 * CALLS, 4 * GRADES)
RUN = (
    "run", "-m", "sim/never,sim/half", "--suite", "harbour", "-j", "cues", "--runs", "2", "--format", "json",
    "--db", "here.db",
)  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite, a store with two runs of two subjects, and a file of somebody else's. Only to be read."""
    folder = tmp_path_factory.mktemp("kept")
    suites.write(folder / "harbour", suites.harbour())
    assert command.run(*RUN, cwd=folder).code == 0
    (folder / "notes.txt").write_text("keep me")
    return folder


@pytest.fixture
def stored(kept: Path, tmp_path: Path) -> Path:
    """The same, free to be changed."""
    return Path(shutil.copytree(kept, tmp_path / "copy"))


def clear(folder: Path, *more: str) -> Ended:
    return command.run("clear-cache", "--format", "json", "--db", "here.db", *more, cwd=folder)


def held(folder: Path) -> tuple[int, int]:
    """Replies and verdicts in the store."""
    ((calls,), (verdicts,)) = command.ask(
        folder / "here.db", "SELECT count(*) FROM calls UNION ALL SELECT count(*) FROM verdicts"
    )
    return calls, verdicts


def named(ended: Ended) -> dict[str, tuple[int, int, int]]:
    """Subject -> dialogues, replies and verdicts that the listing names."""
    rows = ended.board["deletion"]["rows"]
    return {row["subject"].split("@")[0]: (row["dialogues"], row["replies"], row["verdicts"]) for row in rows}


def test_what_is_named_goes_and_the_same_run_brings_it_back(stored: Path):
    scopes = {
        "-m sim/half": ({"sim/half": (6, 10, 6)}, (10, 6)),
        "--verdicts": ({"sim/half": (0, 0, 6), "sim/never": (0, 0, 6)}, (20, 0)),
        "--verdicts -j cues -m sim/never": ({"sim/never": (0, 0, 6)}, (20, 6)),
        "--suite harbour": ({"sim/half": (6, 10, 6), "sim/never": (6, 10, 6)}, (0, 0)),
        "--everything": ({"sim/half": (6, 10, 6), "sim/never": (6, 10, 6)}, (0, 0)),
    }
    for scope, (goes, left) in scopes.items():
        told = clear(stored, *scope.split(), "--dry-run")
        assert (told.code, named(told), held(stored)) == (0, goes, ALL), scope
        barred = clear(stored, *scope.split())
        assert (barred.code, "add --yes" in command.one_sentence(barred), held(stored)) == (2, True, ALL), scope
        done = clear(stored, *scope.split(), "--yes")
        assert (done.code, named(done), held(stored)) == (0, goes, left), scope
        again = command.run(*RUN, cwd=stored)
        assert (again.code, held(stored)) == (0, ALL), scope
    assert (stored / "notes.txt").read_text() == "keep me"


def test_verdicts_of_another_judge_stay(stored: Path):
    assert command.run("judge", "-j", "sim/judge", "--db", "here.db", "--quiet", cwd=stored).code == 0
    assert clear(stored, "--verdicts", "-j", "cues", "--yes").code == 0
    left = command.ask(stored / "here.db", "SELECT judge, count(*) FROM verdicts GROUP BY judge")
    assert left == [("sim/judge", 4 * GRADES)]


def test_what_came_to_nothing_is_asked_again(stored: Path):
    whole = command.run(*RUN, cwd=stored).scores
    with command.opened(stored / "here.db") as connection:
        at = "trial = (SELECT trial FROM planned WHERE scenario = 'bell' AND run = 2 AND config_dir LIKE 'sim--half%')"
        connection.execute(f"UPDATE calls SET missing = 'no_answer', text = '' WHERE {at}")
        connection.execute(f"DELETE FROM verdicts WHERE {at}")
        connection.execute(
            "UPDATE verdicts SET missing = 'unreadable_verdict', fields = '{}' WHERE "
            "trial = (SELECT trial FROM planned WHERE scenario = 'map' AND run = 1 AND config_dir LIKE 'sim--never%')"
        )
    settled = command.run(*RUN, cwd=stored)
    assert settled.code == 3
    assert "plan: 0 calls and 0 verdicts" in settled.err
    cleared = clear(stored, "--missing", "--yes")
    assert named(cleared) == {"sim/half": (0, 1, 0), "sim/never": (0, 0, 1)}
    again = command.run(*RUN, cwd=stored)
    assert again.code == 0, again.err
    assert "plan: 1 calls and 2 verdicts" in again.err
    assert again.scores == whole
    nothing = clear(stored, "--missing", "--yes")
    assert (nothing.code, "nothing to delete" in nothing.err) == (0, True)


@pytest.mark.parametrize(("answer", "left"), [("y", 0), ("", 20)])
def test_a_person_is_asked(stored: Path, answer: str, left: int):
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "independence", "clear-cache", "--everything", "--db", "here.db"],
        cwd=stored, env=command.environment(), stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    os.close(follower)
    os.write(leader, f"{answer}\n".encode())
    ended = command.finish(process)
    os.close(leader)
    assert ended.code == 0, ended.err
    assert "12 dialogues, 20 replies, 12 verdicts" in ended.err
    assert ("nothing was deleted" in ended.err) == bool(left)
    assert held(stored)[0] == left


def test_one_edition_of_several_has_to_be_named(stored: Path):
    document = suites.harbour()
    document["scenarios"][0]["turns"][0]["human"] = "Two berths are free. Which one?"
    suites.write(stored / "harbour", document)
    assert command.run(*RUN, "--runs", "1", cwd=stored).code == 0
    ended = clear(stored, "--suite", "harbour", "--yes")
    assert ended.code == 2
    sentence = command.one_sentence(ended)
    old, new = (info for (info,) in command.ask(stored / "here.db", "SELECT edition FROM editions ORDER BY rowid"))
    assert f"harbour@{old}" in sentence
    assert f"harbour@{new}" in sentence
    done = clear(stored, "--suite", f"harbour@{new}", "--yes")
    assert done.code == 0, done.err
    assert "4 of them stay: other subjects or editions use them too" in done.err + done.out  # only `berth` differs
    assert command.ask(stored / "here.db", "SELECT edition FROM editions") == [(old,)]
    assert held(stored) == ALL


def test_what_cannot_be_is_said_in_one_sentence(stored: Path):
    cases = {
        "": "say what to delete",
        "--verdicts --missing": "one at a time",
        "--everything -m sim/half": "leave out --models",
        "-m sim/half -j cues": "--judge narrows",
        "-m sim/nobody": "no stored subject `sim/nobody` here; there is sim/half",
        "--suite v2": "holds no trials of `v2`; it holds harbour@",
        "--verdicts -j nobody": "no verdicts by judge `nobody` here; judges: cues",
        "--everything --db notes.txt": "notes.txt: not a store",
        "--everything --db absent.db": "absent.db: no store here",
    }
    assert refusals.wrong(stored, cases, "clear-cache --yes --db here.db") == {}
    with command.opened(stored / "here.db") as connection:  # somebody works on it
        me = f"{socket.gethostname()}:{os.getpid()}:ab12"
        connection.execute("INSERT INTO leases SELECT min(key), ?, unixepoch() + 600 FROM trials", (me,))
    busy = clear(stored, "--verdicts", "--yes")
    assert busy.code == 2
    assert f"process {os.getpid()} on" in command.one_sentence(busy)
    assert held(stored) == ALL
