"""Boards over time: each call leaves one more in the folder."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e import command, suites

RUN = ("run", "--suite", "harbour", "-j", "cues", "--quiet", "--db", "here.db")


def test_each_one_is_kept_beside_the_others(tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    command.ok(*RUN, "-m", "sim/half,sim/never", "--runs", "1", cwd=tmp_path)
    for count in (1, 2):
        command.ok("export", "kept", "--snapshot", "--db", "here.db", cwd=tmp_path)
        files = sorted((tmp_path / "kept").glob("leaderboard_*.json"))
        assert len(files) == count
    for file in files:
        board = ("leaderboard", "--db", "here.db", "--format")
        assert json.loads(file.read_text()) == command.ok(*board, "json", cwd=tmp_path).board
        assert file.with_suffix(".md").read_text() == command.ok(*board, "md", cwd=tmp_path).out
