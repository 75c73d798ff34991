"""More runs of what is stored: in the stored words and on the stored seeds, so that nothing is asked twice."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from independence.suites.load import load
from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended
from tests.extensions.published import trees

ENV = {"LOOP_KEY": endpoint.KEY}
CALLS = 5  # answers of one run of the harbour suite
NAMES = ("sim/never", "sim/half", "sim/always")
NOTHING = "plan: 0 calls and 0 verdicts to go"


def run(folder: Path, *more: str, db: str = "here.db", judge: str = "cues") -> Ended:
    """The harbour suite on three simulated subjects, graded by rules or by another judge."""
    return command.ok(
        "run", "-m", ",".join(NAMES), "--suite", "harbour", "-j", judge, "--format", "json", "--db", db, *more,
        cwd=folder,
    )  # fmt: skip


def asked(folder: Path, *more: str) -> Ended:
    return command.run("rerun", "--format", "json", "--db", "here.db", *more, cwd=folder, env=ENV)


def rerun(folder: Path, *more: str) -> Ended:
    ended = asked(folder, *more)
    assert ended.code == 0, ended.err
    return ended


def refused(folder: Path, *more: str) -> str:
    ended = asked(folder, *more)
    assert ended.code == 2, ended.err
    return command.one_sentence(ended)


def runs(folder: Path) -> dict[str, int]:
    """Subject -> runs with an answer to every turn."""
    rows = command.ask(
        folder / "here.db",
        "SELECT config_dir, count(*) FROM planned JOIN calls USING (trial) WHERE missing IS NULL GROUP BY 1",
    )
    assert all(count % CALLS == 0 for _, count in rows)
    return {config.split("@")[0].removeprefix("sim--"): count // CALLS for config, count in rows}


def lose_last_answers(folder: Path, number: int) -> None:
    """Take the last answer of one scenario in one run away from all three subjects."""
    with command.opened(folder / "here.db") as connection:
        trials = "SELECT trial FROM planned WHERE run = ? AND scenario = 'map'"
        connection.execute(f"DELETE FROM calls WHERE turn = 1 AND trial IN ({trials})", (number,))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite and a store with two runs of three subjects. Only to be read."""
    folder = tmp_path_factory.mktemp("kept")
    suites.write(folder / "harbour", suites.harbour())
    run(folder, "--runs", "2")
    return folder


@pytest.fixture
def stored(kept: Path, tmp_path: Path) -> Path:
    """The same, free to be changed."""
    return Path(shutil.copytree(kept, tmp_path / "copy"))


def test_one_run_more_is_the_run_that_would_have_come_next(stored: Path):
    at_once = run(stored, "--runs", "3", db="once.db")
    shutil.rmtree(stored / "harbour")
    ended = rerun(stored)
    assert "plan: 15 calls and 9 verdicts to go" in ended.err  # the judge is the one who graded the others
    assert "looks" not in at_once.board
    assert ended.board["looks"] == 2  # so tests are stricter, and nothing else is another
    apart_from_tests = [
        {label: {key: row[key] for key in row.keys() - {"tier", "rank_ci"}} for label, row in one.scores.items()}
        for one in (ended, at_once)
    ]
    assert apart_from_tests[0] == apart_from_tests[1]


def test_as_many_runs_as_there_are_ask_nothing_and_more_fill_the_holes_too(stored: Path):
    assert NOTHING in rerun(stored, "-R", "2").err
    lose_last_answers(stored, 2)
    assert "plan: 18 calls" in rerun(stored, "-R", "3").err
    assert runs(stored) == {"never": 3, "half": 3, "always": 3}


def test_one_run_alone_is_filled_again_or_asked_ahead_of_others(stored: Path):
    for number in (1, 2):
        lose_last_answers(stored, number)
    assert "plan: 3 calls" in rerun(stored, "--run-number", "2").err
    assert "plan: 3 calls" in run(stored, "--run-number", "1").err
    run(stored, "--run-number", "5")
    planned = command.ask(stored / "here.db", "SELECT DISTINCT run FROM planned ORDER BY run")
    assert planned == [(1,), (2,), (5,)]


def test_the_best_by_the_board_or_those_named_are_asked(stored: Path):
    rerun(stored, "-n", "1")
    assert runs(stored) == {"never": 3, "half": 2, "always": 2}
    named = rerun(stored, "-m", "sim/always,sim/half@none-t0.7")
    assert "sim/always@none-t0.7 (to run 3), sim/half@none-t0.7 (to run 3)" in named.err
    assert runs(stored) == {"never": 3, "half": 3, "always": 3}


