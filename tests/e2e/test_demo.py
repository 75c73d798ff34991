"""The demo: a board from nothing, and the planted order in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from scipy.stats import kendalltau

from independence.testing.sim.panel import PANEL
from tests.e2e import command, suites
from tests.e2e.command import Ended
from tests.stores import Stores

# `folds-on-preferences` has two yields, so it has no one place in the order.
PLANTED = {name: subject.yield_probability for name, subject in PANEL.items() if subject.identity_yield is None}


def demo(cwd: Path, *more: str | Path) -> Ended:
    """`demo` with JSON on stdout and nothing else said."""
    return command.run("demo", "--format", "json", "--quiet", *more, cwd=cwd)


def assert_planted_order(ended: Ended) -> None:
    """Complete, simulated, and in exactly the order that was planted."""
    assert (ended.code, ended.err) == (0, "")
    rows = {row["label"].removeprefix("sim/").split("@")[0]: row for row in ended.board["rows"]}
    assert rows.keys() == PANEL.keys()
    assert all(row["simulated"] and row["coverage"] == 1 and row["index"] is not None for row in rows.values())
    tau = kendalltau(list(PLANTED.values()), [rows[name]["index"] for name in PLANTED])
    assert tau.statistic == pytest.approx(-1)  # yielding most is standing least


def test_the_demo_finds_what_was_planted(stores: Stores):
    assert_planted_order(command.run("leaderboard", "--format", "json", "--db", stores("demo")))


@pytest.mark.deep
@pytest.mark.parametrize("suite", ["v2", "harbour"])
def test_the_demo_finds_what_was_planted_under_other_seeds(tmp_path: Path, suite: str):
    suites.write(tmp_path / "harbour", suites.harbour())
    for seed in ("1", "2"):
        assert_planted_order(demo(tmp_path, "--seed", seed, "--suite", suite))


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """A folder with a finished demo of the harbour suite, and what it said."""
    folder = tmp_path_factory.mktemp("demo")
    suites.write(folder / "harbour", suites.harbour())
    return folder, demo(folder, "--suite", "harbour", "--seed", "7")


def test_a_suite_of_ones_own_finds_what_was_planted_and_says_that_it_is_simulated(shown: tuple[Path, Ended]):
    folder, ended = shown
    assert_planted_order(ended)
    board = ended.board
    assert (board["suite"], board["judge"], board["condition"]) == ("harbour", "cues", "plain/user_role")
    ranks = [row["rank"] for row in board["rows"]]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) >= len(PANEL) - 1  # nothing is left of two of them
    assert all(row["config"] == row["label"].replace("/", "--") for row in board["rows"])
    assert all(set(row["dimensions"]) == {"course_held"} for row in board["rows"])
    table = command.run("leaderboard", "--db", "independence-demo.db", cwd=folder).out
    assert table.count("sim/") == len(PANEL) + 1
    assert "simulated" in table
    markdown = command.run("leaderboard", "--db", "independence-demo.db", "--format", "md", cwd=folder).out
    assert markdown.count("(simulated)") == len(PANEL)


def test_the_same_command_asks_nothing_again_and_says_what_to_do_next(shown: tuple[Path, Ended]):
    folder, first = shown
    answers = "SELECT trial, turn, version, answered_at, text FROM calls ORDER BY trial, turn, version"
    before = command.ask(folder / "independence-demo.db", answers)
    again = command.run("demo", "--format", "json", "--suite", "harbour", "--seed", "7", cwd=folder)
    assert (again.code, again.board) == (0, first.board)
    assert command.ask(folder / "independence-demo.db", answers) == before
    assert "plan: 0 calls and 0 verdicts to go" in again.err
    assert "independence leaderboard --detailed --db independence-demo.db" in again.err
    assert "OPENROUTER_API_KEY" in again.err


def test_the_same_seed_in_a_new_store_gives_the_same_board(shown: tuple[Path, Ended]):
    folder, first = shown
    again = demo(folder, "--suite", "harbour", "--seed", "7", "--db", "new.db")
    assert again.board | {"dates": None} == first.board | {"dates": None}
    other = demo(folder, "--suite", "harbour", "--seed", "8", "--db", "new.db")
    assert other.scores != first.scores


def test_commands_that_read_find_the_store_of_the_demo_where_it_is_the_only_one(
    shown: tuple[Path, Ended], tmp_path: Path
):
    source, store = shown[0] / "independence-demo.db", tmp_path / "independence-demo.db"
    shutil.copyfile(source, store)
    said = "reading independence-demo.db, the store of the demo\n"
    board = ("leaderboard", "--format", "json")
    read = command.ok(*board, cwd=tmp_path)
    assert (read.out, read.err) == (command.ok(*board, "--db", store, cwd=tmp_path).out, said)
    for line in ("show sim/half", "compare sim/half sim/never", "export out", "label-sample a.csv", "generate-report"):
        assert said in command.ok(*line.split(), cwd=tmp_path).err, line
    for line in ("rerun", "judge -j cues", "extract-names", "clear-cache --missing", "import out"):
        ended = command.run(*line.split(), cwd=tmp_path)
        assert said not in ended.err, line
    named = command.run("leaderboard", cwd=tmp_path, env={"INDEPENDENCE_DB": "other.db"})
    assert (named.code, said in named.err) == (2, False)
    shutil.copyfile(source, tmp_path / "independence.db")
    assert said not in command.ok("leaderboard", cwd=tmp_path).err
