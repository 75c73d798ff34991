"""The cost cap holds against the endpoint's own books, however much is in flight and whatever gets lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended
from tests.e2e.endpoint import Served

ENV = {"LOOP_KEY": endpoint.KEY, "BENCH_TIMEOUT_S": "20"}
FOUR = "loop/never,loop/yield-35,loop/half,loop/always"
RUNS = 10
CALLS = 4 * RUNS * (5 + 3)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with endpoint.serving(tmp_path_factory.mktemp("served"), "--bill", "max") as served:
        yield served


@pytest.fixture
def served(running: Served, tmp_path: Path) -> Served:
    """An endpoint that bills the most it may, and a suite in the folder of the test."""
    suites.write(tmp_path / "harbour", suites.harbour())
    return running.from_now()


def run(folder: Path, served: Served, models: str, runs: int, *more: str, at_once: int = 50) -> Ended:
    """Some runs of the harbour suite."""
    endpoint.models_file(folder, served.base_url, concurrency=at_once)
    return command.run(
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", models, "-j", "loop/judge", "--runs",
        str(runs), "-p", "8", "-pt", str(at_once), "--format", "json", "--db", "here.db", *more, cwd=folder, env=ENV,
    )  # fmt: skip


def billed(served: Served) -> float:
    return sum(request.cost_usd for request in served.log.everything())


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param("", id="calm", marks=pytest.mark.deep),
        pytest.param("cut=0.04,reset=0.04,error-in-200=0.04", id="replies lost"),
    ],
)
def test_the_bill_never_exceeds_the_cap_and_the_command_goes_on_with_a_higher_one(tmp_path: Path, faults: str):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--bill", "max", "--latency", "0.6", "--faults", faults) as served:
        stopped = run(tmp_path, served, FOUR, RUNS, "--max-cost", "0.35", at_once=200)
        before = billed(served)
        assert stopped.code == 4, stopped.err
        assert "the cost cap of $0.3500 is reached" in command.one_sentence(stopped)
        assert 0.2 < before <= 0.35
        assert endpoint.most_at_once(served.log) > 10
        assert 0 < command.kept(tmp_path / "here.db") < CALLS

        again = run(tmp_path, served, FOUR, RUNS, "--max-cost", "20", at_once=200)
        asked = served.requests()
    assert again.code == 0, again.err
    assert billed(served) - before <= 20
    assert command.kept(tmp_path / "here.db") == CALLS
    assert all(row["coverage"] == 1 for row in again.board["rows"])
    if not faults:
        assert len(asked) == CALLS  # what the cap refused had not been sent
        stored = sum(row["cost_usd"] for row in again.board["rows"])
        assert stored == pytest.approx(sum(request.cost_usd for request in asked))


def test_a_cap_that_does_not_cover_one_call_stops_before_the_first(served: Served, tmp_path: Path):
    stopped = run(tmp_path, served, "loop/half", 1, "--max-cost", "0.0005")
    assert stopped.code == 4
    assert "the cost cap" in command.one_sentence(stopped)
    assert served.requests() == []
    assert billed(served) <= 0.0005


def test_a_cap_cannot_be_promised_for_a_model_without_a_price(served: Served, tmp_path: Path):
    refused = run(tmp_path, served, "loop/half:unpriced", 1, "--max-cost", "5")
    assert refused.code == 2
    assert "half:unpriced" in command.one_sentence(refused)
    assert "--allow-unpriced" in refused.err
    assert served.requests() == []
    for more in (("--max-cost", "5", "--allow-unpriced"), ()):
        allowed = run(tmp_path, served, "loop/half:unpriced", 1, *more)
        assert allowed.code == 0, allowed.err


@pytest.mark.deep
def test_a_cap_leaves_whole_runs_of_every_subject_and_holds_nothing_back_where_it_is_far(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    two = "loop/never,loop/half"
    with endpoint.serving(tmp_path, "--latency", "0.4") as served:
        full = run(tmp_path, served, two, 5, "--db", "whole.db", "--max-cost", "50")
        assert full.code == 0, full.err
        assert endpoint.most_at_once(served.log) > 2 * 5  # more than one run of both subjects has
        spent = sum(row["cost_usd"] for row in full.board["rows"])
        cap = 0.58 * spent + billed(served) - spent  # with what the delivery probe costs
        stopped = run(tmp_path, served, two, 5, "--max-cost", f"{cap:.6f}")
        assert stopped.code == 4, stopped.err
        assert "the runs before it are whole" in command.one_sentence(stopped)
        rows = stopped.board["rows"]
        assert [(row["runs"], row["complete_runs"]) for row in rows] == [(2, 2), (2, 2)]
        assert all(row["index"] is not None and row["coverage"] == 1 for row in rows)
        resumed = run(tmp_path, served, two, 5)
    assert resumed.code == 0, resumed.err
    assert resumed.scores == full.scores


def test_the_ledger_keeps_what_was_spent_when_everything_is_deleted_and_the_process_was_killed(
    served: Served, tmp_path: Path
):
    first = run(tmp_path, served, "loop/never,loop/half", 1, at_once=4)
    assert first.code == 0, first.err
    db = tmp_path / "here.db"
    killed = command.start(
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/never", "-j", "loop/judge",
        "--runs", "60", "--db", db, cwd=tmp_path, env=ENV,
    )  # fmt: skip
    endpoint.until(lambda: command.kept(db) > 20, "twenty answers are stored")
    killed.kill()
    killed.communicate()
    paid = command.ask(db, "SELECT cost_usd FROM calls UNION ALL SELECT cost_usd FROM verdicts")
    cleared = command.run("clear-cache", "--everything", "--yes", "--db", db, cwd=tmp_path)
    assert cleared.code == 0, cleared.err
    after = run(tmp_path, served, "loop/never", 1, at_once=4)
    again = sum(row["cost_usd"] for row in after.board["rows"])
    ((total, unknown),) = command.ask(db, "SELECT sum(spent_usd), sum(unknown_usd) FROM sessions")
    slack = 1e-9  # costs are added up in another order
    # With all that was reserved at the kill.
    assert sum(usd for (usd,) in paid) + again - slack <= billed(served) <= total + slack
    assert total - unknown <= billed(served)
    assert f"${total:.4f} by all commands in this store so far" in after.err
    report = command.run("generate-report", "--db", db, "-o", "report.md", cwd=tmp_path)
    assert report.code == 0, report.err
    assert f"${total:.4f} in the whole life of this store" in (tmp_path / "report.md").read_text().replace("\\", "")
