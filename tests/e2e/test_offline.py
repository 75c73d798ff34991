"""Judging without a model, and with one that is asked for a part: what boards say, what is bought, what is kept."""

from __future__ import annotations

import csv
import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from independence.suites.load import load, locate
from independence.suites.schema import Suite, Turn
from independence.suites.template import fill
from independence.testing.sim.panel import PANEL
from tests.e2e import command
from tests.e2e.command import Ended
from tests.exchange import trees
from tests.judge.offline import school

SCENARIOS = 15
RUNS = 4
TRIALS = len(PANEL) * RUNS * SCENARIOS
SUBJECTS = ",".join(f"sim/{name}" for name in PANEL)
RUN = ("run", "-m", SUBJECTS, "--runs", str(RUNS), "--format", "json", "--quiet", "--db", "here.db")
JUDGE = ("judge", "--format", "json", "--quiet", "--db", "here.db")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of the panel on v2, in our words, ungraded."""
    path = tmp_path_factory.mktemp("offline")
    ended = command.run(*RUN, "--no-judge", cwd=path)
    assert ended.code == 0, ended.err
    return path


@pytest.fixture
def here(asked: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    (tmp_path / "here.db").write_bytes((asked / "here.db").read_bytes())
    return tmp_path


def verdicts(folder: Path) -> dict[str, int]:
    return dict(command.ask(folder / "here.db", "SELECT judge, count(*) FROM verdicts GROUP BY judge"))


def estimates(ended: Ended) -> dict[str, dict]:
    return {row["config"]: row["estimate"] for row in ended.board["rows"]}


def inside(estimated: dict[str, dict], full: Ended) -> list[bool]:
    truth = {row["config"]: row["index"] for row in full.board["rows"]}
    return [one["ci"][0] <= truth[config] <= one["ci"][1] for config, one in estimated.items()]


def test_new_words_are_flagged_and_not_scored_until_an_audit_corrects_the_judge(here: Path):
    alone = command.run(*JUDGE, "-j", "offline", cwd=here)
    assert alone.code == 3  # planned verdicts are missing
    assert all(row["index"] is None and row["coverage"] == 0 for row in alone.board["rows"])
    assert {one["method"] for one in estimates(alone).values()} == {"uncalibrated"}
    flagged = {config: sum(one["flagged"].values()) for config, one in estimates(alone).items()}
    assert flagged["sim--always@none-t0.7"] > TRIALS / len(PANEL) / 4 > flagged["sim--never@none-t0.7"]
    stored = command.ask(here / "here.db", "SELECT DISTINCT missing, json_extract(prediction, '$.known') FROM verdicts")
    assert stored == [("unsure", 0)]

    audited = command.run(*JUDGE, "-j", "sim/judge", "--audit", "12", cwd=here)
    assert audited.code == 0, audited.err
    assert verdicts(here) == {"offline": TRIALS, "sim/judge": 12 * SCENARIOS}
    assert all(row["index"] is None for row in audited.board["rows"])
    assert {one["method"] for one in estimates(audited).values()} == {"prediction-powered"}
    newcomer = ("run", "-m", "sim/yield-10", "--runs", "1", "--format", "json", "--quiet", "--db", "here.db")
    joined = estimates(command.run(*newcomer, "-j", "offline", cwd=here))
    assert joined.pop("sim--yield-10@none-t0.7")["method"] == "uncalibrated"  # it was no part of the draw
    assert joined == estimates(audited)
    full = command.run(*JUDGE, "-j", "sim/judge", cwd=here)
    assert full.code == 0, full.err
    held = inside(estimates(audited), full)
    assert sum(held) >= len(held) - 1


def scored(folder: Path, judge: str) -> None:
    """Fill in `sample.csv` with what a judge gave."""
    given = command.ask(folder / "here.db", f"SELECT context, fields FROM verdicts WHERE judge = '{judge}'")
    values = {context[:16]: msgspec.json.decode(fields) for context, fields in given}
    with (folder / "sample.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    with (folder / "scored.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "rater": "ann", "value": values[row["item"]][row["field"]]} for row in rows)


@pytest.mark.parametrize("judge", [("-j", "offline", "-j", "human:ann", "--audit", "12"), ("-j", "hybrid:human:ann")])
def test_a_person_scores_the_sample_that_an_audit_draws(here: Path, judge: tuple[str, ...]):
    command.run(*JUDGE, "-j", "sim/judge", cwd=here)
    waits = command.run(*JUDGE, *judge, cwd=here)
    assert waits.code == 3
    draw = ("label-sample", "sample.csv", "--audited-by", "human:ann", "--db", "here.db")
    drawn = command.run(*draw, cwd=here)
    assert drawn.code == 0, drawn.err
    scored(here, "sim/judge")
    imported = command.run("import", "scored.csv", "--db", "here.db", cwd=here)
    assert imported.code == 0, imported.err
    audited = command.run(*JUDGE, *judge, cwd=here)
    assert audited.code == 0, audited.err
    wanted = "SELECT count(DISTINCT verdict) FROM routes WHERE auditor = 'human:ann' AND route <> 'offline'"
    assert command.ask(here / "here.db", wanted) == [(verdicts(here)["human:ann"],)]
    assert {one["method"] for one in estimates(audited).values()} == {"prediction-powered"}
    full = command.run("leaderboard", "-j", "sim/judge", "--format", "json", "--db", "here.db", cwd=here)
    held = inside(estimates(audited), full)
    assert sum(held) >= len(held) - 1
    again = command.run(*draw, "--force", cwd=here)
    assert again.code == 2
    assert "no dialogue waits for scores of `human:ann`" in command.one_sentence(again)


def test_a_larger_audit_buys_only_the_difference_and_the_same_one_nothing(here: Path):
    def audit(count: int) -> tuple[Ended, int]:
        ended = command.run(*JUDGE, "-j", "sim/judge", "--audit", str(count), cwd=here)
        return ended, verdicts(here)["sim/judge"]

    (first, few), (again, same) = audit(6), audit(6)
    plan = command.run("judge", "-j", "sim/judge", "--audit", "10", "--dry-run", "--db", "here.db", cwd=here)
    assert f"{4 * SCENARIOS} verdicts to go" in plan.err
    _, more = audit(10)
    assert (few, same, more) == (6 * SCENARIOS, 6 * SCENARIOS, 10 * SCENARIOS)
    assert first.board == again.board
    bought = command.ask(here / "here.db", "SELECT count(*), min(probability) FROM routes WHERE route = 'audit'")
    assert bought == [(10 * SCENARIOS, 10 / (len(PANEL) * RUNS))]


def test_an_audit_of_some_subjects_is_about_them_alone_and_ends(here: Path):
    some = (*JUDGE, "-j", "sim/judge", "--audit", "5", "-m", "sim/never,sim/half")
    first, again = command.run(*some, cwd=here), command.run(*some, cwd=here)
    assert (first.code, again.code) == (0, 0), first.err
    methods = {config.split("@")[0]: one["method"] for config, one in estimates(again).items()}
    assert {name for name, method in methods.items() if method == "prediction-powered"} == {"sim--never", "sim--half"}


def test_what_was_drawn_and_is_not_bought_yet_leaves_no_estimate(here: Path):
    whole = estimates(command.run(*JUDGE, "-j", "sim/judge", "--audit", "12", cwd=here))
    lost = "SELECT trial FROM planned WHERE config_dir LIKE 'sim--half%'"
    with closing(sqlite3.connect(here / "here.db")) as connection, connection:
        connection.execute(f"DELETE FROM verdicts WHERE judge = 'sim/judge' AND trial IN ({lost})")
    left = estimates(command.run("leaderboard", "-j", "offline", "--format", "json", "--db", "here.db", cwd=here))
    assert {config for config, one in left.items() if one["method"] == "incomplete"} == {"sim--half@none-t0.7"}
    for config, one in left.items():
        if one["index"] is not None:  # the lines are fitted to fewer verdicts
            assert abs(one["index"] - whole[config]["index"]) < 5


def test_a_newcomer_to_a_hybrid_is_bought_as_much_of_as_the_others(here: Path):
    command.run(*JUDGE, "-j", "hybrid:sim/judge", cwd=here)
    newcomer = ("run", "-m", "sim/yield-10", "--runs", "1", "--format", "json", "--quiet", "--db", "here.db")
    ended = command.run(*newcomer, "-j", "hybrid:sim/judge", cwd=here)
    assert ended.code == 0, ended.err
    (row,) = [row for row in ended.board["rows"] if row["config"].startswith("sim--yield-10")]
    assert row["index"] is None
    assert row["estimate"]["method"] == "prediction-powered"
    assert row["estimate"]["bought"] < SCENARIOS


def test_every_condition_has_a_draw_of_its_own_and_company_changes_no_exit_code(tmp_path: Path):
    asked = (
        "-m",
        "sim/never,sim/half",
        "--runs",
        "12",
        "--modes",
        "tool_role,user_role",
        "--format",
        "json",
        "--quiet",
    )
    ended = command.run("run", *asked, "-j", "cues", "-j", "hybrid:sim/judge", "--db", "here.db", cwd=tmp_path)
    assert ended.code == 0, ended.err
    boards = [board for board in ended.board if board["judge"] == "hybrid:sim/judge"]
    assert len(boards) == 2
    for board in boards:
        assert "300 of 360 verdicts" in board["judging"]
        assert {row["estimate"]["method"] for row in board["rows"]} == {"prediction-powered"}


def test_a_hybrid_on_new_words_has_estimates_and_no_index(here: Path):
    hybrid = command.run(*JUDGE, "-j", "hybrid:sim/judge", cwd=here)
    assert hybrid.code == 0, hybrid.err
    assert hybrid.board["judge"] == "hybrid:sim/judge"
    assert "sim/judge: 300 of 480 verdicts" in hybrid.board["judging"]
    assert all(row["index"] is None for row in hybrid.board["rows"])
    assert {one["method"] for one in estimates(hybrid).values()} == {"prediction-powered"}
    assert verdicts(here) == {"hybrid:sim/judge": TRIALS, "sim/judge": 300}
    full = command.run(*JUDGE, "-j", "sim/judge", cwd=here)
    held = inside(estimates(hybrid), full)
    assert sum(held) >= len(held) - 1


def test_an_estimate_counts_evasions_as_the_index_does(tmp_path: Path):
    run = ("run", "-m", "sim/deflector,sim/asymmetric", "--runs", "1", "--format", "json", "--quiet")
    ended = command.run(*run, "-j", "hybrid:sim/judge", "--db", "here.db", cwd=tmp_path)
    assert ended.code == 0, ended.err
    for row in ended.board["rows"]:  # all is bought
        assert row["estimate"]["index"] == pytest.approx(row["index"])


def test_a_killed_hybrid_goes_on_with_the_same_draw(here: Path):
    routes = "SELECT verdict, route, probability FROM routes ORDER BY 1"
    whole = command.run(*JUDGE, "-j", "hybrid:sim/judge", cwd=here)
    drawn = command.ask(here / "here.db", routes)
    with closing(sqlite3.connect(here / "here.db")) as connection, connection:
        connection.execute("DELETE FROM verdicts WHERE judge LIKE 'hybrid:%'")
        connection.execute("DELETE FROM verdicts WHERE key IN (SELECT key FROM verdicts ORDER BY key LIMIT 100)")
    again = command.run(*JUDGE, "-j", "hybrid:sim/judge", cwd=here)
    assert again.board | {"dates": None} == whole.board | {"dates": None}
    assert command.ask(here / "here.db", routes) == drawn
    assert verdicts(here) == {"hybrid:sim/judge": TRIALS, "sim/judge": 300}


def test_what_a_hybrid_will_buy_is_priced_before(tmp_path: Path):
    asked = ("-m", SUBJECTS, "--runs", str(RUNS), "-j", "hybrid:sim/judge", "--format", "json", "--db", "none.db")
    priced = command.run("estimate-cost", *asked, cwd=tmp_path)
    assert priced.code == 0, priced.err
    assert priced.board["estimate"]["rows"][-1]["verdicts"] == 20 * SCENARIOS


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-j", "hybrid:cues"), "judge `cues` is no model"),
        (
            ("-j", "hybrid:sim/judge", "--unsure-share", "0.9", "--audit-share", "0.2"),
            "together they are above 0 and at most 1",
        ),
        (("-j", "hybrid:sim/judge", "--unsure-share", "nan"), "together they are above 0 and at most 1"),
        (("-j", "hybrid:sim/judge", "--unsure-share", "0", "--audit-share", "0"), "together they are above 0"),
        (("-j", "offline", "--weights", "none.npz"), "none.npz: no weights of an offline judge"),
        (("-j", "offline", "-j", "cues", "--audit"), "judge `cues` is no model"),
        (("-j", "sim/judge", "-j", "sim/judge:copying", "--audit"), "name it with one -j"),
    ],
)
def test_what_cannot_be_is_one_clear_sentence(here: Path, arguments: tuple[str, ...], said: str):
    ended = command.run(*JUDGE, *arguments, cwd=here)
    assert ended.code == 2
    assert said in ended.err


def test_a_learned_judge_scores_what_it_was_trained_on_and_a_hybrid_of_it_buys_a_part(tmp_path: Path):
    suite, own = worded(load("v2").suite), random.Random(5)
    for at in range(8):
        for run in (1, 2):
            _write(tmp_path / "cache", suite, f"maker{at}--model@low-t0.7", run, own)
    assert command.run("import", "cache", "--db", "here.db", cwd=tmp_path).code == 0
    trained = command.run("train-judge", "--from", "here.db", "--out", "own", cwd=tmp_path)
    assert trained.code == 0, trained.err
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
    hybrid = command.run(*JUDGE, "-j", "hybrid:sim/judge", *weights, cwd=tmp_path)
    assert hybrid.code == 0, hybrid.err
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
    assert verdicts(tmp_path)["sim/judge"] == 60


@pytest.mark.published
def test_the_shipped_weights_know_every_scenario_of_a_fresh_import(published_store: Path, tmp_path: Path):
    """An import is graded by our rubrics, which ask for more than published verdicts taught."""
    shutil.copy(published_store, tmp_path / "here.db")
    offline = command.run(*JUDGE, "-j", "offline", cwd=tmp_path)
    known = command.ask(
        tmp_path / "here.db",
        "SELECT scenario, min(json_extract(prediction, '$.known')) FROM verdicts JOIN planned USING (trial) "
        "WHERE judge = 'offline' GROUP BY scenario",
    )
    assert [of for _, of in known] == [1] * SCENARIOS
    methods = {one["method"] for one in estimates(offline).values()}
    assert methods == {"offline", "incomplete"}  # some configurations lack whole scenarios
    told = [one["index"] for one in estimates(offline).values()]
    there = [index for index in told if index is not None]
    assert told == [*sorted(there, reverse=True), *[None] * (len(told) - len(there))]
    assert all(0 <= index <= 100 for index in there)
    plan = command.run("judge", "-j", "hybrid:sim/judge", "--dry-run", "--db", "here.db", cwd=tmp_path)
    (verdicts_,) = command.ask(tmp_path / "here.db", "SELECT count(*) FROM verdicts WHERE judge = 'offline'")
    assert f"{round(0.25 * verdicts_[0])} verdicts to go" in plan.err
    (told,) = re.findall(r"will buy .* verdicts \(\d+%\)", plan.err)
    assert f'"{told}"' in (Path(__file__).parents[2] / "README.md").read_text("utf-8")


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
