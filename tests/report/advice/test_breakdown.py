from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from independence.report.advice import advice_study, factors, tables
from independence.report.advice import board as boards
from independence.report.table import Table
from independence.suites.load import LoadedSuite

from . import advised
from .advised import Leaning


def read(
    connection: sqlite3.Connection, loaded: LoadedSuite | None = None, **subjects: Leaning
) -> advice_study.AdviceStudy:
    loaded = loaded or advised.suite()
    advised.fill(connection, loaded, subjects)
    return advice_study.read(connection, advised.scope(loaded))


def dicts(table: Table) -> list[dict[str, Any]]:
    return [dict(zip((column.key for column in table.columns), row, strict=True)) for row in table.rows]


def test_levels_hold_each_askers_mean_by_merit(connection: sqlite3.Connection) -> None:
    own = read(connection, a=Leaning(sycophancy=0.2, tilt=0.1, slope=0.4, noise=0))
    found = tables.levels(advice_study.stances(own, "a"))
    assert [level.merit for level in found] == [-1.0, 0.0, 1.0]
    assert [level.first for level in found] == pytest.approx([-0.1, 0.3, 0.7])
    assert [level.second for level in found] == pytest.approx([-0.5, -0.1, 0.3])
    assert [level.neutral for level in found] == pytest.approx([-0.3, 0.1, 0.5])
    assert {level.cells for level in found} == {8}


def test_a_cell_counts_only_in_words_in_which_both_were_judged(connection: sqlite3.Connection) -> None:
    own = advice_study.stances(read(connection, a=Leaning(sycophancy=0.2, noise=0)), "a")
    gone = [row._replace(value=None) if row.side == "a" and row.phrasing == "short" else row for row in own]
    odd = [row._replace(value=-1.0) if row.side == "b" and row.phrasing == "short" else row for row in gone]
    assert {round(level.second or 0, 9) for level in tables.levels(odd)} == {-0.2}
    nobody = [row._replace(value=None) if row.side == "a" else row for row in own]
    assert {(level.first, level.second, level.cells) for level in tables.levels(nobody)} == {(None, None, 0)}


def test_the_merit_table_gives_both_readings_of_each_level(connection: sqlite3.Connection) -> None:
    own = read(connection, a=Leaning(sycophancy=0.2, slope=0.4, noise=0))
    rows = dicts(tables.merits(own, boards.board(own)))
    assert [row["S"] for row in rows] == pytest.approx([0.2] * 3)
    assert [row["B"] for row in rows] == pytest.approx([-0.4, 0, 0.4])


def test_without_merit_there_is_no_table_of_it(connection: sqlite3.Connection) -> None:
    plain = {**advised.DOCUMENT["grid"], "merit": {}}
    own = read(connection, advised.suite(grid=plain), a=Leaning())
    board = boards.board(own)
    assert tables.merits(own, board).rows == ()
    assert board.rows[0].merit_slope is None


def test_pairs_add_up_and_shares_are_of_the_judged(connection: sqlite3.Connection) -> None:
    own = read(connection, a=Leaning(sycophancy=0.5, slope=0.1, noise=0), bb=Leaning(tilt=0.6, noise=0))
    for row in dicts(tables.of_rows("pairs", boards.board(own))):
        kinds = ("sycophantic", "contrarian", "consistent", "abstaining", "partial")
        assert sum(row[kind] for kind in kinds) == row["judged"] == 48
        assert sum(row[f"{kind}_share"] for kind in kinds) == pytest.approx(1)
    first, second = dicts(tables.of_rows("pairs", boards.board(own)))
    assert (first["consistent"], second["sycophantic"]) == (48, 48)


def named(made: list[Table]) -> dict[str, list[dict[str, Any]]]:
    """Tables that have rows."""
    return {table.id: dicts(table) for table in made if table.rows}


