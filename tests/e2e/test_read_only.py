"""A store where nothing can be written is read all the same."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e import command, suites
from tests.e2e.command import Ended

_DROP, _OVERRIDE = 24, 1  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE
BOARD, EXPORT = "leaderboard --format json", "export {out}/e"
READERS = (BOARD, EXPORT, "generate-report -o {out}/r.md", "compare sim/half sim/never", "doctor")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    suites.write(folder / "harbour", suites.harbour())
    line = "run --suite harbour -m sim/half,sim/never -j cues --runs 2 --db here.db --quiet"
    command.ok(*line.split(), cwd=folder)
    return folder


@pytest.fixture(scope="module")
def mounted(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The store on a read-only mount."""
    there = tmp_path_factory.mktemp("mounted")
    for options in (["--bind", str(made), str(there)], ["-o", "remount,ro,bind", str(there)]):
        done = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    yield there
    subprocess.run(["umount", str(there)], check=True)


def plainly() -> None:
    """In a new process: root becomes subject to the permissions of files, as everybody else is."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(_DROP, _OVERRIDE)


def read(store: Path, out: Path, reader: str, before: Callable[[], None] | None = None) -> Ended:
    line = [*reader.format(out=out).split(), "--db", store]
    return command.run(*line, cwd=out) if before is None else command.apart(*line, cwd=out, before=before)


def test_a_store_on_a_read_only_mount_is_read(mounted: Path, tmp_path: Path) -> None:
    for reader in READERS:
        ended = read(mounted / "here.db", tmp_path, reader)
        assert ended.code == (1 if reader == "doctor" and ended.code else 0), ended.err
        assert sorted(path.name for path in mounted.iterdir()) == ["harbour", "here.db"]


@pytest.fixture
def locked(made: Path, tmp_path: Path) -> Iterator[Path]:
    """A folder that lets nobody write."""
    folder = tmp_path / "locked"
    folder.mkdir()
    shutil.copy(made / "here.db", folder)
    (tmp_path / "out").mkdir()
    probe = [sys.executable, "-c", "import os, sys; sys.exit(os.access(sys.argv[1], os.W_OK))", str(folder)]
    folder.chmod(0o555)
    if subprocess.run(probe, preexec_fn=plainly, check=False).returncode:
        folder.chmod(0o755)
        pytest.skip("root writes everywhere here, and that cannot be taken away")
    (folder / "here.db").chmod(0o444)
    yield folder
    folder.chmod(0o755)


def test_a_store_in_a_folder_of_somebody_else_is_read_and_what_would_write_says_that_it_cannot(locked: Path) -> None:
    for reader in (BOARD, EXPORT):
        ended = read(locked / "here.db", locked.parent / "out", reader, plainly)
        assert ended.code == 0, ended.err
        assert [path.name for path in locked.iterdir()] == ["here.db"]
    ended = read(locked / "here.db", locked.parent / "out", "run -m sim/half -j cues --runs 1 --quiet", plainly)
    assert (ended.code, "cannot be written" in command.one_sentence(ended)) == (2, True)
    for line in ("run -m sim/half -j cues --runs 1 --quiet", "demo --quiet"):
        ended = command.apart(*line.split(), "--db", locked / "new.db", cwd=locked.parent / "out", before=plainly)
        assert (ended.code, "its folder or the mount is read-only" in command.one_sentence(ended)) == (2, True), line


def test_what_waits_in_the_log_of_a_store_is_read_too(locked: Path) -> None:
    folder, store = locked, locked / "here.db"
    folder.chmod(0o755)
    store.chmod(0o644)
    with command.opened(store) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("UPDATE subjects SET label = 'renamed' WHERE label LIKE 'sim/half%'")
        command.meant(connection)
        connection.commit()
        saved = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}
    for path in folder.iterdir():
        path.unlink()
    for name, content in saved.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o444)
    assert len(saved["here.db-wal"]) > 0
    folder.chmod(0o555)
    ended = read(store, folder.parent / "out", BOARD, plainly)
    assert ended.code == 0, ended.err
    assert {row["label"] for row in ended.board["rows"]} == {"sim/never@none-t0.7", "renamed"}
    assert {path.name for path in folder.iterdir()} == set(saved)
