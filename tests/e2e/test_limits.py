"""Bounds on rate and concurrency, as the endpoint sees them; rosters; the structured log."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended

RATE, BURST = 25.0, 5
SLIP_S = 0.3  # from the moment a request leaves until the endpoint has written it down


class Place(NamedTuple):
    """A folder with a suite, and the endpoint that its models file points at."""

    folder: Path
    served: endpoint.Served

    def run(self, *more: str, models_file: str = "models.yaml", **env: str) -> Ended:
        """The command, on the harbour suite."""
        return command.run(
            *more, "--models-file", models_file, "--db", "here.db", "--format", "json", cwd=self.folder,
            env={"LOOP_KEY": endpoint.KEY, **env},
        )  # fmt: skip

    def received(self) -> dict[str, list[float]]:
        """Model -> when its requests but the probe's came in, in order."""
        times: dict[str, list[float]] = {}
        asked = self.served.asked()
        for line in self.served.log.path.read_text().splitlines():
            entry = json.loads(line)
            if entry["state"] == "received" and entry["digest"] in asked:
                times.setdefault(entry["model"], []).append(entry["received"])
        return {model: sorted(found) for model, found in times.items()}

    def log(self) -> list[dict[str, Any]]:
        """The structured log."""
        return [json.loads(line) for line in (self.folder / "run.jsonl").read_text().splitlines()]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--latency", "0.02") as served:
        endpoint.models_file(tmp_path, served.base_url)
        yield Place(tmp_path, served)


def most_of(log: endpoint.Log, model: str) -> int:
    """The largest number of requests to one model that were held at the same time."""
    held = most = 0
    for line in log.path.read_text().splitlines():
        entry = json.loads(line)
        if entry["model"] == model:
            held += 1 if entry["state"] == "received" else -1
            most = max(most, held)
    return most


def test_a_rate_is_held_for_subjects_and_judges_and_everything_is_in_the_log(place: Place):
    ended = place.run(
        "run", "--suite", "harbour", "-m", "loop/half", "-j", "loop/judge", "--runs", "12", "--rps", str(RATE),
        "--burst", str(BURST), "--log", "run.jsonl",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    received = place.received()
    assert {model: len(times) for model, times in received.items()} == {"half": 60, "judge": 36}
    for times in received.values():
        must = (len(times) - BURST) / RATE
        assert times[-1] - times[0] >= must - SLIP_S
        for first, last in zip(times, times[25:], strict=False):
            assert last - first >= (26 - BURST) / RATE - SLIP_S

    lines = place.log()
    assert Counter(line["event"] for line in lines if line["event"] != "wait") == {
        "planned": 1, "call": 60, "verdict": 36, "stopped": 1,
    }  # fmt: skip
    call = next(line for line in lines if line["event"] == "call")
    assert {"time", "level", "model", "subject", "scenario", "run", "turn", "attempt", "status", "seconds", "cost"} <= (
        call.keys()
    )
    assert (call["model"], call["status"], call["attempt"]) == ("loop/half", "ok", 1)
    assert {line["model"] for line in lines if line["event"] == "verdict"} == {"loop/judge"}
    spent = sum(line["cost"] for line in lines if line["event"] in ("call", "verdict"))
    billed = sum(request.cost_usd for request in place.served.requests())
    assert spent == pytest.approx(billed, abs=1e-6)
    assert lines[-1]["cost"] == pytest.approx(spent, abs=1e-6)
    text = (place.folder / "run.jsonl").read_text()
    assert endpoint.KEY not in text
    assert '"text"' not in text


def test_retries_are_in_the_log_with_what_went_wrong(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--faults", "503=0.3") as served:
        endpoint.models_file(tmp_path, served.base_url)
        place = Place(tmp_path, served)
        ended = place.run(
            "run", "--suite", "harbour", "-m", "loop/half", "-j", "cues", "--runs", "4", "--log", "run.jsonl",
            LOG_LEVEL="debug",
        )  # fmt: skip
        assert ended.code == 0, ended.err
        failed = sum(request.fault == "503" for request in served.requests())
        in_all = sum(request.fault == "503" for request in served.log.everything())
    lines = place.log()
    retries = [line for line in lines if line["event"] == "retry"]
    assert len(retries) == in_all > failed  # those of the probe are there, too
    assert sum("scenario" in line for line in retries) == failed > 0
    assert {(line["status"], line["level"], line["model"]) for line in retries} == {("503", "warning", "half")}
    assert all(line["attempt"] >= 1 for line in retries)
    attempts = sum(line["attempt"] for line in lines if line["event"] == "call")
    assert attempts == 20 + failed
    stored = [line for line in lines if line["event"] == "stored"]
    assert len(stored) == 20 + 12
    assert all(line["level"] == "debug" for line in lines if "text" in line)
    assert [json.loads(line) for line in ended.err.splitlines() if line.startswith("{")] == lines


def test_the_environment_bounds_every_command_and_flags_win(place: Place):
    ask = ["run", "--suite", "harbour", "-m", "loop/half,loop/never", "--runs", "3"]
    slow = place.run(*ask, "--no-judge", BENCH_CONCURRENCY="2")
    assert slow.code == 0, slow.err
    assert endpoint.most_at_once(place.served.log) == 2
    graded = place.run(
        "judge", "-j", "loop/judge", "--log", "run.jsonl", OPENROUTER_MODEL_RPS="20", OPENROUTER_MODEL_BURST="1"
    )
    assert graded.code == 0, graded.err
    times = place.received()["judge"]
    assert times[-1] - times[0] >= 17 / 20 - SLIP_S
    assert sum(line["event"] == "verdict" for line in place.log()) == 18
    again = place.run("judge", "-j", "loop/judge:prose", "-pt", "8", BENCH_CONCURRENCY="2", BENCH_MAX_RETRIES="0")
    assert again.code == 3, again.err
    assert 2 < most_of(place.served.log, "judge:prose") <= 8


def test_a_json_roster_bounds_each_of_its_models(place: Place):
    roster = {
        "preferred": "Cheap",
        "models": [
            "loop/half",
            {"id": "loop/never", "label": "Cheap", "rate_limit": {"rps": 10, "burst": 1}, "concurrency": 1},
            "loop/half",
        ],
        "endpoints": [
            {"name": "loop", "base_url": place.served.base_url, "dialect": "openrouter", "api_key_env": "LOOP_KEY"}
        ],
    }
    (place.folder / "models.json").write_text(json.dumps(roster))
    ended = place.run("run", "--suite", "harbour", "-j", "cues", "--runs", "3", "-p", "1", models_file="models.json")
    assert ended.code == 0, ended.err
    received = place.received()
    assert received["never"][-1] < received["half"][0]  # one subject at a time, the preferred first
    assert received["never"][-1] - received["never"][0] >= 14 / 10 - SLIP_S
    assert most_of(place.served.log, "never") == 1
    assert {row["label"] for row in ended.board["rows"]} == {"Cheap", "loop/half@low-t0.7"}
