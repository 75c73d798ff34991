"""Judging without a model, and with one that is asked for a part: what boards say, what is bought, what is kept."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path

import msgspec
import pytest

from independence.extensions.published import scoring_rules
from independence.testing.sim.panel import PANEL
from tests.e2e import command
from tests.e2e.command import Ended

SCENARIOS = 15
RUNS = 4
TRIALS = len(PANEL) * RUNS * SCENARIOS
SUBJECTS = ",".join(f"sim/{name}" for name in PANEL)
RUN = ("run", "-m", SUBJECTS, "--runs", str(RUNS), "--format", "json", "--quiet", "--db", "here.db")
JUDGE = ("judge", "--format", "json", "--quiet", "--db", "here.db")
NEWCOMER = ("run", "-m", "sim/yield-10", "--runs", "1", "--format", "json", "--quiet", "--db", "here.db")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of the panel on v2, in our words, ungraded."""
    path = tmp_path_factory.mktemp("offline")
    command.ok(*RUN, "--no-judge", cwd=path)
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


def mostly(estimated: Ended, folder: Path, judge: str = "sim/judge") -> bool:
    """Whether the intervals hold the indices of a judge who graded everything, but for one at most."""
    full = command.run("leaderboard", "-j", judge, "--format", "json", "--db", "here.db", cwd=folder)
    truth = {row["config"]: row["index"] for row in full.board["rows"]}
    held = [one["ci"][0] <= truth[config] <= one["ci"][1] for config, one in estimates(estimated).items()]
    return sum(held) >= len(held) - 1


def methods(ended: Ended) -> set[str]:
    return {one["method"] for one in estimates(ended).values()}


def judged(folder: Path, *arguments: str, code: int = 0) -> Ended:
    ended = command.run(*JUDGE, *arguments, cwd=folder)
    assert ended.code == code, ended.err
    return ended


def test_new_words_are_flagged_and_not_scored_until_an_audit_corrects_the_judge(here: Path):
    alone = judged(here, "-j", "offline", code=3)  # planned verdicts are missing
    assert all(row["index"] is None and row["coverage"] == 0 for row in alone.board["rows"])
    assert methods(alone) == {"uncalibrated"}
    flagged = {config: sum(one["flagged"].values()) for config, one in estimates(alone).items()}
    assert flagged["sim--always@none-t0.7"] > TRIALS / len(PANEL) / 4 > flagged["sim--never@none-t0.7"]
    stored = command.ask(here / "here.db", "SELECT DISTINCT missing, json_extract(prediction, '$.known') FROM verdicts")
    assert stored == [("unsure", 0)]

    audited = judged(here, "-j", "sim/judge", "--audit", "12")
    assert verdicts(here) == {"offline": TRIALS, "sim/judge": 12 * SCENARIOS}
    assert all(row["index"] is None for row in audited.board["rows"])
    assert methods(audited) == {"prediction-powered"}
    joined = estimates(command.run(*NEWCOMER, "-j", "offline", cwd=here))
    assert joined.pop("sim--yield-10@none-t0.7")["method"] == "uncalibrated"  # it was no part of the draw
    assert joined == estimates(audited)

    (here / "kept.db").write_bytes((here / "here.db").read_bytes())
    with command.opened(here / "kept.db") as connection:  # what was drawn and is not bought leaves no estimate
        lost = "SELECT trial FROM planned WHERE config_dir LIKE 'sim--half%'"
        connection.execute(f"DELETE FROM verdicts WHERE judge = 'sim/judge' AND trial IN ({lost})")
    left = estimates(command.run("leaderboard", "-j", "offline", "--format", "json", "--db", "kept.db", cwd=here))
    del left["sim--yield-10@none-t0.7"]
    assert {config for config, one in left.items() if one["method"] == "incomplete"} == {"sim--half@none-t0.7"}
    for config, one in left.items():
        if one["index"] is not None:  # the lines are fitted to fewer verdicts
            assert abs(one["index"] - joined[config]["index"]) < 5

    judged(here, "-j", "sim/judge", "-m", SUBJECTS)
    assert mostly(audited, here)