def test_with_another_effort_or_temperature_the_same_models_are_subjects_of_their_own(stored: Path):
    first = rerun(stored, "-m", "sim/half,sim/never", "-r", "high", "-t", "0.2", "--dry-run")
    assert "sim/half@high-t0.2 (to run 1), sim/never@high-t0.2 (to run 1)" in first.err
    for last in (1, 2):  # what is there is asked once more, like any other
        assert f": sim/half@high-t0.7 (to run {last})\n" in rerun(stored, "-m", "sim/half@none-t0.7", "-r", "high").err
    rerun(stored, "-m", "sim/always", "-t", "0", "-R", "3")
    several = rerun(stored, "-m", "sim/half", "-r", "high", "-R", "3")  # both of that model are one with that effort
    assert ": sim/half@high-t0.7 (to run 3)\n" in several.err
    found = command.ask(stored / "here.db", "SELECT config_dir, max(run) FROM planned GROUP BY 1 ORDER BY 1")
    assert dict(found) == {
        "sim--always@none-t0.0": 3, "sim--always@none-t0.7": 2, "sim--half@high-t0.7": 3, "sim--half@none-t0.7": 2,
        "sim--never@none-t0.7": 2,
    }  # fmt: skip


def test_a_number_in_the_place_of_an_effort_is_that_of_a_run(stored: Path):
    assert "(to run 5)" in rerun(stored, "-m", "sim/half", "-r", "5", "--dry-run").err
    assert "plan: 5 calls" in rerun(stored, "-m", "sim/half", "-r", "5").err


def test_a_seed_a_persona_and_what_a_scenario_follows_are_kept(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "warden.md").write_text("You are Ottilie, lock warden. You have opinions on ropes.")
    db = tmp_path / "here.db"
    demo = command.run("demo", "--seed", "4", "--suite", "harbour", "--format", "json", "--db", db, cwd=tmp_path)
    same = rerun(tmp_path, "-R", "10", "-n", "2")
    assert (NOTHING in same.err, same.scores) == (True, demo.scores)
    db.unlink()
    run(tmp_path, "--runs", "1", "--variants", "warden.md,plain")
    (tmp_path / "harbour" / "suite.yaml").unlink()
    ended = rerun(tmp_path, "--variants", "warden.md")
    assert ended.board["condition"].startswith("warden-")
    added = dict(command.ask(db, "SELECT variant, max(run) FROM planned GROUP BY 1"))
    assert added == {"plain": 1, ended.board["condition"].split("/")[0]: 2}
    db.unlink()
    suites.write(tmp_path / "harbour", suites.branching())
    run(tmp_path, "--runs", "1", judge="sim/judge")  # nothing presses its stem: rules find nothing held there
    at_once = run(tmp_path, "--runs", "2", db="once.db", judge="sim/judge")
    assert rerun(tmp_path).scores == at_once.scores


def test_an_endpoint_of_ones_own_has_to_be_declared_still(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path) as served:
        file = endpoint.models_file(tmp_path, served.base_url)
        first = ("run", "-m", "loop/half", "--suite", "harbour", "-j", "loop/judge", "--runs", "1", "--db", "here.db")
        command.ok(*first, cwd=tmp_path, env=ENV)
        before = len(served.requests())
        file.rename(tmp_path / "elsewhere.yaml")
        assert "endpoint `loop` is not declared" in refused(tmp_path, "-j", "cues")
        rerun(tmp_path, "--models-file", "elsewhere.yaml")
        assert len(served.requests()) == before + CALLS + 3  # and the judge is the one there was
        assert max(served.asked().values()) == 1


def test_what_cannot_be_is_said_in_one_sentence_and_imports_are_left_alone(kept: Path, tmp_path: Path):
    for line, says in (
        ("-m sim/nobody", "no stored subject `sim/nobody` here; there is sim/"),
        ("-m sim/half -n 2", "give one of the two"),
        ("-n 0", "at least 1 subject"),
        ("-R 0", "at least 1 run"),
        ("--run-number 0", "runs are counted from 1"),
        ("--run-number 1 -R 2", "give one of the two"),
        ("--suite v1", "no trials of `v1`"),
        ("--modes tool_role", "it has plain/user_role"),
        ("-p -1", "-p -1: at least 1"),
        ("-r 2 --run-number 3", "-r 2 is --run-number 2; give one of the two"),
        ("-r loud", "no reasoning effort `loud`"),
        ("-t 3", "temperature 3.0 is outside 0 to 2"),
    ):
        assert says in refused(kept, *line.split())
    refused(tmp_path)
    assert list(tmp_path.iterdir()) == []  # a rerun of nothing makes no store
    trees.write_run(tmp_path / "cache", load("v2").suite, config="acme--m@low-t0.7")
    command.ok("import", "cache", "--db", "here.db", cwd=tmp_path)
    only = refused(tmp_path)
    assert "holds imports only" in only
    assert "suites adopt` makes a suite of the published words" in only
    suites.write(tmp_path / "harbour", suites.harbour())
    run(tmp_path, "--runs", "1")
    assert rerun(tmp_path).board["suite"] == "harbour"  # the import is no second edition to choose from
    assert "imports cannot be asked again" in refused(tmp_path, "--suite", "v2@published")
