"""Runs through a gateway that keeps replies are runs where it can be told not to, and one run where it cannot."""

from __future__ import annotations

from pathlib import Path

from tests.e2e import command, gateway, suites
from tests.e2e.command import Ended

REPLIES = "SELECT count(*), count(DISTINCT text) FROM calls"


def run(folder: Path, served: gateway.Gateway, *more: str) -> Ended:
    ended = command.run(
        "run", "--suite", "harbour", "-m", "local/m", "--local-url", served.url, "-j", "cues", "--runs", "3", "--quiet",
        "--format", "json", "--db", "here.db", *more, cwd=folder,
    )  # fmt: skip
    assert ended.code in (0, 3), ended.err
    return ended


def test_litellm_is_told_to_ask_anew_so_that_every_run_is_one(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with gateway.serving() as served:
        board = run(tmp_path, served).board
    count, different = command.ask(tmp_path / "here.db", REPLIES)[0]
    assert count == different
    assert (board["repeats"], board["rows"][0]["runs"]) == ([], 3)
    assert sum(body.get("cache") == {"no-cache": True} for body in served.asked) >= 6  # what follows the first answers


def test_where_a_cache_cannot_be_told_its_runs_count_once_and_nothing_is_made_of_zero_noise(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with gateway.serving(deaf=True) as served:
        board = run(tmp_path, served, "-p", "1", "-pt", "1").board
        run(tmp_path, served, "-p", "1", "-pt", "1", "-t", "0")
    assert not any("cache" in body for body in served.asked)
    (row,) = board["rows"]
    assert (row["runs"], row["ci"], row["tier"], row["rank"]) == (1, None, None, None)
    assert board["repeats"][0].startswith("local/m@low-t0.7: runs 2, 3 are the same, word for word, as run 1")
    said = command.run("leaderboard", "--db", "here.db", cwd=tmp_path).out
    assert "deterministic at temperature 0, so there is only one run" in " ".join(said.split())
    assert "points apart" not in said
    compared = command.run("compare", "local/m@low-t0.7", "local/m@low-t0.0", "--db", "here.db", cwd=tmp_path).out
    assert "counted once" in " ".join(compared.split())
    report = command.run("generate-report", "-o", "report.md", "--db", "here.db", cwd=tmp_path)
    assert report.code == 0, report.err
    text = (tmp_path / "report.md").read_text()
    assert "| repeated run | 12 |" in text
    assert "points apart" not in text
    assert (
        command.run("validate-judges", "--db", "here.db", cwd=tmp_path).code == 2
    )  # one judge is nobody to agree with