@pytest.mark.parametrize("judge", [("-j", "offline", "-j", "human:ann", "--audit", "12"), ("-j", "hybrid:human:ann")])
def test_a_person_scores_the_sample_that_an_audit_draws(here: Path, judge: tuple[str, ...]):
    judged(here, "-j", "sim/judge")
    judged(here, *judge, code=3)
    draw = ("label-sample", "sample.csv", "--audited-by", "human:ann", "--db", "here.db")
    command.ok(*draw, cwd=here)
    given = command.ask(here / "here.db", "SELECT context, fields FROM verdicts WHERE judge = 'sim/judge'")
    values = {context[:16]: msgspec.json.decode(fields) for context, fields in given}
    with (here / "sample.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    with (here / "scored.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "rater": "ann", "value": values[row["item"]][row["field"]]} for row in rows)
    command.ok("import", "scored.csv", "--db", "here.db", cwd=here)
    audited = judged(here, *judge)
    wanted = "SELECT count(DISTINCT verdict) FROM routes WHERE auditor = 'human:ann' AND route <> 'offline'"
    assert command.ask(here / "here.db", wanted) == [(verdicts(here)["human:ann"],)]
    assert methods(audited) == {"prediction-powered"}
    assert mostly(audited, here)
    assert "no dialogue waits for scores of `human:ann`" in command.refused(*draw, "--force", cwd=here)


def test_a_larger_audit_buys_only_the_difference_and_one_of_some_subjects_is_about_them_alone(here: Path):
    few = ("-j", "sim/judge", "--audit", "5", "-m", "sim/never,sim/half")
    judged(here, *few)
    again = {config.split("@")[0]: one["method"] for config, one in estimates(judged(here, *few)).items()}
    assert [name for name, how in again.items() if how == "prediction-powered"] == ["sim--never", "sim--half"]
    with command.opened(here / "here.db") as connection:
        for table in ("routes", "verdicts"):
            connection.execute(f"DELETE FROM {table}")
    first, same = (judged(here, "-j", "sim/judge", "--audit", "6") for _ in range(2))
    assert first.board == same.board
    assert verdicts(here)["sim/judge"] == 6 * SCENARIOS
    plan = command.run("judge", "-j", "sim/judge", "--audit", "10", "--dry-run", "--db", "here.db", cwd=here)
    assert f"{4 * SCENARIOS} verdicts to go" in plan.err
    judged(here, "-j", "sim/judge", "--audit", "10")
    assert verdicts(here)["sim/judge"] == 10 * SCENARIOS
    bought = command.ask(here / "here.db", "SELECT count(*), min(probability) FROM routes WHERE route = 'audit'")
    assert bought == [(10 * SCENARIOS, 10 / (len(PANEL) * RUNS))]


def test_a_hybrid_on_new_words_has_estimates_and_no_index_and_goes_on_with_the_same_draw(here: Path):
    hybrid = judged(here, "-j", "hybrid:sim/judge")
    assert hybrid.board["judge"] == "hybrid:sim/judge"
    assert "sim/judge: 300 of 480 verdicts" in hybrid.board["judging"]
    assert all(row["index"] is None for row in hybrid.board["rows"])
    assert methods(hybrid) == {"prediction-powered"}
    assert verdicts(here) == {"hybrid:sim/judge": TRIALS, "sim/judge": 300}

    routes = "SELECT verdict, route, probability FROM routes ORDER BY 1"
    drawn = command.ask(here / "here.db", routes)
    with command.opened(here / "here.db") as connection:  # as if it had been killed
        connection.execute("DELETE FROM verdicts WHERE judge LIKE 'hybrid:%'")
        connection.execute("DELETE FROM verdicts WHERE key IN (SELECT key FROM verdicts ORDER BY key LIMIT 100)")
    again = judged(here, "-j", "hybrid:sim/judge")
    assert again.board | {"dates": None} == hybrid.board | {"dates": None}
    assert command.ask(here / "here.db", routes) == drawn
    assert verdicts(here) == {"hybrid:sim/judge": TRIALS, "sim/judge": 300}

    ended = command.run(*NEWCOMER, "-j", "hybrid:sim/judge", cwd=here)  # as much of it is bought as of the others
    assert ended.code == 0, ended.err
    (row,) = [row for row in ended.board["rows"] if row["config"].startswith("sim--yield-10")]
    assert (row["index"], row["estimate"]["method"]) == (None, "prediction-powered")
    assert row["estimate"]["bought"] < SCENARIOS
    judged(here, "-j", "sim/judge")
    assert mostly(hybrid, here)


@pytest.mark.deep
def test_every_condition_has_a_draw_of_its_own_and_company_changes_no_exit_code(tmp_path: Path):
    ended = command.ok(
        "run", "-m", "sim/never,sim/half", "--runs", "12", "--modes", "tool_role,user_role", "--format", "json",
        "--quiet", "-j", "cues", "-j", "hybrid:sim/judge", "--db", "here.db", cwd=tmp_path,
    )  # fmt: skip
    boards = [board for board in ended.board if board["judge"] == "hybrid:sim/judge"]
    assert len(boards) == 2
    for board in boards:
        assert "300 of 360 verdicts" in board["judging"]
        assert {row["estimate"]["method"] for row in board["rows"]} == {"prediction-powered"}


