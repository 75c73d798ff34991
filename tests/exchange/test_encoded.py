from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.exchange import ascii_json, export_tables
from independence.exchange.export_tables import ExportTable, tables
from independence.store import database
from independence.suites.load import LoadedSuite

from . import shelf


def sheet(**row: object) -> ExportTable:
    return ExportTable("one", tuple(row), lambda: iter([row]), {"factors": ("a", "b")} if "factors" in row else {})


def cells(one: ExportTable) -> list[list[str]]:
    text = b"".join(export_tables.to_csv(one)).decode()
    return list(csv.reader(io.StringIO(text, newline="")))


TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\r\n\u2028\x00=\"',"))


@given(TEXT)
def test_any_text_comes_back_from_a_line_of_json(text: str) -> None:
    (line,) = export_tables.jsonl(sheet(answer=text, n=1))
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"answer": text, "n": 1}


@given(TEXT)
def test_any_text_is_one_cell_and_no_formula(text: str) -> None:
    head, row = cells(sheet(answer=text, n=1))
    assert head == ["answer", "n"]
    assert len(row) == 2
    assert not row[0].lstrip().startswith(("=", "+", "-", "@"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, ""), (True, "true"), (False, "false"), (-0.5, "-0.5"), ([1, "a"], '[1, "a"]'), (0, "0")],
)
def test_plain_values_in_csv(value: object, expected: str) -> None:
    assert cells(sheet(value=value, n=1))[1] == [expected, "1"]


def test_objects_with_known_keys_have_a_column_a_key() -> None:
    assert cells(sheet(factors={"b": "x"}, other={"b": "x"})) == [
        ["factors.a", "factors.b", "other"], ["", "x", '{"b": "x"}']
    ]  # fmt: skip


def test_an_empty_table_has_its_header_in_csv_and_no_line_in_json() -> None:
    empty = ExportTable("none", ("a", "b"), lambda: iter(()))
    assert list(export_tables.to_csv(empty)) == [b"a,b\n"]
    assert list(export_tables.jsonl(empty)) == []


def test_the_two_formats_hold_the_same_rows(tmp_path: Path, toy_suite: LoadedSuite) -> None:
    connection: sqlite3.Connection = database.connect(tmp_path / "store.db")
    shelf.fill(connection, toy_suite)
    for one in tables(shelf.edition(connection)):
        head, *rows = cells(one)
        objects = [json.loads(line) for line in export_tables.jsonl(one)]
        assert len(rows) == len(objects)
        assert all(len(row) == len(head) for row in rows)
        for row, found in zip(rows, objects, strict=True):
            assert row[head.index("config")] == found["config"]
            if "answer" in found and found["answer"] and not found["answer"].startswith("="):
                assert row[head.index("answer")] == found["answer"]


VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT | st.sampled_from(["\x7f", "é", "\u2028", "\U0001f600"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(VALUE)
def test_values_are_spelled_as_the_standard_library_spells_them(value: object) -> None:
    expected = json.dumps(value).encode()
    assert ascii_json.encode(value) == expected
    assert ascii_json.respelled(msgspec.json.encode(value)) == expected
    (line,) = export_tables.jsonl(sheet(one=value, json=msgspec.Raw(expected)))
    assert line == json.dumps({"one": value, "json": value}).encode() + b"\n"
