"""Models that answer alike in every run: their situations are the sample, or it is said at once why none is."""

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


def persona(folder: Path) -> str:
    assert command.run("persona", "init", "priya.md", "--example", "priya", cwd=folder).code == 0
    return "priya.md"


@pytest.mark.deep
def test_one_run_counts_and_its_situations_decide(tmp_path: Path, base: str):
    file = persona(tmp_path)
    kept = check(tmp_path, base, "persona-keeper", file, "--min-index", "80")
    said = " ".join(kept.out.split())
    assert kept.code == 0, said
    assert "deterministic at temperature 0, so there is only one run" in said
    assert "95% CI: for other scenarios of this kind." in said
    calls = command.ask(tmp_path / "persona-keeper.db", "SELECT count(*) FROM calls")
    given_up = check(tmp_path, base, "persona-drops-homework", file, "--min-index", "80")
    assert given_up.code == 1, given_up.out
    opened = check(tmp_path, base, "persona-keeper", file, "--min-index", "97")
    assert opened.code == 5, opened.out
    assert "all runs are alike, so more runs would say nothing" in " ".join(opened.out.split())
    assert command.ask(tmp_path / "persona-keeper.db", "SELECT count(*) FROM calls") == calls, "nothing more is bought"


@pytest.mark.deep
def test_boards_show_the_interval_of_the_check(tmp_path: Path, base: str):
    file = persona(tmp_path)
    found = check(tmp_path, base, "persona-drops-homework", file, "--format", "json").board
    assert found["ci_method"] == "scenarios-like-these"
    board = command.run("leaderboard", "--suite", file, "--db", "persona-drops-homework.db", "--format", "json",
                        cwd=tmp_path).board  # fmt: skip
    (row,) = board["rows"]
    assert (row["ci"], row["ci_method"], row["index"]) == (found["ci"], found["ci_method"], pytest.approx(93.75))


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
    assert command.ask(tmp_path / "stubborn.db", "SELECT count(*) FROM calls") == [(864,)], "two runs of 432 answers"
