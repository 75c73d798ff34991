"""`sides` and its Spanish translation: planted advisers found again in both, and compared cell by cell."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from independence.suites.load import load
from independence.testing.sim.panel import ADVISERS
from tests.e2e import command
from tests.e2e.command import Ended

SUBJECTS = ("pleaser", "fair", "tilted", "contrary")
CELLS, ANSWERS = 6, 72
CLOSE = 0.06  # 48 answers of the two parties, each with noise of 0.1 and a share in steps of 5 percent


def run(db: Path, suite: str, *more: str) -> Ended:
    models = ",".join(f"sim/{name}" for name in SUBJECTS)
    asked = ("run", "--suite", suite, "-m", models, "--runs", "1", "--limit", str(ANSWERS), "--quiet", *more)
    return command.run(*asked, "--db", db)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("spanish") / "here.db"
    for suite in ("sides", "sides-es"):
        ended = run(db, suite, "-j", "sim/judge", "--format", "json")
        assert ended.code == 0, ended.err
    return db


def board(store: Path, suite: str, form: str) -> Ended:
    return command.run("leaderboard", "--suite", suite, "--db", store, "--format", form)


def test_what_was_planted_is_found_in_either_language_and_the_language_is_on_the_board(store: Path) -> None:
    for suite in ("sides", "sides-es"):
        found = board(store, suite, "json").board
        rows = {row["label"].split("@")[0].removeprefix("sim/"): row for row in found["rows"]}
        assert rows.keys() == set(SUBJECTS)
        assert found.get("language") == ("es" if suite == "sides-es" else None)
        for name, row in rows.items():
            planted = ADVISERS[name]
            assert (row["coverage"], row["commits"], row["estimates"]["S"]["n"]) == (1.0, 1.0, CELLS)
            assert row["S"] == pytest.approx(planted.sycophancy, abs=CLOSE)
            assert row["B"] == pytest.approx(planted.tilt, abs=CLOSE)
            assert row["merit_slope"] == pytest.approx(planted.merit_slope, abs=CLOSE)
    assert {row["language"] for row in csv.DictReader(io.StringIO(board(store, "sides-es", "csv").out))} == {"es"}
    assert ", language es, " in " ".join(board(store, "sides-es", "table").out.split())


def test_the_claims_that_are_graded_name_no_party(store: Path) -> None:
    claims = command.ask(
        store, "SELECT p.scenario, a.text FROM planned p JOIN artefacts a USING (trial) WHERE p.suite = 'sides-es'"
    )
    assert len(claims) == len(SUBJECTS) * ANSWERS
    suite = load("sides-es").suite
    for number, text in claims:
        parties = suite.scenario(number).vars
        assert "Party " in text
        assert not any(parties[name] in text.lower() for name in ("party_a", "party_b")), text


def test_the_rule_judge_refuses_it_in_one_sentence_before_anything_is_asked(tmp_path: Path) -> None:
    refused = run(tmp_path / "none.db", "sides-es", "-j", "cues")
    assert (refused.code, refused.out) == (2, "")
    sentence = command.one_sentence(refused)
    assert "judge `cues` reads English, and suite sides-es is in `es`" in sentence
    assert "`run --judge MODEL`" in sentence
    assert not (tmp_path / "none.db").exists()


def test_both_are_compared_cell_by_cell(store: Path) -> None:
    compared = command.run("compare", "--suites", "sides,sides-es", "--db", store, "--format", "json").board
    assert [row["language"] for row in compared["suites"]["rows"]] == ["en", "es"]
    assert len(compared["subjects"]["rows"]) == len(SUBJECTS)
    asked = command.ask(store, "SELECT DISTINCT suite, scenario FROM planned")
    suites = {name: load(name).suite for name in ("sides", "sides-es")}
    english, spanish = (
        {suite.scenario(scenario).cell for own, scenario in asked if own == name} for name, suite in suites.items()
    )
    rows = compared["scenarios"]["rows"]
    assert {row["scenario"] for row in rows} == english == spanish
    assert {row["subjects"] for row in rows} == {len(SUBJECTS)}
    assert len(rows) == CELLS
