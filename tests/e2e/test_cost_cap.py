"""The cost cap holds against the endpoint's own books, however much is in flight and whatever gets lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended

ENV = {"LOOP_KEY": endpoint.KEY, "BENCH_TIMEOUT_S": "20"}
SUBJECTS = "loop/never,loop/yield-35,loop/half,loop/always"
RUNS = 20
CALLS = 4 * RUNS * (5 + 3)


def capped(folder: Path, *more: str) -> Ended:
    """The harbour suite on four subjects with 200 calls at once."""
    return command.run(
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", SUBJECTS, "-j", "loop/judge",
        "--runs", str(RUNS), "-p", "8", "-pt", "200", "--format", "json", "--db", "here.db", *more, cwd=folder, env=ENV,
    )  # fmt: skip


@pytest.mark.parametrize("faults", ["", "cut=0.04,reset=0.04,error-in-200=0.04"], ids=["calm", "replies lost"])
def test_the_bill_never_exceeds_the_cap_and_the_command_goes_on_with_a_higher_one(tmp_path: Path, faults: str):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--bill", "max", "--latency", "0.4", "--faults", faults) as served:
        endpoint.models_file(tmp_path, served.base_url, concurrency=200)
        stopped = capped(tmp_path, "--max-cost", "0.70")
        billed = sum(request.cost_usd for request in served.log.everything())
        assert stopped.code == 4, stopped.err
        assert "the cost cap of $0.7000 is reached" in command.one_sentence(stopped)
        assert 0.5 < billed <= 0.70
        assert endpoint.most_at_once(served.log) > 40
        assert 0 < command.kept(tmp_path / "here.db") < CALLS

        before = len(served.log.everything())
        again = capped(tmp_path, "--max-cost", "20")
        asked = served.requests()
    assert again.code == 0, again.err
    assert sum(request.cost_usd for request in served.log.everything()[before:]) <= 20
    assert command.kept(tmp_path / "here.db") == CALLS
    assert all(row["coverage"] == 1 for row in again.board["rows"])
    if not faults:
        assert len(asked) == CALLS  # what the cap refused had not been sent
        stored = sum(row["cost_usd"] for row in again.board["rows"])
        assert stored == pytest.approx(sum(request.cost_usd for request in asked))


def test_a_cap_that_does_not_cover_one_call_stops_before_the_first(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--bill", "max") as served:
        endpoint.models_file(tmp_path, served.base_url)
        stopped = capped(tmp_path, "--max-cost", "0.0005")
        assert stopped.code == 4
        assert "the cost cap" in command.one_sentence(stopped)
        assert served.requests() == []
        assert sum(request.cost_usd for request in served.log.everything()) <= 0.0005


def test_a_cap_cannot_be_promised_for_a_model_without_a_price(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    run = (
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/half:unpriced", "-j", "loop/judge",
        "--runs", "1", "--db", "here.db",
    )  # fmt: skip
    with endpoint.serving(tmp_path) as served:
        endpoint.models_file(tmp_path, served.base_url)
        refused = command.run(*run, "--max-cost", "5", cwd=tmp_path, env=ENV)
        assert refused.code == 2
        assert "half:unpriced" in command.one_sentence(refused)
        assert "--allow-unpriced" in refused.err
        assert served.requests() == []
        allowed = command.run(*run, "--max-cost", "5", "--allow-unpriced", cwd=tmp_path, env=ENV)
        assert allowed.code == 0, allowed.err
        uncapped = command.run(*run, cwd=tmp_path, env=ENV)
        assert uncapped.code == 0


def two_subjects(folder: Path, *more: str) -> Ended:
    """Two subjects, five runs of the harbour suite each."""
    return command.run(
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/never,loop/half", "-j", "loop/judge",
        "--runs", "5", "--format", "json", "--db", "two.db", *more, cwd=folder, env=ENV,
    )  # fmt: skip


def test_a_cap_that_covers_a_part_of_the_runs_leaves_whole_runs_of_every_subject_and_their_index(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path) as served:
        endpoint.models_file(tmp_path, served.base_url, concurrency=50)
        full = two_subjects(tmp_path, "--db", "whole.db")
        spent = sum(row["cost_usd"] for row in full.board["rows"])
        probed = sum(request.cost_usd for request in served.log.everything()) - spent
        stopped = two_subjects(tmp_path, "--max-cost", f"{0.58 * spent + probed:.6f}")
        assert stopped.code == 4, stopped.err
        assert "the runs before it are whole" in command.one_sentence(stopped)
        rows = stopped.board["rows"]
        assert [(row["runs"], row["complete_runs"]) for row in rows] == [(2, 2), (2, 2)]
        assert all(row["index"] is not None and row["coverage"] == 1 for row in rows)
        resumed = two_subjects(tmp_path)
        assert resumed.code == 0, resumed.err
        assert resumed.scores == full.scores


def test_a_cap_that_is_far_above_the_cost_holds_nothing_back(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--latency", "0.3") as served:
        endpoint.models_file(tmp_path, served.base_url, concurrency=50)
        done = two_subjects(tmp_path, "--max-cost", "50")
    assert done.code == 0, done.err
    assert endpoint.most_at_once(served.log) > 2 * 5  # more than one run of both subjects has


def test_the_ledger_keeps_what_was_spent_when_everything_is_deleted_and_the_process_was_killed(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--latency", "0.2") as served:
        endpoint.models_file(tmp_path, served.base_url, concurrency=4)
        first = two_subjects(tmp_path, "--runs", "1")
        assert first.code == 0, first.err
        killed = command.start(
            "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/never", "-j", "loop/judge",
            "--runs", "9", "--db", "two.db", cwd=tmp_path, env=ENV,
        )  # fmt: skip
        endpoint.until(lambda: command.kept(tmp_path / "two.db") > 20, "twenty answers are stored")
        killed.kill()
        killed.communicate()
        stored = sum(
            usd for (usd,) in command.ask(
                tmp_path / "two.db", "SELECT cost_usd FROM calls UNION ALL SELECT cost_usd FROM verdicts"
            )
        )  # fmt: skip
        cleared = command.run("clear-cache", "--everything", "--yes", "--db", "two.db", cwd=tmp_path)
        assert cleared.code == 0, cleared.err
        after = two_subjects(tmp_path, "--runs", "1", "-m", "loop/never")
    again = sum(row["cost_usd"] for row in after.board["rows"])
    total = command.ask(tmp_path / "two.db", "SELECT sum(spent_usd) FROM sessions")[0][0]
    assert stored + again <= total <= sum(request.cost_usd for request in served.log.everything()) + 0.001
    assert f"${total:.4f} in this store so far" in after.err
    report = command.run("generate-report", "--db", "two.db", "-o", "report.md", cwd=tmp_path)
    assert report.code == 0, report.err
    assert f"${total:.4f} in the whole life of this store" in (tmp_path / "report.md").read_text().replace("\\", "")
