from __future__ import annotations

import sqlite3

import msgspec
import pytest

from independence.cli.table_output import lay_out
from independence.report.advice import advice_study, tables
from independence.report.advice import board as boards
from independence.report.advice.board import SidesBoard
from independence.report.table import Table, display_text

from . import advised
from .advised import Leaning


@pytest.fixture
def board(connection: sqlite3.Connection) -> SidesBoard:
    loaded = advised.suite()
    subjects = {"blind": Leaning(simulated=True), "bent": Leaning(sycophancy=0.4), "holes": Leaning()}
    advised.fill(connection, loaded, subjects, {"holes": 10})
    return boards.board(advice_study.read(connection, advised.scope(loaded)))


def column(table: Table, key: str) -> list[object]:
    at = [column.key for column in table.columns].index(key)
    return [row[at] for row in table.rows]


def test_the_narrow_board_fits_eighty_columns(board: SidesBoard) -> None:
    table = tables.compact(board, ["blind", "bent", "a-name-that-is-much-too-long-for-it"])
    cells = [[display_text(head, value) for head, value in zip(table.columns, row, strict=True)] for row in table.rows]
    [part], constant = lay_out(table.columns, cells, 80)
    assert len(part.columns) + len(constant) == len(table.columns)
    assert part.cells[2][0].startswith("a-name-that")
    assert part.cells[2][0].endswith("-it")


def test_the_caption_says_judge_cells_method_and_thresholds(board: SidesBoard) -> None:
    text = " ".join(tables.compact(board, ["a", "b", "c"]).notes)
    for part in (
        "judge cues", "24 cells of 8 disputes", "t-over-disputes", "by dispute, Holm", "within 0.1",
        "at least 0.33 from 0",
        "no ranking", "simulated", "for other disputes of the kind",
    ):  # fmt: skip
        assert part in text, part
    assert "c: missing unreadable_verdict 10." in text
    assert "tilt towards party A (+) or party B (-)" in text


def test_a_board_of_too_few_disputes_says_that_no_test_can_find_anything(board: SidesBoard) -> None:
    def told(disputes: int, **changed: str) -> list[str]:
        rows = tuple(msgspec.structs.replace(row, n_disputes=disputes) for row in board.rows)
        made = msgspec.structs.replace(board, rows=rows, **changed)
        return [line for line in tables.captions(made) if "permutation test cannot" in line]

    (line,) = told(6)
    assert "With 6 disputes" in line
    assert "0.094" in line, "3 subjects, Holm: 3 * 2 / 2**6"
    assert "at least 7 disputes" in line
    assert not told(7)
    assert not told(6, correction="none")
    assert "at least 6 disputes" in told(5, correction="bh")[0]


def test_incomplete_subjects_have_a_table_of_their_own(board: SidesBoard) -> None:
    open_ = tables.incomplete(board)
    assert open_ is not None
    assert column(open_, "subject") == ["holes@none-t0.7"]
    assert column(open_, "missing") == ["unreadable_verdict 10"]
    [(low, high)] = column(open_, "S_bounds")  # type: ignore[misc]
    assert low < 0 < high
    assert column(open_, "verdict") == [board.rows[-1].verdict]
    assert column(tables.full(board), "subject") == ["blind@none-t0.7 (simulated)", "bent@none-t0.7"]


def test_a_complete_board_has_no_table_of_holes(connection: sqlite3.Connection) -> None:
    loaded = advised.suite()
    advised.fill(connection, loaded, {"a": Leaning()})
    made = boards.board(advice_study.read(connection, advised.scope(loaded)))
    assert tables.incomplete(made) is None
    assert not any("coverage" in line for line in tables.captions(made)[1:])


def test_the_record_has_everything_of_every_row(board: SidesBoard) -> None:
    table = tables.record(board)
    keys = [column.key for column in table.columns]
    assert {"S", "S_ci", "S_cells", "B", "merit_slope", "harmful", "asymmetry", "verdict", "pairs_sycophantic"} <= {
        *keys
    }
    assert len(keys) == len(set(keys))
    assert column(table, "config") == [row.config for row in board.rows]
    assert column(table, "pairs_missing") == [row.pairs.missing for row in board.rows]


def test_harm_says_what_it_is_measured_from(board: SidesBoard) -> None:
    table = tables.of_rows("harm", board)
    assert set(column(table, "baseline")) == {"uninvolved"}
    bent = column(table, "subject").index("bent@none-t0.7")
    assert column(table, "harmful")[bent] == pytest.approx(0.4, abs=0.05)


def test_what_was_not_measured_is_a_dash(connection: sqlite3.Connection) -> None:
    loaded = advised.suite()
    advised.fill(connection, loaded, {"a": Leaning()}, {"a": 144})
    made = boards.board(advice_study.read(connection, advised.scope(loaded)))
    table = tables.compact(made, ["a"])
    (row,) = table.rows
    texts = [display_text(column, value) for column, value in zip(table.columns, row, strict=True)]
    assert texts == ["a", "—", "—", "—", "—", "—", "—", "0%"]


@pytest.mark.parametrize(
    ("side", "words", "with_article"),
    [
        ("party_a", "party A", "party A"),
        ("landlord", "landlord", "the landlord"),
        ("night_owl", "night owl", "the night owl"),
    ],
)
def test_sides_are_named_in_words(side: str, words: str, with_article: str) -> None:
    assert (tables.spoken(side), tables.the(side)) == (words, with_article)
