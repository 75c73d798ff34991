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
        billed = sum(request.cost_usd for request in served.requests())
        assert stopped.code == 4, stopped.err
        assert "the cost cap of $0.7000 is reached" in command.one_sentence(stopped)
        assert 0.5 < billed <= 0.70
        assert endpoint.most_at_once(served.log) > 150
        assert 0 < command.kept(tmp_path / "here.db") < CALLS

        before = len(served.requests())
        again = capped(tmp_path, "--max-cost", "20")
        asked = served.requests()
    assert again.code == 0, again.err
    assert sum(request.cost_usd for request in asked[before:]) <= 20
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
