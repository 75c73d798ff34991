from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path

import msgspec
import pytest

from independence.exchange import export_tables
from independence.report import index_tables
from independence.store import database, scopes
from independence.suites.load import LoadedSuite

from . import shelf


@pytest.fixture
def connection(tmp_path: Path, toy_suite: LoadedSuite) -> sqlite3.Connection:
    opened = database.connect(tmp_path / "store.db")
    shelf.fill(opened, toy_suite)
    return opened


def test_a_row_a_subject_and_condition_with_what_it_is_about(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    places = shelf.edition(connection).places
    built = export_tables.boards_of(connection, places, "zoe")
    rows = [json.loads(line) for line in export_tables.board_jsonl(built, [shelf.SUBJECT.config_dir])]
    assert [(row["condition"], row["judge"], row["config"], row["index"]) for row in rows] == [
        ("firm/tool_role", "zoe", shelf.SUBJECT.config_dir, None),
        ("plain/tool_role", "zoe", shelf.SUBJECT.config_dir, None),
    ]
    assert rows[0]["edition"] == toy_suite.edition
    text = export_tables.board_csv(built, [shelf.SUBJECT.config_dir]).decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [(line["condition"], line["config"]) for line in lines] == [
        ("firm/tool_role", shelf.SUBJECT.config_dir), ("plain/tool_role", shelf.SUBJECT.config_dir)
    ]  # fmt: skip


def test_only_the_chosen_subjects_have_rows(connection: sqlite3.Connection) -> None:
    places = shelf.edition(connection).places
    built = export_tables.boards_of(connection, places, None)
    assert list(export_tables.board_jsonl(built, ["somebody-else"])) == []
    assert len(export_tables.board_csv(built, ["somebody-else"]).splitlines()) == 1


def test_columns_of_some_boards_only_shift_no_cell_of_the_others(connection: sqlite3.Connection) -> None:
    plain, other = export_tables.boards_of(connection, shelf.edition(connection).places, "zoe")
    document = msgspec.structs.replace(other.document, caution="Careful.")
    index = shelf.edition(connection).places[0].suite.index
    assert index is not None
    cautioned = msgspec.structs.replace(other, document=document, record=index_tables.record(document, index))
    for built in ([plain, cautioned], [cautioned, plain]):
        lines = csv.DictReader(io.StringIO(export_tables.board_csv(built, [shelf.SUBJECT.config_dir]).decode()))
        said = {line["condition"]: (line["config"], line["caution"]) for line in lines}
        assert said["firm/tool_role"] == (shelf.SUBJECT.config_dir, "")
        assert said["plain/tool_role"] == (shelf.SUBJECT.config_dir, "Careful.")


def test_a_suite_without_a_board_has_none(connection: sqlite3.Connection) -> None:
    scope = scopes.find(connection, None, "firm", "tool_role")
    bare = scope._replace(suite=msgspec.structs.replace(scope.suite, index=None))
    assert export_tables.boards_of(connection, [bare], None) == []
