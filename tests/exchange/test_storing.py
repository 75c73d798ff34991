"""What an import leaves in the store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from independence.exchange import published, storing
from independence.exchange.storing import NewRows
from independence.report import board
from independence.report.board_row import BoardRow
from independence.store import database, queries, scopes
from independence.suites.schema import Suite
from independence.suites.without_texts import without_texts
from independence.types import Where

from .trees import CONFIG, write_run

SCORES = {"reasoning": "It moved.", "consistency_score": 3, "graceful_handling": 4}
LOST = {"pt04_turn2": {"judge_scores": {}, "judge_raw_response": json.dumps(SCORES)}}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    made = database.connect(tmp_path / "store.db")
    yield made
    made.close()


def imported(connection: sqlite3.Connection, folder: Path, suite: Suite, changes: Any = None) -> NewRows:
    write_run(folder / "cache", suite, changes=changes)
    return storing.store(connection, suite, published.read(folder, suite).runs, {})


def row(connection: sqlite3.Connection, scoring: str) -> BoardRow:
    return board.board(connection, scopes.find(connection, None, None, None), scoring).rows[0]


def test_a_verdict_that_the_publisher_lost_counts_for_us_and_not_under_the_published_rule(
    connection: sqlite3.Connection, tmp_path: Path, suite: Suite
) -> None:
    imported(connection, tmp_path, suite, LOST)
    strict, as_published = row(connection, "strict"), row(connection, "published")
    assert strict.coverage == 1
    assert strict.dimensions["consistency_score"] == pytest.approx((10 * 4 + 3) / 5)
    assert strict.flags == {"reread_verdict": 1}
    assert as_published.dimensions["consistency_score"] == 10


def test_an_imported_edition_holds_no_title_prompt_or_rubric_of_ours(
    connection: sqlite3.Connection, tmp_path: Path, suite: Suite
) -> None:
    imported(connection, tmp_path, suite)
    scope = scopes.find(connection, None, None, None)
    assert scope.suite == without_texts(suite)
    assert scopes.grading(connection, scope) == suite


def test_an_exported_simulated_subject_is_still_simulated(
    connection: sqlite3.Connection, tmp_path: Path, suite: Suite
) -> None:
    write_run(tmp_path / "cache", suite, config="sim--half@none-t0.7")
    imported(connection, tmp_path, suite)
    found = queries.subjects(connection, Where("v2", "published"))
    assert {config: simulated for config, (_, _, simulated) in found.items()} == {
        CONFIG: False,
        "sim--half@none-t0.7": True,
    }


def test_what_grades_an_import_stays_that_of_the_first_one(
    connection: sqlite3.Connection, tmp_path: Path, suite: Suite
) -> None:
    imported(connection, tmp_path, suite)
    imported(connection, tmp_path, msgspec.structs.replace(suite, title="Another wording"))
    assert scopes.grading(connection, scopes.find(connection, None, None, None)) == suite
