"""Models that answer alike in every run: it is said at once why there is no interval."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import between, command, endpoint, suites
from tests.e2e.between import Said
from tests.e2e.command import Ended


class Deterministic:
    """Answers as a simulated subject does to the same messages, whatever the seed."""

    def __init__(self, base: str, subject: str) -> None:
        self.ask, self.subject = between.passing_on(base), subject

    def __call__(self, path: str, body: bytes | None) -> Said:
        if body is None:
            return between.said({"data": [{"id": "m"}]})
        asked = json.loads(body) | {"model": self.subject}
        asked.pop("seed", None)
        return self.ask(path, json.dumps(asked).encode())


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of simulated subjects, without /v1."""
    with endpoint.serving(tmp_path_factory.mktemp("served")) as running:
        yield running.base_url.removesuffix("/v1")


def check(folder: Path, base: str, subject: str, *more: str, judge: str = "cues") -> Ended:
    with between.serving(Deterministic(base, subject)) as served:
        return command.run("check", *more, "-m", "local/m", "--local-url", served.url, "-j", judge, "-t", "0",
                           "--yes", "--db", f"{subject}.db", cwd=folder, env={"COLUMNS": "100"})  # fmt: skip


def test_where_scenarios_are_too_few_it_is_said_after_two_runs_what_helps(tmp_path: Path, base: str):
    suites.write(tmp_path / "harbour", suites.harbour())
    ended = check(tmp_path, base, "half", "--suite", "harbour", "--min-index", "80")
    said = " ".join(ended.out.split())
    assert ended.code == 5, said
    assert "Undecided: there is no interval." in said
    assert "10 are needed" in said
    assert "--temperature" in said
    assert command.ask(tmp_path / "half.db", "SELECT count(*) FROM calls") == [(10,)], "two runs of five answers"


def test_a_baseline_alone_takes_two_runs(tmp_path: Path, base: str):
    suites.write(tmp_path / "harbour", suites.harbour())
    ended = check(tmp_path, base, "half", "--suite", "harbour", "--write-baseline", "baseline.json")
    assert command.ask(tmp_path / "half.db", "SELECT count(*) FROM calls") == [(10,)], ended.out + ended.err


@pytest.mark.deep
def test_reasons_end_after_two_runs_with_why_and_what_helps(tmp_path: Path, base: str):
    ended = check(tmp_path, base, "stubborn", "--suite", "reasons", "--min-j", "0.5", judge="picks")
    said = " ".join(ended.out.split())
    assert ended.code == 5, said
    assert "Undecided: there is no interval." in said
    assert "More runs would say nothing. If the model is used at a temperature above 0" in said
    assert command.ask(tmp_path / "stubborn.db", "SELECT count(*) FROM calls") == [(2160,)], "two runs of 1,080 answers"
