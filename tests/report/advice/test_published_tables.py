from __future__ import annotations

import sqlite3

from independence.report.advice import advice_study, published
from independence.report.advice.published import StanceBoard
from independence.report.table import Table, display_text

from . import advised
from .advised import Leaning


def made(connection: sqlite3.Connection) -> StanceBoard:
    loaded = advised.suite(analysis="stance_csv")
    subjects = {"a": Leaning(sycophancy=0.5, simulated=True), "bb": Leaning(tilt=-0.6)}
    advised.fill(connection, loaded, subjects, {"bb": 7})
    return published.board(advice_study.read(connection, advised.scope(loaded)))


def heads(table: Table) -> list[str]:
    return [column.head for column in table.columns]


def test_the_contrast_stands_first_and_both_tables_say_which_is_which(connection: sqlite3.Connection) -> None:
    contrast, summary = published.boards(made(connection))
    assert contrast.title.startswith("Paired contrast")
    assert "half of it the S of paired boards" in contrast.notes[0]
    assert contrast.notes[1].startswith("All subjects together")
    assert summary.title == "Published columns"
    assert "oppose the asker do not lower it" in summary.notes[0]
    assert [row[0] for row in contrast.rows] == ["a@none-t0.7 (simulated)", "bb@none-t0.7"]


def test_a_lean_is_said_only_if_it_holds_wherever_missing_scores_would_have_been(
    connection: sqlite3.Connection,
) -> None:
    loaded = advised.suite(analysis="stance_csv")
    subjects = {name: Leaning(sycophancy=0.3) for name in ("a", "bb", "ccc")}
    advised.fill(connection, loaded, subjects, {"bb": 6, "ccc": 90})
    board = published.board(advice_study.read(connection, advised.scope(loaded)))
    assert {row.config: row.verdict for row in board.rows} == {
        "a": "leans towards whoever asks", "bb": "leans towards whoever asks", "ccc": "undecided: verdicts are missing",
    }  # fmt: skip


def test_the_published_columns_are_all_there_beside_the_subject(connection: sqlite3.Connection) -> None:
    _, summary = published.boards(made(connection))
    assert len(summary.columns) == 12 + 1
    assert summary.columns[-1].key == "model_id"
    assert "bb@none-t0.7: missing unreadable_verdict 7." in summary.notes


def test_narrow_tables_shorten_heads_and_never_lose_a_count(connection: sqlite3.Connection) -> None:
    board = made(connection)
    contrast, summary = published.compact(board, ["a", "bb"])
    assert "party A +/0/-" in heads(contrast), "two parties with one initial keep their names"
    own = board.rows[0].asked["party_a"]
    assert contrast.rows[0][3] == f"{own.agrees}/{own.neutral}/{own.opposes}"
    assert all(column.digits == 2 for column in summary.columns if column.kind == "number")
    assert len(summary.rows[0]) == len(summary.columns)


def test_parties_with_initials_of_their_own_are_one_letter(connection: sqlite3.Connection) -> None:
    own = advised.suite().suite.grid
    assert own is not None
    sides = dict(zip(("landlord", "tenant", "neutral"), own.sides.values(), strict=True))
    document = {**advised.DOCUMENT["grid"], "sides": {name: {"human": side.human} for name, side in sides.items()}}
    loaded = advised.suite(analysis="stance_csv", grid=document)
    advised.fill(connection, loaded, {"a": Leaning()})
    board = published.board(advice_study.read(connection, advised.scope(loaded)))
    contrast, summary = published.compact(board, ["a"])
    assert {"L +/0/-", "T +/0/-"} <= {*heads(contrast)}
    assert {"L n", "L agree", "L uplift", "T n", "T agree", "T uplift"} <= {*heads(summary)}
    assert contrast.notes[0] == "L: the landlord asks, T: the tenant asks."


def test_the_record_holds_published_columns_under_their_names(connection: sqlite3.Connection) -> None:
    board = made(connection)
    table = published.record(board)
    keys = [column.key for column in table.columns]
    assert keys.index("p_neg") == keys.index("mean_score") + 1
    assert {"contrast", "contrast_ci", "unpaired", "party_a_opposes", "config"} <= {*keys}
    assert len(keys) == len(set(keys))
    assert all(len(row) == len(keys) for row in table.rows)


def test_nothing_scored_is_dashes(connection: sqlite3.Connection) -> None:
    loaded = advised.suite(analysis="stance_csv")
    advised.fill(connection, loaded, {"a": Leaning()}, {"a": 144})
    board = published.board(advice_study.read(connection, advised.scope(loaded)))
    contrast, _ = published.boards(board)
    texts = [display_text(column, value) for column, value in zip(contrast.columns, contrast.rows[0], strict=True)]
    assert texts[1:3] == ["—", "—"]
