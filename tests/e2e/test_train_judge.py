"""Learning a judge from the command line, and using what was learned."""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from independence.suites.load import load, locate
from independence.suites.schema import Suite, Turn
from independence.suites.template import fill
from tests.e2e import command
from tests.e2e.command import Ended
from tests.extensions.published import trees
from tests.extensions.trained import school


def train(folder: Path, source: str | Path, code: int) -> Ended:
    ended = command.run("train-judge", "--from", source, "--out", "out", "--format", "json", cwd=folder)
    assert ended.code == code, ended.err
    assert not (folder / "out").exists()
    return ended


def test_what_cannot_be_learned_from_writes_nothing_and_is_one_clear_sentence(
    tmp_path: Path, toy_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    run = ("run", "--suite", toy_folder, "-m", "sim/never", "--runs", "2", "-j", "cues", "--quiet")
    command.ok(*run, cwd=tmp_path)
    assert "cannot train a judge" in train(tmp_path, "independence.db", 1).err
    (tmp_path / "odd.txt").write_text("nothing")
    assert "odd.txt" in command.one_sentence(train(tmp_path, "odd.txt", 2))
    monkeypatch.setitem(sys.modules, "sklearn", None)  # as if it were not installed
    sentence = command.one_sentence(train(tmp_path, "independence.db", 2))
    assert "train-judge needs scikit-learn; run pip install '.[train]' in the folder" in sentence


@pytest.mark.deep
@pytest.mark.published
def test_the_published_stances_cannot_train_a_judge(published_data: Path, tmp_path: Path):
    ended = train(tmp_path, next(published_data.glob("rent-*")), 1)
    assert "no field is predicted better than by its mean" in ended.err
    (row,) = json.loads(ended.out)["by-family"]["rows"]
    assert row["mae"] > row["constant"]


@pytest.mark.deep
@pytest.mark.published
def test_training_that_takes_long_says_how_far_it_is(published_data: Path, tmp_path: Path):
    source = published_data / "published-v2-part.tar.xz"
    started = command.start("train-judge", "--from", source, "--out", tmp_path / "out", cwd=tmp_path)
    assert started.stderr is not None
    told = re.compile(r"measuring on unseen model families: \d+ of at most \d+ parts \(\d+:\d\d\)")
    try:
        assert any(told.search(line) for line in started.stderr)
    finally:
        started.kill()
        started.communicate()


JUDGE = ("judge", "--format", "json", "--quiet", "--db", "here.db")


def estimates(ended: Ended) -> dict[str, dict]:
    return {row["config"]: row["estimate"] for row in ended.board["rows"]}


@pytest.mark.deep
def test_a_learned_judge_scores_what_it_was_trained_on_and_a_hybrid_of_it_buys_a_part(tmp_path: Path):
    suite, own = worded(load("v2").suite), random.Random(5)
    for at in range(8):
        for run in (1, 2):
            _write(tmp_path / "cache", suite, f"maker{at}--model@low-t0.7", run, own)
    command.ok("import", "cache", "--db", "here.db", cwd=tmp_path)
    command.ok("train-judge", "--from", "here.db", "--out", "own", cwd=tmp_path)
    weights = ("--weights", "own/offline.npz")
    offline = command.run(*JUDGE, "-j", "offline", *weights, cwd=tmp_path)
    assert offline.code in (0, 3), offline.err
    assert offline.board["judge"].startswith("offline@")
    stranger = command.run(*JUDGE, "-j", offline.board["judge"], cwd=tmp_path)
    assert (stranger.code, "name their file with --weights" in stranger.err) == (2, True)
    named = command.run(*JUDGE, "-j", offline.board["judge"], *weights, cwd=tmp_path)
    assert named.board == offline.board
    published = command.run("leaderboard", "--format", "json", "--db", "here.db", cwd=tmp_path)
    assert published.board["judge"] == "acme/judge"  # a judge that rests on predictions replaces none
    truth = {row["config"]: row["index"] for row in published.board["rows"]}
    for config, one in estimates(offline).items():
        assert one["method"] == "offline"
        assert abs(one["index"] - truth[config]) < 15

    plan = command.run("judge", "-j", "hybrid:sim/judge", *weights, "--dry-run", "--db", "here.db", cwd=tmp_path)
    assert "60 verdicts to go" in plan.err
    hybrid = command.ok(*JUDGE, "-j", "hybrid:sim/judge", *weights, cwd=tmp_path)
    assert all(row["index"] is not None for row in hybrid.board["rows"])
    assert {one["method"] for one in estimates(hybrid).values()} == {"prediction-powered"}
    assert all(one["bought"] < one["verdicts"] for one in estimates(hybrid).values())
    folder = tmp_path / "mine"
    shutil.copytree(locate("v2"), folder)
    shutil.copy(tmp_path / "own" / "offline.npz", folder)
    run = ("run", "--suite", "mine", "-m", "sim/never,sim/always", "--runs", "1", "--format", "json", "--db", "new.db")
    mine = command.run(*run, "-j", "offline", cwd=tmp_path)
    assert "`v2` is also a built-in suite" in mine.err
    assert mine.board["judge"] == offline.board["judge"]
    assert {one["method"] for one in estimates(mine).values()} == {"offline"}
    ways = dict(command.ask(tmp_path / "here.db", "SELECT route, count(*) FROM routes GROUP BY route"))
    assert (ways["unsure"], ways["audit"]) == (48, 12)
    assert command.ask(tmp_path / "here.db", "SELECT count(*) FROM verdicts WHERE judge = 'sim/judge'") == [(60,)]


def worded(suite: Suite) -> Suite:
    """The suite as its subjects hear it."""

    def turn(one: Turn) -> Turn:
        return msgspec.structs.replace(one, human=fill(one.human, suite.vars))

    scenarios = [msgspec.structs.replace(one, turns=tuple(map(turn, one.turns))) for one in suite.scenarios]
    return msgspec.structs.replace(suite, scenarios=tuple(scenarios))


def _write(cache: Path, suite: Suite, config: str, run: int, own: random.Random) -> None:
    """A run whose answers stand or give way, and the verdicts that say so."""
    answers, changes = {}, {}
    for scenario in suite.scenarios:
        stands = own.random() < 0.6
        said = own.sample(school.STAND if stands else school.YIELD, 3) + own.sample(school.FILL, 3)
        own.shuffle(said)
        turn = scenario.turns[-1].id
        answers[turn] = " ".join(said)
        scores = trees.full_marks(suite.rubrics[scenario.rubric])
        if not stands:
            opposite = {"drift_from_initial": 10, "name_changed": True, "gender_changed": True}
            rest = {"identity_maintained": False}
            scores |= {name: (opposite | rest).get(name, 1) for name in scores if name != "reasoning"}
        changes[scenario.verdict_id or turn] = {"judge_scores": scores}
    trees.write_run(cache, suite, config=config, run=run, answers=answers, changes=changes)
