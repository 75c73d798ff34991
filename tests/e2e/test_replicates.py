from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e import command
from tests.e2e.command import Ended


def spent(db: Path, calls: int, *more: str) -> Ended:
    return command.run(
        "run", "--db", str(db), "-m", "sim/half,sim/never", "-j", "cues", "--format", "json", "--replicates", "auto",
        "--calls", str(calls), *more,
    )  # fmt: skip


def planned(db: Path) -> Counter[tuple[str, str]]:
    with closing(sqlite3.connect(db)) as connection:
        return Counter(connection.execute("SELECT config_dir, scenario FROM planned").fetchall())


def test_calls_go_where_the_noise_is_and_stay_there(tmp_path: Path) -> None:
    db = tmp_path / "store.db"
    done = spent(db, 104)
    assert done.code == 0, done.err
    assert "104 of 104 calls a subject, by the noise the suite ships" in done.err
    runs = {scenario: count for (config, scenario), count in planned(db).items() if config.startswith("sim--half")}
    assert min(runs.values()) == 2 == runs["psych"]
    assert runs["negotiation"] == max(runs.values()) > 5
    for row in done.board["rows"]:
        assert (row["runs"], row["coverage"], row["ci_method"]) == (2, 1, "these-scenarios")
        assert row["index"] is not None

    before = planned(db)
    again = spent(db, 104)
    assert "0 calls and 0 verdicts to go" in again.err
    assert planned(db) == before
    more = spent(db, 130)
    assert "by the noise of other subjects' runs" in more.err
    grown = planned(db)
    assert grown > before
    fewer = spent(db, 60)
    assert "calls a subject are planned already, more than the 60 asked for, and stay" in fewer.err
    assert planned(db) == grown


def test_published_rules_refuse_unequal_replicates(tmp_path: Path) -> None:
    db = tmp_path / "store.db"
    assert spent(db, 60).code == 0
    refused = command.run("leaderboard", "--db", str(db), "--scoring", "published")
    assert refused.code == 2
    assert "averages whole runs" in refused.err
    strict = command.run("leaderboard", "--db", str(db), "--format", "json")
    assert [row["runs"] for row in json.loads(strict.out)["rows"]] == [2, 2]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--replicates", "auto", "--calls", "51"], "take 52 calls a subject"),
        (["--replicates", "auto", "--calls", "60", "--runs", "3"], "3 runs of every scenario take 78 calls"),
        (["--replicates", "auto"], "needs --replicates auto"),
        (["--calls", "60"], "needs --replicates auto"),
    ],
)
def test_a_plan_that_cannot_be_is_one_sentence(tmp_path: Path, arguments: list[str], told: str) -> None:
    db = tmp_path / "store.db"
    done = command.run("run", "--db", str(db), "-m", "sim/half", "-j", "cues", *arguments)
    assert done.code == 2
    assert told in done.err
    assert not db.exists()


def test_a_suite_without_known_noise_starts_from_equal_noise(tmp_path: Path, toy_folder: Path) -> None:
    db = tmp_path / "store.db"
    done = command.run(
        "run", "--db", str(db), "--suite", str(toy_folder), "-m", "sim/half", "-j", "cues", "--replicates", "auto",
        "--calls", "30", "--format", "json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "no noise is known yet" in done.err
    runs = {scenario: count for (_, scenario), count in planned(db).items()}
    assert runs["dinner"] >= runs["dessert"] >= 2
