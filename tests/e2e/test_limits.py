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


class Place(NamedTuple):
    """A folder with a suite, and the endpoint that its models file points at."""

    folder: Path
    served: endpoint.Served

    def run(self, *more: str, models_file: str = "models.yaml", code: int = 0, **env: str) -> Ended:
        """The command, with a new log."""
        (self.folder / "run.jsonl").unlink(missing_ok=True)
        ended = command.run(
            *more, "--models-file", models_file, "--db", "here.db", "--format", "json", "--log", "run.jsonl",
            cwd=self.folder, env={"LOOP_KEY": endpoint.KEY, **env},
        )  # fmt: skip
        assert ended.code == code, ended.err
        return ended

    def log(self, event: str = "") -> list[dict[str, Any]]:
        """The structured log of the last command, or its lines of one event."""
        lines = [json.loads(line) for line in (self.folder / "run.jsonl").read_text().splitlines()]
        return [line for line in lines if event in ("", line["event"])]

    def paced(self) -> dict[str, list[float]]:
        """Model -> the waits for a token of its rate that a log at the level debug holds, each of the first in line."""
        found: dict[str, list[float]] = {}
        for line in self.log("wait"):
            if line["status"] == "rate":
                found.setdefault(line["model"], []).append(line.get("seconds", 0.0))
        return found

    def most_of(self, model: str) -> int:
        """The largest number of requests to one model that were held at the same time."""
        held = most = 0
        for entry in map(json.loads, self.served.log.path.read_text().splitlines()):
            if entry["model"] == model:
                held += 1 if entry["state"] == "received" else -1
                most = max(most, held)
        return most


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--latency", "0.02") as served:
        endpoint.models_file(tmp_path, served.base_url)
        yield Place(tmp_path, served)


ASK = ("run", "--suite", "harbour", "-m", "loop/half")


def test_everything_is_in_the_log_and_a_rate_is_held_for_subjects_and_judges(place: Place):
    place.run(*ASK, "-j", "loop/judge", "--runs", "2")
    lines = place.log()
    assert Counter(line["event"] for line in lines) == {"planned": 1, "call": 10, "verdict": 6, "stopped": 1}
    call = place.log("call")[0]
    assert {"time", "level", "model", "subject", "scenario", "run", "turn", "attempt", "status", "seconds", "cost"} <= (
        call.keys()
    )
    assert (call["model"], call["status"], call["attempt"]) == ("loop/half", "ok", 1)
    assert {line["model"] for line in place.log("verdict")} == {"loop/judge"}
    spent = sum(line["cost"] for line in place.log("call") + place.log("verdict"))
    billed = sum(request.cost_usd for request in place.served.requests())
    assert spent == pytest.approx(billed, abs=1e-6)
    assert lines[-1]["cost"] == pytest.approx(spent, abs=1e-6)
    text = (place.folder / "run.jsonl").read_text()
    assert endpoint.KEY not in text
    assert '"text"' not in text

    for judged, model, due in (("--no-judge", "half", 20), ("-jloop/judge", "judge", 12)):
        burst = {"OPENROUTER_MODEL_RPS": "1", "OPENROUTER_MODEL_BURST": "5"}
        place.run(*ASK, judged, "--runs", "6", "--rps", "20", LOG_LEVEL="debug", **burst)
        (waits,) = place.paced().values()
        assert place.paced().keys() == {model}
        assert 0 < max(waits) <= 1 / 20
        assert len(waits) <= due - 5  # the first five find a token each


def test_retries_are_in_the_log_with_what_went_wrong(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--faults", "503=0.3") as served:
        endpoint.models_file(tmp_path, served.base_url)
        place = Place(tmp_path, served)
        ended = place.run(*ASK, "-j", "cues", "--runs", "4", LOG_LEVEL="debug")
        failed = sum(request.fault == "503" for request in served.requests())
        in_all = sum(request.fault == "503" for request in served.log.everything())
    retries = place.log("retry")
    assert len(retries) == in_all > failed  # those of the probe are there, too
    assert sum("scenario" in line for line in retries) == failed > 0
    assert {(line["status"], line["level"], line["model"]) for line in retries} == {("503", "warning", "half")}
    assert all(line["attempt"] >= 1 for line in retries)
    assert sum(line["attempt"] for line in place.log("call")) == 20 + failed
    assert len(place.log("stored")) == 20 + 12
    assert all(line["level"] == "debug" for line in place.log() if "text" in line)
    assert [json.loads(line) for line in ended.err.splitlines() if line.startswith("{")] == place.log()


def test_the_environment_bounds_every_command_and_flags_win(place: Place):
    place.run(*ASK[:-1], "loop/half,loop/never", "--runs", "3", "--no-judge", BENCH_CONCURRENCY="2")
    assert endpoint.most_at_once(place.served.log) == 2
    limited = {"OPENROUTER_MODEL_RPS": "20", "OPENROUTER_MODEL_BURST": "1", "LOG_LEVEL": "debug"}
    place.run("judge", "-j", "loop/judge", **limited)
    assert place.paced().keys() == {"judge"}
    assert 0 < max(place.paced()["judge"]) <= 1 / 20
    assert len(place.log("verdict")) == 18
    retried = {"BENCH_CONCURRENCY": "2", "BENCH_MAX_RETRIES": "0"}
    place.run("judge", "-j", "loop/judge:prose", "-pt", "8", code=3, **retried)
    assert 2 < place.most_of("judge:prose") <= 8


def test_a_json_roster_bounds_each_of_its_models(place: Place):
    never = {"id": "loop/never", "label": "Cheap", "rate_limit": {"rps": 20, "burst": 1}, "concurrency": 1}
    loop = {"name": "loop", "base_url": place.served.base_url, "dialect": "openrouter", "api_key_env": "LOOP_KEY"}
    roster = {"preferred": "Cheap", "models": ["loop/half", never, "loop/half"], "endpoints": [loop]}
    (place.folder / "models.json").write_text(json.dumps(roster))
    ended = place.run(*ASK[:3], "-j", "cues", "--runs", "3", "-p", "1", models_file="models.json", LOG_LEVEL="debug")
    asked = [request.model for request in place.served.requests()]
    assert asked == ["never"] * 15 + ["half"] * 15  # one subject at a time, the preferred first
    assert place.paced().keys() == {"never"}
    assert 0 < max(place.paced()["never"]) <= 1 / 20
    assert place.most_of("never") == 1
    assert {row["label"] for row in ended.board["rows"]} == {"Cheap", "loop/half@low-t0.7"}
