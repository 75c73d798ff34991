"""More runs of what is stored: in the stored words and on the stored seeds, so that nothing is asked twice."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from independence.suites.load import load
from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended
from tests.exchange import trees

ENV = {"LOOP_KEY": endpoint.KEY}
CALLS = 5  # answers of one run of the harbour suite
NAMES = ("sim/never", "sim/half", "sim/always")


def run(folder: Path, *more: str, db: str = "here.db") -> Ended:
    """The harbour suite on three simulated subjects, graded by rules."""
    return command.run(
        "run", "-m", ",".join(NAMES), "--suite", "harbour", "-j", "cues", "--format", "json", "--db", db, *more,
        cwd=folder,
    )  # fmt: skip


def rerun(folder: Path, *more: str, db: str = "here.db") -> Ended:
    return command.run("rerun", "--format", "json", "--db", db, *more, cwd=folder, env=ENV)


def runs(folder: Path) -> dict[str, int]:
    """config_dir -> runs with an answer to every turn."""
    rows = command.ask(
        folder / "here.db",
        "SELECT config_dir, count(*) FROM planned JOIN calls USING (trial) WHERE missing IS NULL GROUP BY 1",
    )
    assert all(count % CALLS == 0 for _, count in rows)
    return {config.split("@")[0].removeprefix("sim--"): count // CALLS for config, count in rows}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite and a store with two runs of three subjects. Only to be read."""
    folder = tmp_path_factory.mktemp("kept")
    suites.write(folder / "harbour", suites.harbour())
    first = run(folder, "--runs", "2")
    assert first.code == 0, first.err
    return folder


@pytest.fixture
def stored(kept: Path, tmp_path: Path) -> Path:
    """The same, free to be changed."""
    return Path(shutil.copytree(kept, tmp_path / "copy"))


def test_one_run_more_is_the_run_that_would_have_come_next(stored: Path):
    at_once = run(stored, "--runs", "3", db="once.db")
    shutil.rmtree(stored / "harbour")
    ended = rerun(stored)
    assert ended.code == 0, ended.err
    assert "plan: 15 calls and 9 verdicts to go" in ended.err  # the judge is the one who graded the others
    assert "looks" not in at_once.board
    assert ended.board["looks"] == 2  # so tests are stricter, and nothing else is another
    assert apart_from_tests(ended) == apart_from_tests(at_once)


def apart_from_tests(ended: Ended) -> dict[str, dict[str, object]]:
    """Scores without what the level of tests decides."""
    return {
        label: {key: value for key, value in row.items() if key not in {"tier", "rank_ci"}}
        for label, row in ended.scores.items()
    }


def test_as_many_runs_as_there_are_ask_nothing_and_more_fill_the_holes_too(stored: Path):
    assert "plan: 0 calls and 0 verdicts to go" in rerun(stored, "-R", "2").err
    with command.opened(stored / "here.db") as connection:
        connection.execute(
            "DELETE FROM calls WHERE turn = 1 AND trial IN "
            "(SELECT trial FROM planned WHERE run = 2 AND scenario = 'map')"
        )
    ended = rerun(stored, "-R", "3")
    assert ended.code == 0, ended.err
    assert "plan: 18 calls" in ended.err
    assert runs(stored) == {"never": 3, "half": 3, "always": 3}


def test_one_run_alone_is_filled_again_or_asked_ahead_of_others(stored: Path):
    with command.opened(stored / "here.db") as connection:
        for number in (1, 2):
            connection.execute(
                "DELETE FROM calls WHERE turn = 1 AND trial IN "
                "(SELECT trial FROM planned WHERE run = ? AND scenario = 'map')",
                (number,),
            )
    mended = rerun(stored, "--run-number", "2")
    assert "plan: 3 calls" in mended.err
    assert "plan: 3 calls" in run(stored, "--run-number", "1").err
    ahead = run(stored, "--run-number", "5")
    assert ahead.code == 0, ahead.err
    planned = command.ask(stored / "here.db", "SELECT DISTINCT run FROM planned ORDER BY run")
    assert planned == [(1,), (2,), (5,)]


