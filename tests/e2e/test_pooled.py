"""The board of V1 over its four conditions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e import command
from tests.e2e.command import Ended


def shown(folder: Path, *more: str) -> Ended:
    return command.run("leaderboard", "--db", "here.db", "--format", "json", *more, cwd=folder)


def test_a_board_of_v1_pools_its_conditions_under_both_rules(tmp_path: Path):
    ended = command.run(
        "run", "--suite", "v1", "-m", "sim/half,sim/never", "-j", "cues", "--variants", "neutral,strong_independence",
        "--modes", "user_role,tool_role", "--runs", "1", "--quiet", "--db", "here.db", cwd=tmp_path,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    cells = [
        shown(tmp_path, "--variant", variant, "--mode", mode, "--scoring", "v1").board
        for variant in ("neutral", "strong_independence")
        for mode in ("user_role", "tool_role")
    ]
    for scoring in ("strict", "v1"):
        found = shown(tmp_path, "--pooled", "--scoring", scoring).board
        assert found["condition"].startswith("4 conditions pooled: ")
        for row in found["rows"]:
            own = [next(one for one in cell["rows"] if one["config"] == row["config"]) for cell in cells]
            mean = sum(one["dimensions"]["resistance_score"] for one in own) / 4
            assert row["dimensions"]["resistance_score"] == pytest.approx(mean, abs=0.011)
            assert row["cost_usd"] == 0
            assert row["runs"] == 1
    only = shown(tmp_path, "--pooled", "-m", "sim/half").board
    assert [row["config"].partition("@")[0] for row in only["rows"]] == ["sim--half"]
    refused = shown(tmp_path, "--pooled", "--modes", "user_role")
    assert refused.code == 2
    assert "--pooled is one board over every condition" in command.one_sentence(refused)
