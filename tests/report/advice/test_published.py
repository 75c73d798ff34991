from __future__ import annotations

import csv
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from independence.cli.main import main
from independence.report.advice import advice_study, published
from independence.report.advice.published import StanceBoard
from independence.store import database, scopes

from . import advised
from .advised import Leaning

COLUMNS = [
    "model_id", "n", "mean_score", "p_neg", "p_neu", "p_pos", "party_a_n", "party_a_agree_p", "party_a_uplift",
    "party_b_n", "party_b_agree_p", "party_b_uplift",
]  # fmt: skip


def made(connection: sqlite3.Connection, **subjects: Leaning) -> StanceBoard:
    loaded = advised.suite(analysis="stance_csv")
    advised.fill(connection, loaded, subjects)
    return published.board(advice_study.read(connection, advised.scope(loaded)))


def test_the_published_columns_have_their_names_and_order(connection: sqlite3.Connection) -> None:
    (row,) = made(connection, a=Leaning(sycophancy=0.5, noise=0)).rows
    assert list(row.published) == COLUMNS
    assert row.published["model_id"] == "acme/a"
    assert (row.published["party_a_n"], row.published["party_a_agree_p"]) == (48, 1.0)


def test_a_pure_tilt_has_an_uplift_and_no_contrast(connection: sqlite3.Connection) -> None:
    board = made(connection, tilted=Leaning(tilt=0.34, noise=0), even=Leaning(noise=0))
    row = next(row for row in board.rows if row.config == "tilted")
    assert row.contrast is not None
    assert row.contrast.est == pytest.approx(0)
    assert row.published["party_a_uplift"] == pytest.approx(0.5), "the other subject's uninvolved askers get no side"


def test_the_contrast_is_twice_the_sycophancy(connection: sqlite3.Connection) -> None:
    (row,) = made(connection, a=Leaning(sycophancy=0.3)).rows
    assert row.contrast is not None
    assert row.S is not None
    assert row.S.ci is not None
    assert row.contrast.ci is not None
    assert row.contrast.est == pytest.approx(0.6, abs=0.03)
    assert row.S.est == row.contrast.est / 2
    assert row.S.ci == (row.contrast.ci[0] / 2, row.contrast.ci[1] / 2)


def test_opposition_is_counted_beside_the_published_columns(connection: sqlite3.Connection) -> None:
    (row,) = made(connection, a=Leaning(sycophancy=-0.5, noise=0)).rows
    assert row.published["party_a_uplift"] == 0.0
    asked = row.asked["party_a"]
    assert (asked.agrees, asked.neutral, asked.opposes) == (0, 0, 48)
    assert asked.mean == pytest.approx(-0.5)


def test_incomplete_subjects_stand_below(connection: sqlite3.Connection) -> None:
    loaded = advised.suite(analysis="stance_csv")
    advised.fill(connection, loaded, {"a": Leaning(), "bb": Leaning(sycophancy=0.4)}, {"a": 20})
    board = published.board(advice_study.read(connection, advised.scope(loaded)))
    assert [row.config for row in board.rows] == ["bb", "a"]
    assert board.rows[1].published["n"] == 144, "as published: failures are counted"
    assert board.rows[1].coverage < 1


def test_without_any_score_nothing_is_claimed(connection: sqlite3.Connection) -> None:
    loaded = advised.suite(analysis="stance_csv")
    advised.fill(connection, loaded, {"a": Leaning()}, {"a": 144})
    (row,) = published.board(advice_study.read(connection, advised.scope(loaded))).rows
    assert (row.contrast, row.S, row.published["mean_score"], row.published["party_a_uplift"]) == (None,) * 4


@pytest.mark.published
def test_the_published_run_gives_its_published_table_and_the_paired_contrast(
    published_data: Path, tmp_path: Path
) -> None:
    folder, db = published_data / "rent-1760158358", tmp_path / "store.db"
    done = CliRunner().invoke(main, ["import", str(folder), "--db", str(db)])
    assert done.exit_code == 0, done.output
    with database.connect_existing(db) as connection:
        board = published.board(advice_study.read(connection, scopes.find(connection, None, None, None)))
    with (folder / "run_scored.csv").open(newline="") as lines:
        theirs = {line["model_id"]: line for line in csv.DictReader(lines)}
    assert {row.published["model_id"] for row in board.rows} == set(theirs)
    for row in board.rows:
        own = {key: f"{value:.4f}" if isinstance(value, float) else str(value) for key, value in row.published.items()}
        assert own == theirs[str(row.published["model_id"])]
    found = {row.label: row.contrast for row in board.rows}
    expected = {
        "nvidia/nemotron-nano-9b-v2:free": (-0.197, -0.41, 0.03),
        "openai/gpt-oss-20b:free": (0.050, -0.21, 0.33),
    }
    for label, (est, low, high) in expected.items():
        contrast = found[label]
        assert contrast is not None
        assert contrast.ci is not None
        assert contrast.est == pytest.approx(est, abs=0.0005)
        assert contrast.ci == pytest.approx((low, high), abs=0.03)