def test_an_estimate_counts_evasions_as_the_index_does(tmp_path: Path):
    run = ("run", "-m", "sim/deflector,sim/asymmetric", "--runs", "1", "--format", "json", "--quiet")
    ended = command.ok(*run, "-j", "hybrid:sim/judge", "--db", "here.db", cwd=tmp_path)
    for row in ended.board["rows"]:  # all is bought
        assert row["estimate"]["index"] == pytest.approx(row["index"])


def test_what_a_hybrid_will_buy_is_priced_before_and_what_cannot_be_is_one_sentence(here: Path):
    asked = ("-m", SUBJECTS, "--runs", str(RUNS), "-j", "hybrid:sim/judge", "--format", "json", "--db", "none.db")
    priced = command.ok("estimate-cost", *asked, cwd=here)
    assert priced.board["estimate"]["rows"][-1]["verdicts"] == 20 * SCENARIOS
    for line, says in (
        ("-j hybrid:cues", "judge `cues` is no model"),
        ("-j hybrid:sim/judge --unsure-share 0.9 --audit-share 0.2", "together they are above 0 and at most 1"),
        ("-j hybrid:sim/judge --unsure-share nan", "together they are above 0 and at most 1"),
        ("-j hybrid:sim/judge --unsure-share 0 --audit-share 0", "together they are above 0"),
        ("-j offline --weights none.npz", "none.npz: cannot be read (No such file or directory)"),
        ("-j offline -j cues --audit", "judge `cues` is no model"),
        ("-j sim/judge -j sim/judge:copying --audit", "name it with one -j"),
    ):
        assert says in judged(here, *line.split(), code=2).err


def published_order(folder: Path) -> list[tuple[str, float]]:
    """Configurations and indices as the board has them under the published rule."""
    line = ("leaderboard", "-j", "offline", "--scoring", "published", "--format", "json", "--db", "here.db")
    return [(row["config"], row["index"]) for row in command.run(*line, cwd=folder).board["rows"]]


def by_published_rule(folder: Path) -> list[tuple[str, float]]:
    """The same by the published rule on all that was predicted, in no place rounded, whether a verdict came or not."""
    runs: dict[str, dict[int, list[scoring_rules.ScoredVerdict]]] = {}
    for config, run, scenario, experiment, told in command.ask(
        folder / "here.db",
        "SELECT config_dir, run, scenario, experiment, prediction FROM verdicts JOIN planned USING (trial) "
        "WHERE judge = 'offline' ORDER BY config_dir, run, scenario",
    ):
        values = msgspec.json.decode(told)["values"]
        runs.setdefault(config, {}).setdefault(run, []).append(
            scoring_rules.ScoredVerdict(scenario, experiment, values)
        )
    subjects = [scoring_rules.SubjectRuns(config, tuple(own.values())) for config, own in runs.items()]
    return [(row.config_dir, row.index) for row in scoring_rules.published_board(subjects, scoring_rules.rules()["v2"])]


@pytest.mark.deep
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
    assert methods(offline) == {"offline", "incomplete"}  # some configurations lack whole scenarios
    told = [one["index"] for one in estimates(offline).values()]
    there = [index for index in told if index is not None]
    assert told == [*sorted(there, reverse=True), *[None] * (len(told) - len(there))]
    assert all(0 <= index <= 100 for index in there)
    assert published_order(tmp_path) == by_published_rule(tmp_path)
    plan = command.run("judge", "-j", "hybrid:sim/judge", "--dry-run", "--db", "here.db", cwd=tmp_path)
    (verdicts_,) = command.ask(tmp_path / "here.db", "SELECT count(*) FROM verdicts WHERE judge = 'offline'")
    ((told, bought),) = re.findall(r"(will buy ([\d,]+) of .* verdicts \(\d+%\))", plan.err)
    verdicts_to_go = int(bought.replace(",", ""))
    assert abs(verdicts_to_go - 0.25 * verdicts_[0]) <= 1  # two shares, each of whole verdicts
    assert f"{verdicts_to_go} verdicts to go" in plan.err
    assert f'"{told}"' in (Path(__file__).parents[2] / "docs/judging.md").read_text("utf-8")
