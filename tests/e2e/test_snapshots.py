"""Boards over time: each call leaves one more in the folder and says what moved since the last of the same board."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e import command, suites
from tests.e2e.command import Ended

RUN = ("run", "--suite", "harbour", "-j", "cues", "--quiet", "--db", "here.db")


def snapshot(folder: Path, *more: str) -> list[str]:
    """The lines of a snapshot that say what moved."""
    ended = command.ok("export", "kept", "--snapshot", "--db", "here.db", *more, cwd=folder)
    return [line for line in ended.err.splitlines() if line and not line.startswith("written: ")]


def files(folder: Path) -> list[Path]:
    return sorted((folder / "kept").glob("leaderboard_*.json"))


def board(folder: Path, *more: str) -> Ended:
    return command.ok("leaderboard", "--db", "here.db", *more, cwd=folder)


def test_each_one_is_kept_beside_the_others_and_tells_what_moved(tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    command.ok(*RUN, "-m", "sim/half,sim/never", "--runs", "1", cwd=tmp_path)
    assert snapshot(tmp_path) == ["no earlier snapshot of this board"]
    (first,) = files(tmp_path)
    assert json.loads(first.read_text()) == board(tmp_path, "--format", "json").board
    assert first.with_suffix(".md").read_text() == board(tmp_path, "--format", "md").out
    assert snapshot(tmp_path) == [f"since {first.name}: 0 of 2 indices changed"]
    _, second = files(tmp_path)
    # What others keep there is no snapshot, and one of another judge is of another board.
    (tmp_path / "kept" / "leaderboard_29990101_000000.json").write_text('{"timestamp": "", "models": []}')
    command.ok("judge", "-j", "sim/judge", "--quiet", "--db", "here.db", cwd=tmp_path)
    assert snapshot(tmp_path, "-j", "sim/judge") == ["no earlier snapshot of this board"]
    command.ok(*RUN, "-m", "sim/always", "--runs", "1", cwd=tmp_path)
    command.ok("clear-cache", "-m", "sim/never", "--yes", "--db", "here.db", cwd=tmp_path)
    old = json.loads(second.read_text())
    old["rows"][0]["index"] = old["rows"][1]["index"] = 12.34
    second.write_text(json.dumps(old))
    said = snapshot(tmp_path, "-j", "cues")
    index = next(row["index"] for row in board(tmp_path, "--format", "json", "-j", "cues").board["rows"]
                 if row["label"] == "sim/half@none-t0.7")  # fmt: skip
    assert said == [
        f"since {second.name}: 1 of 1 indices changed", "new: sim/always@none-t0.7", "gone: sim/never@none-t0.7",
        f"sim/half@none-t0.7: 12.3 to {index:.1f}",
    ]  # fmt: skip
    assert len(files(tmp_path)) == 5
