"""Files of an export: whole or not there, beside those of earlier exports, and never over somebody else's."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from independence.errors import DiskFull, UsageError
from independence.exchange import output
from independence.exchange.output import MANIFEST, Manifest

ABOUT = Manifest(suite="toy", edition="12345678", conditions=("firm/tool_role",), judge="cues")


def kept(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != MANIFEST}


def test_files_and_what_they_are_about(tmp_path: Path) -> None:
    output.write(tmp_path / "new" / "deep", {"a.txt": [b"on", b"e"], "b.txt": []}, ABOUT)
    assert kept(tmp_path / "new" / "deep") == {"a.txt": "one", "b.txt": ""}
    manifest = json.loads((tmp_path / "new" / "deep" / MANIFEST).read_text())
    assert {name: manifest[name] for name in ("program", "suite", "edition", "conditions", "judge")} == {
        "program": "ai-independence-bench", "suite": "toy", "edition": "12345678", "conditions": ["firm/tool_role"],
        "judge": "cues",
    }  # fmt: skip
    assert list(manifest["files"]) == ["a.txt", "b.txt"]


def test_its_own_files_are_written_over_and_others_stay_and_remain_known(tmp_path: Path) -> None:
    output.write(tmp_path, {"a.csv": [b"one"]}, ABOUT)
    (tmp_path / "notes.md").write_text("mine")
    output.write(tmp_path, {"a.jsonl": [b"one"]}, ABOUT)
    output.write(tmp_path, {"a.csv": [b"two"]}, ABOUT)
    assert kept(tmp_path) == {"a.csv": "two", "a.jsonl": "one", "notes.md": "mine"}


@pytest.mark.parametrize("name", ["a.txt", MANIFEST])
def test_a_file_of_somebody_else_stays(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('{"program": "another"}')
    with pytest.raises(UsageError, match=f"{name} would be written over.*--force"):
        output.write(tmp_path, {"b.txt": [b"new"], "a.txt": [b"new"]}, ABOUT)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: '{"program": "another"}'}
    output.write(tmp_path, {"b.txt": [b"new"], "a.txt": [b"new"]}, ABOUT, force=True)
    assert kept(tmp_path) == {"a.txt": "new", "b.txt": "new"}


def test_its_own_file_is_somebody_else_s_once_it_was_changed_and_so_is_a_dangling_link(tmp_path: Path) -> None:
    output.write(tmp_path, {"a.txt": [b"one"], "b.txt": [b"one"]}, ABOUT)
    (tmp_path / "a.txt").write_text("edited by hand")
    with pytest.raises(UsageError, match=r": a\.txt would"):
        output.write(tmp_path, {"a.txt": [b"two"], "b.txt": [b"two"]}, ABOUT)
    assert kept(tmp_path) == {"a.txt": "edited by hand", "b.txt": "one"}
    (tmp_path / "c.txt").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"c\.txt would"):
        output.write(tmp_path, {"c.txt": [b"one"]}, ABOUT)


def test_a_file_that_fails_half_way_leaves_the_earlier_one(tmp_path: Path) -> None:
    def parts(error: Exception) -> Iterator[bytes]:
        yield b"tw"
        raise error

    output.write(tmp_path, {"a.txt": [b"one"]}, ABOUT)
    full = OSError(errno.ENOSPC, "No space left")
    for error, raised, what in ((ValueError("half"), ValueError, "half"), (full, DiskFull, "free space")):
        with pytest.raises(raised, match=what):
            output.write(tmp_path, {"a.txt": parts(error)}, ABOUT)
        assert kept(tmp_path) == {"a.txt": "one"}


def test_a_folder_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match="cannot be written"):
            output.write(folder, {"a.txt": [b"one"]}, ABOUT)


FILES = {"a.txt": [b"new"], "deep/b.txt": [b"new"], "c.txt": [b"new"]}
KILLED = """
import os
from pathlib import Path
from independence.exchange.output import Manifest, write
def dying():
    yield b"n"
    os._exit(9)
write(Path("."), {"a.txt": [b"new"], "deep/b.txt": dying(), "c.txt": [b"new"]}, Manifest())
"""


@pytest.mark.parametrize("before", [{}, {"a.txt": [b"old"], "c.txt": [b"old"], "gone.txt": [b"old"]}])
def test_a_killed_export_is_repeated_by_the_same_call(before: dict[str, list[bytes]], tmp_path: Path) -> None:
    folder, made = tmp_path / "site", tmp_path / "made"
    output.write(folder, before, ABOUT)
    was = kept(folder)
    killed = subprocess.run([sys.executable, "-c", KILLED], cwd=folder, check=False)
    assert killed.returncode == 9
    assert {name: text for name, text in was.items() if (folder / name).read_text() != text} == {}
    output.write(made, FILES, ABOUT)
    (dead,) = (one.name for one in folder.iterdir() if one.name.startswith("."))
    for moved in ((), ("a.txt",), ("a.txt", "deep/b.txt", "c.txt")):  # what it had moved when it was killed
        shutil.rmtree(folder)
        output.write(folder, before, ABOUT)
        shutil.copytree(made, folder / dead)
        for name in moved:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / dead / name).replace(folder / name)
        output.write(folder, FILES, ABOUT)
        found = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
        assert found == {*before, *FILES, MANIFEST}
        assert {(folder / name).read_text() for name in FILES} == {"new"}
    # What another process is still writing stays where it is.
    living = folder / f".export@{socket.gethostname()}@{os.getppid()}@"
    living.mkdir()
    output.write(folder, FILES, ABOUT)
    assert living.is_dir()
