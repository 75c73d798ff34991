"""A file that fills the disk is not left in part, and the same command writes it once there is room."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import command, suites

WRITTEN = {
    "report.html": ("generate-report", "--html", "-o", "report.html", "--db", "here.db"),
    "report.md": ("generate-report", "-o", "report.md", "--db", "here.db"),
    "sample.csv": ("label-sample", "sample.csv", "--db", "here.db"),
    "gate.xml": (
        "check", "--suite", "harbour", "-m", "sim/never", "-j", "cues", "--min-index", "20", "--db", "here.db",
        "--junit", "gate.xml",
    ),
}  # fmt: skip


def test_what_fills_the_disk_is_removed_and_written_by_the_same_command_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    run = ("run", "--suite", "harbour", "-m", "sim/never", "-j", "cues", "--runs", "2", "--quiet", "--db", "here.db")
    command.ok(*run, cwd=tmp_path)
    whole = Path.write_bytes

    def half(path: Path, content: Any) -> int:
        whole(path, bytes(content)[: len(content) // 2])
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    for name, line in WRITTEN.items():
        with monkeypatch.context() as patched:
            patched.setattr(Path, "write_bytes", half)
            ended = command.run(*line, cwd=tmp_path)
        said = f"{name}: cannot be written (No space left on device); free space and run the command again"
        assert (ended.code, said in ended.err, (tmp_path / name).exists()) == (3, True, False), ended.err
        assert command.run(*line, cwd=tmp_path).code == 0
        assert (tmp_path / name).stat().st_size > 100