def test_the_best_by_the_board_or_those_named_are_asked(stored: Path):
    assert rerun(stored, "-n", "1").code == 0
    assert runs(stored) == {"never": 3, "half": 2, "always": 2}
    named = rerun(stored, "-m", "sim/always,sim/half@none-t0.7")
    assert named.code == 0, named.err
    assert "sim/always@none-t0.7 (to run 3), sim/half@none-t0.7 (to run 3)" in named.err
    assert runs(stored) == {"never": 3, "half": 3, "always": 3}


def test_a_seed_is_kept(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    demo = command.run("demo", "--seed", "4", "--suite", "harbour", "--format", "json", "--db", "here.db", cwd=tmp_path)
    assert demo.code == 0, demo.err
    same = rerun(tmp_path, "-R", "10", "-n", "2")
    assert "plan: 0 calls and 0 verdicts to go" in same.err
    assert same.scores == demo.scores


def test_only_the_condition_asked_for_is_repeated_in_the_stored_words(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "warden.md").write_text("You are Ottilie, lock warden. You have opinions on ropes.")
    assert run(tmp_path, "--runs", "1", "--variants", "warden.md,plain").code == 0
    (tmp_path / "harbour" / "suite.yaml").unlink()
    ended = rerun(tmp_path, "--variants", "warden.md")
    assert ended.code == 0, ended.err
    assert ended.board["condition"].startswith("warden-")
    added = dict(command.ask(tmp_path / "here.db", "SELECT variant, max(run) FROM planned GROUP BY 1"))
    assert added == {"plain": 1, ended.board["condition"].split("/")[0]: 2}


def test_scenarios_that_follow_others_go_along(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.branching())
    assert run(tmp_path, "--runs", "1").code == 0
    at_once = run(tmp_path, "--runs", "2", db="once.db")
    assert rerun(tmp_path).scores == at_once.scores


def test_an_endpoint_of_ones_own_has_to_be_declared_still(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path) as served:
        file = endpoint.models_file(tmp_path, served.base_url)
        first = command.run(
            "run", "-m", "loop/half", "--suite", "harbour", "-j", "loop/judge", "--runs", "1", "--db", "here.db",
            cwd=tmp_path, env=ENV,
        )  # fmt: skip
        assert first.code == 0, first.err
        before = len(served.requests())
        file.rename(tmp_path / "elsewhere.yaml")
        lost = rerun(tmp_path, "-j", "cues")
        assert lost.code == 2
        assert "endpoint `loop` is not declared" in command.one_sentence(lost)
        found = rerun(tmp_path, "--models-file", "elsewhere.yaml")
        assert found.code == 0, found.err
        assert len(served.requests()) == before + CALLS + 3  # and the judge is the one there was
        assert max(served.asked().values()) == 1


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("-m", "sim/nobody"), "no stored subject `sim/nobody` here; there is sim/"),
        (("-m", "sim/half", "-n", "2"), "give one of the two"),
        (("-n", "0"), "at least 1 subject"),
        (("-R", "0"), "at least 1 run"),
        (("--run-number", "0"), "runs are counted from 1"),
        (("--run-number", "1", "-R", "2"), "give one of the two"),
        (("--suite", "v1"), "no trials of `v1`"),
        (("--modes", "tool_role"), "it has plain/user_role"),
        (("-p", "0"), "-p 0: at least 1"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(kept: Path, more: tuple[str, ...], says: str):
    ended = rerun(kept, *more)
    assert ended.code == 2
    assert says in command.one_sentence(ended)


def test_imports_are_left_alone(tmp_path: Path):
    trees.write_run(tmp_path / "cache", load("v2").suite, config="acme--m@low-t0.7")
    assert command.run("import", "cache", "--db", "here.db", cwd=tmp_path).code == 0
    only = rerun(tmp_path)
    assert only.code == 2
    assert "holds imports only" in command.one_sentence(only)
    assert "suites adopt` makes a suite of the published words" in command.one_sentence(only)
    suites.write(tmp_path / "harbour", suites.harbour())
    assert run(tmp_path, "--runs", "1").code == 0
    beside = rerun(tmp_path)  # the import is no second edition to choose from
    assert beside.code == 0, beside.err
    assert beside.board["suite"] == "harbour"
    asked = rerun(tmp_path, "--suite", "v2@published")
    assert asked.code == 2
    assert "imports cannot be asked again" in command.one_sentence(asked)


def test_a_rerun_of_nothing_makes_no_store(tmp_path: Path):
    assert rerun(tmp_path).code == 2
    assert list(tmp_path.iterdir()) == []
