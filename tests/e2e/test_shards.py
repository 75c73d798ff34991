"""`run --shard` and `merge`: what several machines ask apart is, put together, what one would have asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.e2e import command, endpoint, suites

RUN = ("run", "--suite", "harbour", "-m", "sim/half,sim/yield-20", "--runs", "3")
JUDGES = ("-j", "cues", "-j", "sim/judge")


def board(folder: Path, db: str, judge: str = "cues") -> dict[str, Any]:
    """A board without what no two runs have in common: when it was measured."""
    shown = command.ok("leaderboard", "-j", judge, "--format", "json", "--db", db, cwd=folder).board
    return {name: value for name, value in shown.items() if name != "dates"}


def test_shards_of_two_processes_in_two_stores_make_the_board_of_an_unsharded_run(tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    command.ok(*RUN, *JUDGES, "--db", "whole.db", cwd=tmp_path)
    # The second is graded by the one judge later: a shard is the same whoever grades it.
    apart = {1: JUDGES, 2: JUDGES[:2]}
    started = {
        number: command.start(*RUN, *judges, "--shard", f"{number}/2", "--db", f"{number}.db", cwd=tmp_path)
        for number, judges in apart.items()
    }
    for number, process in started.items():
        ended = command.finish(process)
        assert ended.code == 0, ended.err  # all of its shard is there
        assert f"shard {number}/2: " in ended.err
        assert all(row["index"] is None and row["coverage"] < 1 for row in board(tmp_path, f"{number}.db")["rows"])
    command.ok("judge", "-j", "sim/judge", "--db", "2.db", cwd=tmp_path)
    merged = command.ok("merge", "1.db", "2.db", "--db", "both.db", "--format", "csv", cwd=tmp_path)
    parts = [line.split(",") for line in merged.out.splitlines()[1:]]
    assert [sum(int(part[column]) for part in parts) for column in (1, 2, 3)] == [18, 36, 0]
    for judge in JUDGES[1::2]:
        assert board(tmp_path, "both.db", judge) == board(tmp_path, "whole.db", judge)
    assert "0 calls and 0 verdicts to go" in command.ok(*RUN, *JUDGES, "--db", "both.db", cwd=tmp_path).err


def test_stores_that_differ_are_merged_only_where_one_says_so(tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    shown = []
    for seed in ("1", "2"):
        with endpoint.serving(tmp_path, "--seed", seed) as served:
            endpoint.models_file(tmp_path, served.base_url)
            ask = ("run", "--suite", "harbour", "-m", "loop/yield-50", "-j", "cues", "--runs", "2")
            command.ok(*ask, "--db", f"{seed}.db", cwd=tmp_path, env={"LOOP_KEY": endpoint.KEY})
        shown.append(board(tmp_path, f"{seed}.db"))
    told = command.refused("merge", "1.db", "2.db", "--db", "both.db", cwd=tmp_path)
    assert "2.db: differs from what is there before it: loop--yield-50@" in told
    assert "run 1: other replies; " in told
    assert not (tmp_path / "both.db").exists()
    for first, second, kept in (("1", "2", shown[0]), ("2", "1", shown[1])):
        out = f"{first}-first.db"
        merge = ("merge", f"{first}.db", f"{second}.db", "--keep-first", "--db", out)
        assert f"{second}.db: not taken: loop--yield-50@" in command.ok(*merge, cwd=tmp_path).err
        assert board(tmp_path, out) == kept
