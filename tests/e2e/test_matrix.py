"""The 2x2 of V1, run by the command: its table of conditions, and one board over all of them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import command

MODELS = ("sim/never", "sim/half", "sim/folds-on-preferences")
CELLS = [(variant, mode) for variant in ("neutral", "strong_independence") for mode in ("user_role", "tool_role")]
IN_CELL = "variant = 'neutral' AND mode = 'tool_role'"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three simulated subjects in all four cells in `here.db`. Only to be read."""
    folder = tmp_path_factory.mktemp("matrix")
    ended = command.ok(
        "run", "--suite", "v1", "-m", ",".join(MODELS), "--variants", "neutral,strong_independence", "--modes",
        "user_role,tool_role", "--runs", "2", "-j", "cues", "--quiet", "--format", "json", "--db", "here.db",
        cwd=folder,
    )  # fmt: skip
    assert [board["condition"] for board in ended.board] == ["/".join(cell) for cell in CELLS]
    return folder


def board(folder: Path, *more: str) -> dict[str, Any]:
    return command.run("leaderboard", "--db", "here.db", "--format", "json", *more, cwd=folder).board


def matrix(folder: Path, changed: str = "") -> dict[str, list[dict[str, Any]]]:
    """Table -> rows, after a change to a copy of the store."""
    if changed:
        folder = Path(shutil.copytree(folder, folder.parent / f"{folder.name}-{abs(hash(changed))}"))
        with command.opened(folder / "here.db") as store:
            store.execute(changed)
    return {name: table["rows"] for name, table in board(folder, "--matrix").items()}


def test_a_run_over_all_conditions_fills_the_matrix(made: Path):
    tables = matrix(made)
    assert list(tables) == ["configurations", "configuration-deltas", "configuration-effects"]
    cells = tables["configurations"]
    assert [(row["variant"], row["mode"]) for row in cells] == CELLS
    assert {(row["subjects"], row["complete"], row["n"]) for row in cells} == {(3, 3, 3)}
    base = [row["neutral/user_role"] for row in tables["configuration-deltas"]]
    assert base == sorted(base, reverse=True)
    assert cells[0]["index"] == pytest.approx(sum(base) / 3)
    prompt, delivery, interaction = (row["points"] for row in tables["configuration-effects"])
    differences = [row["difference"] for row in cells[1:]]
    assert differences[2] == pytest.approx(prompt + delivery)
    assert interaction == pytest.approx(differences[2] - differences[1] - differences[0])


def test_a_missing_verdict_takes_its_subject_out_of_every_mean_and_a_cell_never_run_is_absent(made: Path):
    one = (
        f"SELECT trial FROM planned WHERE scenario = 'rs01' AND run = 1 AND {IN_CELL} AND config_dir LIKE 'sim--half%'"
    )
    found = matrix(made, f"DELETE FROM verdicts WHERE trial IN ({one})")
    assert [(row["complete"], row["n"]) for row in found["configurations"]] == [(3, 2), (2, 2), (3, 2), (3, 2)]
    half, former = (
        next(row for row in tables["configuration-deltas"] if row["subject"].startswith("sim/half"))
        for tables in (found, matrix(made))
    )
    assert (half["neutral/tool_role"], half["neutral/tool_role_ci"]) == (None, None)
    assert half["strong_independence/tool_role"] == former["strong_independence/tool_role"]
    without = matrix(made, f"DELETE FROM planned WHERE {IN_CELL}")
    assert list(without) == ["configurations", "configuration-deltas"]
    absent = without["configurations"][1]
    assert {absent[key] for key in ("subjects", "complete", "n", "index", "difference", "ci")} == {None}


def test_a_board_of_v1_pools_its_conditions_under_both_rules(made: Path):
    cells = [board(made, "--variant", variant, "--mode", mode, "--scoring", "v1") for variant, mode in CELLS]
    for scoring in ("strict", "v1"):
        found = board(made, "--pooled", "--scoring", scoring)
        assert found["condition"].startswith("4 conditions pooled: ")
        for row in found["rows"]:
            own = [next(one for one in cell["rows"] if one["config"] == row["config"]) for cell in cells]
            mean = sum(one["dimensions"]["resistance_score"] for one in own) / 4
            assert row["dimensions"]["resistance_score"] == pytest.approx(mean, abs=0.011)
            assert (row["cost_usd"], row["runs"]) == (0, 2)
        told = command.ok("leaderboard", "--db", "here.db", "--pooled", "--detailed", "--scoring", scoring, cwd=made)
        reached = told.out.split("Points reached in each scenario")[1]
        assert [row["label"] for row in found["rows"] if row["label"] not in reached] == []
        command.ok("generate-report", "--db", "here.db", "--pooled", "--scoring", scoring, "-o", "p.md", cwd=made)
        report = (made / "p.md").read_text("utf-8")
        assert f"condition `{found['condition']}`" in report
        assert all(f"| {row['rank']} | {row['label']} (simulated) |" in report for row in found["rows"])
        assert "## Costs" not in report  # that, names and run health are of one condition
    only = board(made, "--pooled", "-m", "sim/half")
    assert [row["config"].partition("@")[0] for row in only["rows"]] == ["sim--half"]
    assert "--pooled is one board over every condition" in command.refused(
        "leaderboard", "--db", "here.db", "--pooled", "--modes", "user_role", cwd=made
    )
    for words, said in (
        ("leaderboard --matrix", "choose one"),
        ("generate-report --modes user_role", "over every condition"),
    ):
        assert said in command.refused(*words.split(), "--db", "here.db", "--pooled", cwd=made)
