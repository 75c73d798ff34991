"""What a run would cost: from published means without a store, from the store's own calls with one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import between, command, endpoint, refusals, suites
from tests.e2e.command import Ended
from tests.e2e.endpoint import Served

PROBED = "up to 13 small calls first, which test whether prompts reach the models whole"
DASH = "A dash means that no price is known; these calls are not included in the sums."


def do(folder: Path, name: str, *more: str) -> Ended:
    """A command about the harbour suite."""
    asked = (name, "--suite", "harbour", "--format", "json", "--db", "here.db", *more)
    return command.run(*asked, cwd=folder, env={"LOOP_KEY": endpoint.KEY})


def rows(ended: Ended) -> dict[str, dict[str, Any]]:
    """Subject -> row."""
    assert ended.code == 0, ended.err
    return {row["subject"]: row for row in ended.board["estimate"]["rows"]}


def test_simulated_and_local_models_cost_nothing_and_leave_nothing(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    asked = ("-j", "sim/judge", "-j", "cues", "--runs", "2", "--local-url")
    with between.serving(lambda *_: between.said({"object": "list", "data": [{"id": "own"}]})) as local:
        ended = do(tmp_path, "estimate-cost", "-m", "sim/half,local/own", *asked, local.url)
        planned = do(tmp_path, "run", "-m", "local/own", "--dry-run", *asked, local.url)
        assert [one.asked["max_tokens"] for one in local.exchanges] == [32, 32]  # an answer that would tell the time
    found = rows(ended)
    for name in ("sim/half@none-t0.7", "local/own@low-t0.7"):
        assert (found[name]["total_usd"], found[name]["range_usd"]) == (0, [0, 0])
        assert (found[name]["calls"], found[name]["verdicts"]) == (10, 6)
    assert (found["all 2 subjects"]["calls"], found["all 2 subjects"]["verdicts"]) == (20, 12)
    assert DASH not in ended.board["estimate"]["notes"]
    said, work = planned.err.splitlines()
    assert said == f"plan: 10 calls and 12 verdicts to go, {PROBED}; no cost"
    assert work == "local/own: about 10 calls, 3,400 tokens"
    assert [path.name for path in tmp_path.iterdir()] == ["harbour"]


@pytest.mark.parametrize(
    "line", [("run", "--dry-run"), ("estimate-cost",), ("check", "--dry-run", "--min-index", "50")]
)
def test_plans_for_a_server_of_ones_own_have_a_time_from_one_short_answer(
    line: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "here").mkdir()
    with endpoint.serving(tmp_path, "--price", "0/0") as served:
        asked = ("--suite", "v2", "--delivery", "user_role", "-m", "local/half", "-j", "cues")
        ended = command.run(*line, *asked, "--local-url", served.base_url, cwd=tmp_path / "here")
    assert ended.code == 0, ended.err
    told = " ".join((ended.out + ended.err).replace("\n", " ").split())
    assert re.search(r"local/half: about [\d,]+ calls, [\d,]+ tokens, \d+ (s|min|h) at [\d.,]+ tokens/s", told), told
    assert len(served.log.everything()) == 1
    assert list((tmp_path / "here").iterdir()) == []


def test_the_estimate_learns_from_runs_and_the_bill_proves_it_right(served: Served, tmp_path: Path):
    run = ("run", "-m", "loop/half", "-j", "loop/judge", "--runs")
    asked = ("estimate-cost", "-m", "loop/half,loop/always", "-j", "loop/judge", "--runs", "9")
    before = rows(do(tmp_path, *asked))
    assert {row["source"] for row in before.values()} == {"published means"}
    assert served.requests() == []
    assert do(tmp_path, *run, "3").code == 0
    planned = command.ask(tmp_path / "here.db", "SELECT count(*) FROM planned")
    foretold = rows(do(tmp_path, *asked))
    assert command.ask(tmp_path / "here.db", "SELECT count(*) FROM planned") == planned
    dry = do(tmp_path, *run, "9", "--dry-run")
    whole = do(tmp_path, *run, "9")
    own, other = "loop/half@low-t0.7", "loop/always@low-t0.7"
    (bill,) = [row["cost_usd"] for row in whole.board["rows"]]
    assert [foretold[name]["source"] for name in (own, other)] == ["own runs", "this suite's runs"]
    assert foretold[own]["total_usd"] == pytest.approx(bill, rel=0.1)
    low, high = foretold[own]["range_usd"]
    assert low < foretold[own]["total_usd"] < high
    width = {name: row["range_usd"][1] - row["range_usd"][0] for name, row in foretold.items()}
    assert width[own] * 3 < width[other]
    said = float(dry.err.split("about $")[1].split(",")[0])
    assert said == pytest.approx(foretold[own]["total_usd"] * 2 / 3, abs=1e-4)  # `run` prices what is left, as well


def test_a_model_without_a_price_is_a_dash(served: Served, tmp_path: Path):
    ended = do(tmp_path, "estimate-cost", "-m", "loop/half,loop/half:unpriced", "-j", "loop/judge")
    planned = do(tmp_path, "run", "-m", "loop/half:unpriced", "-j", "cues", "--dry-run")
    found = rows(ended)
    unpriced = found["loop/half:unpriced@low-t0.7"]
    assert (unpriced["answers_usd"], unpriced["total_usd"], unpriced["range_usd"]) == (None, None, None)
    assert unpriced["judge_usd"] > 0
    assert found["all 2 subjects"]["total_usd"] is None
    assert DASH in ended.board["estimate"]["notes"]
    told = "no price known for loop/half:unpriced"
    assert planned.err.strip() == f"plan: 15 calls and 9 verdicts to go, {PROBED}; {told}"


def test_what_cannot_be_is_said_in_one_sentence(served: Served, tmp_path: Path):
    cases = {
        "LOOP_KEY=x -m loop/hlaf --no-judge": "did you mean `loop/half`",
        "-m loop/half --no-judge --models-file absent.yaml": "absent.yaml",
        "-j cues": "no models",
        "-m sim/half --runs 0": "at least 1 run",
    }
    assert refusals.wrong(tmp_path, cases, "estimate-cost --suite harbour --db here.db") == {}