def crossed() -> LoadedSuite:
    """The suite with a second factor of the wording, half of the combinations, and a party that wants a change."""
    grid = advised.DOCUMENT["grid"]
    quarrels = {
        name: {**level, "requester": "aabb"[int(name[-1])]} for name, level in grid["factors"]["quarrel"].items()
    }
    levels = {**grid["factors"], "quarrel": quarrels, "tone_of_voice": {"first_tone": {}, "second_tone": {}}}
    return advised.suite(grid={**grid, "factors": levels, "half": ["quarrel", "merit", "wording", "tone_of_voice"]})


def test_domains_powers_and_wordings_split_the_same_answers(connection: sqlite3.Connection) -> None:
    own = read(connection, a=Leaning(sycophancy=0.3))
    found = named(factors.parts(own, boards.board(own)))
    expected = {
        "domains": ({"boats", "bees"}, 12), "powers": ({"party A", "party B"}, 12), "wordings": ({"short", "long"}, 24),
    }  # fmt: skip
    assert list(found) == [*expected, "factors"]
    for name, (parts, cells) in expected.items():
        assert {row["part"] for row in found[name]} == parts
        assert {row["cells"] for row in found[name]} == {cells}
        assert [row["S"] for row in found[name]] == pytest.approx([0.3, 0.3], abs=0.05)


def test_each_factor_of_several_in_the_wording_has_a_table_besides_them_all(connection: sqlite3.Connection) -> None:
    own = read(connection, crossed(), a=Leaning(sycophancy=0.3))
    made = factors.parts(own, boards.board(own))
    found = named(made)
    assert list(found) == [
        "domains", "powers", "requesters", "wording-wording", "wording-tone_of_voice", "wordings", "factors",
    ]  # fmt: skip
    title = next(table.title for table in made if table.id == "wording-tone_of_voice")
    assert title == "Effect of the phrasing: tone of voice"
    tones = found["wording-tone_of_voice"]
    assert [(row["part"], row["cells"]) for row in tones] == [("first tone", 24), ("second tone", 24)]
    assert {row["part"]: row["cells"] for row in found["wordings"]}["short, first_tone"] == 12
    assert [row["S"] for row in tones] == pytest.approx([0.3, 0.3], abs=0.05)


def test_two_levels_of_a_factor_are_compared_with_an_interval(connection: sqlite3.Connection) -> None:
    own = read(connection, crossed(), a=Leaning(sycophancy=0.3, tilt=0.2))
    found = named(factors.parts(own, boards.board(own)))["factors"]
    assert [(row["factor"], row["levels"]) for row in found] == [
        ("domain", "boats − bees"), ("stronger party", "party A − party B"), ("wants a change", "party A − party B"),
        ("wording", "short − long"), ("tone of voice", "first tone − second tone"),
    ]  # fmt: skip
    for row in found:
        for what in "SB":
            low, high = row[f"{what}_ci"]
            assert low <= row[what] <= high
            assert row[what] == pytest.approx(0, abs=0.05)
        assert row["cells"] == 24


def test_what_a_suite_does_not_tell_apart_is_no_table(connection: sqlite3.Connection) -> None:
    grid = advised.DOCUMENT["grid"]
    levels = {**grid["factors"], "quarrel": {"one": {}, "two": {}}, "wording": {"short": {}}}
    own = read(connection, advised.suite(grid={**grid, "factors": levels}), a=Leaning())
    assert named(factors.parts(own, boards.board(own))) == {}


def test_the_tests_stand_beside_the_interval_they_go_with(connection: sqlite3.Connection) -> None:
    own = read(connection, a=Leaning(sycophancy=0.3, slope=0.3, noise=0.1))
    (row,) = dicts(tables.of_rows("checks", boards.board(own)))
    low, high = row["S_ci"]
    assert 0 < low < row["S"] < high
    assert row["disputes"] == 8
    assert row["p"] < 0.05
    assert row["p_equivalent"] > 0.05
