"""Damage of a store becomes a refusal with its place, never another number."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks import damage

from independence.store import dialogue_rows, integrity
from independence.store.file import digests
from tests import toy
from tests.e2e import command
from tests.stores import Stores


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return damage.made("many judges", tmp_path_factory.mktemp("damage"))


def copied(made: Path, folder: Path) -> Path:
    (folder / "here.db").write_bytes(made.read_bytes())
    return folder / "here.db"


@pytest.mark.parametrize(("flips", "cuts"), [(100, 20), pytest.param(2_000, 200, marks=pytest.mark.deep)])
def test_a_flipped_bit_or_a_cut_gives_the_same_boards_or_a_refusal(made: Path, flips: int, cuts: int) -> None:
    counts, wrong = damage.outcomes(made, flips, cuts, seed=flips)
    assert wrong == []
    assert min(counts.values()) > cuts / 2


CHANGES = {
    "verdicts: the row of ": "UPDATE verdicts SET fields = '{}' WHERE rowid = 3",
    "were written": "UPDATE tallies SET rows = rows + 1, digests = digests + 7 WHERE name = 'verdicts'",
    "subjects: the row of sim--half": "UPDATE subjects SET label = 'another' WHERE label LIKE 'sim/half%'",
    "attempts: the row of t, w, 0": "INSERT INTO attempts VALUES ('t', 'w', 0, '', '', NULL, 7)",
    "sessions: the row of 2026, run": "INSERT INTO sessions VALUES (1, '2026', '', 'run', 'v2', 1.5, 0.0, 7)",
    "its trigger `sneaky` is not": "CREATE TRIGGER sneaky AFTER UPDATE ON sessions BEGIN DELETE FROM calls; END",
    "its view `more` is not": "CREATE VIEW more AS SELECT * FROM verdicts",
    "its table `more` is not": "CREATE TABLE more (a, b AS (a + 1))",
    "its table `editions` is not as this program makes it": "ALTER TABLE editions ADD COLUMN more",
    "its trigger `dialogues_until_deletion` is not as": "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = "
    "CAST(sql AS BLOB) WHERE name = 'dialogues_until_deletion'",
    "its trigger `dialogues_until_change` is gone": "DROP TRIGGER dialogues_until_change",
}


def test_what_others_changed_is_refused_by_name(made: Path, tmp_path: Path) -> None:
    for says, change in CHANGES.items():
        here = copied(made, tmp_path)
        with closing(sqlite3.connect(here)) as connection:
            connection.executescript(change)
        assert says in command.refused("leaderboard", "--db", here)


def test_answers_that_a_board_compares_are_as_they_were_given(tmp_path: Path) -> None:
    toy.write(tmp_path / "toy")
    line = "run --suite toy -m sim/refuse -j cues --runs 3 --quiet --db here.db"
    command.ok(*line.split(), cwd=tmp_path)
    with closing(sqlite3.connect(tmp_path / "here.db")) as connection, connection:
        digests.offer(connection)
        connection.execute("UPDATE calls SET text = text || '!' WHERE rowid = 2")
        connection.execute("DELETE FROM repetitions")  # else nobody reads the texts
        dialogue_rows.write(connection)  # by what the answer is said to be, which has not changed
    assert "calls: the answers of" in command.refused("leaderboard", "--db", tmp_path / "here.db")


@pytest.mark.parametrize("command_line", ["leaderboard --format json", "compare sim/never sim/half --suite v2"])
def test_a_board_and_a_comparison_read_no_words_of_a_store_that_a_run_has_finished(
    stores: Stores, tmp_path: Path, command_line: str
) -> None:
    here = stores.copy("demo", tmp_path)
    before = command.ok(*command_line.split(), "--db", here).out
    with closing(sqlite3.connect(here)) as connection, connection:
        digests.offer(connection)
        connection.execute("UPDATE calls SET text = text || '!'")  # whoever reads one of them refuses the store
        dialogue_rows.write(connection)
    assert command.ok(*command_line.split(), "--db", here).out == before


def test_a_value_that_its_scale_does_not_have_is_refused_whoever_wrote_it(made: Path, tmp_path: Path) -> None:
    here = copied(made, tmp_path)
    with command.opened(here) as connection:
        digests.offer(connection)
        connection.execute(
            "UPDATE verdicts SET fields = json_set(fields, '$.drift', 812) WHERE fields = '{\"drift\":0}'"
        )
        command.renew_digests(connection)
    assert "`drift` is outside of its scale: 812 (sim--" in command.refused("leaderboard", "--db", here)


def test_all_of_a_store_is_read_on_request_and_what_is_whole_is_copied(made: Path, tmp_path: Path) -> None:
    here, out = copied(made, tmp_path), tmp_path / "out.db"
    with closing(sqlite3.connect(here)) as connection, connection:
        connection.execute("UPDATE calls SET text = text || '!' WHERE rowid = 2")
        connection.execute("UPDATE verdicts SET fields = '{}' WHERE rowid = 3")
    ended = command.run("doctor", "--verify", "--db", here, "--format", "json")
    assert ended.code == 1
    assert "is not as it was written" in ended.out
    found = {one.table: one for one in integrity.salvage(here, out)}
    assert (found["verdicts"].written or 0) - found["verdicts"].rows == 1
    assert command.run("leaderboard", "--suite", "toy", "--db", out).code == 0
    assert "there already" in command.refused("doctor", "--salvage", out, "--db", here)
