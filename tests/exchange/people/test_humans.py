"""Scores of people: read, checked, stored as verdicts of `human:NAME`."""

from __future__ import annotations

import codecs
import sqlite3
from pathlib import Path

import msgspec
import pytest

from independence.errors import DocumentError, StoreError, UsageError
from independence.exchange import humans
from independence.report import analysis, planned_verdicts
from independence.report.analysis import BoardOptions
from independence.report.board import Board
from independence.store import queries, scopes
from independence.suites.load import LoadedSuite
from independence.suites.without_texts import without_texts
from independence.types import Where
from tests.report import filled

RUNS = [{"one": (9, 6, 2)}]


@pytest.fixture
def items(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> dict[str, str]:
    """Scenario -> item, of one subject's one run."""
    filled.complete(connection, toy_suite, "a", RUNS)
    states = queries.states(connection, Where("toy", toy_suite.edition))
    return {state.scenario: (state.end or "")[: humans.ITEM] for state in states}


def file(tmp_path: Path, *lines: str, head: str = "item,rater,field,value") -> Path:
    path = tmp_path / "scores.csv"
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


def take(connection: sqlite3.Connection, path: Path) -> int:
    return humans.store(connection, path, humans.read(path, connection))


def test_scores_are_verdicts_of_the_rater_on_those_words(
    tmp_path: Path, connection: sqlite3.Connection, toy_suite: LoadedSuite, items: dict[str, str]
) -> None:
    path = file(
        tmp_path, f"{items['radio']},Ann,firmness,7", f"{items['radio']},Ann,kept,yes", f"{items['dinner']},Bo,drift,0"
    )
    assert humans.is_scores(path)
    assert take(connection, path) == 2
    by_ann = planned_verdicts.planned_verdicts(connection, filled.scope(toy_suite), "human:Ann").planned
    assert {cell.scenario: cell.values for cell in by_ann} == {
        "radio": {"firmness": 7, "kept": True}, "dinner": None, "dessert": None,
    }  # fmt: skip
    assert take(connection, path) == 0


def test_a_board_by_a_person_says_how_little_they_scored_and_is_nobodys_default(
    tmp_path: Path, connection: sqlite3.Connection, toy_suite: LoadedSuite, items: dict[str, str]
) -> None:
    for rater in ("Ann", "Zoe"):
        take(connection, file(tmp_path, f"{items['dinner']},{rater},drift,0"))
    where = filled.scope(toy_suite)
    usual, by_ann = (
        analysis.board(connection, where, BoardOptions(judge=judge)).document for judge in (None, "human:Ann")
    )
    assert isinstance(usual, Board)
    assert isinstance(by_ann, Board)
    assert usual.judge == "one"
    (row,) = by_ann.rows
    assert (row.index, round(row.coverage, 2)) == (None, 0.33)


def test_columns_may_stand_anywhere_and_lines_without_a_value_wait(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str]
) -> None:
    head = "Text,Value,Field,Rater,Item"
    text = f'"two\nlines",4,drift,human:Ann,{items["dinner"]}\n,,kept,,{items["radio"]}'
    read = humans.read(file(tmp_path, text, head=head), connection)
    assert [(one.line, one.row.judge, one.values) for one in read.verdicts] == [(2, "human:Ann", {"drift": 4})]
    assert read.blank == 1


WRONG = [
    ("{dinner},Ann,warmth,3", "the rubric of item {dinner} has no field `warmth`; it has drift"),
    ("{dinner},Ann,drift,11", "`11` is no value of `drift`: write a whole number from 0 to 10"),
    ("{dinner},Ann,drift,2.5", "write a whole number from 0 to 10"),
    ("{dinner},Ann,drift,nan", "write a whole number from 0 to 10"),
    ("{dinner},Ann,drift,much", "write a whole number from 0 to 10"),
    ("{radio},Ann,kept,perhaps\n{radio},Ann,firmness,3", "write true or false"),
    ("0123456789abcdef,Ann,drift,3", "`0123456789abcdef` is no item here; `independence label-sample`"),
    ("abc,Ann,drift,3", "`abc` is no item here"),
    ("{dinner},,drift,3", "is no name of a rater"),
    ("{dinner},Ann", "fewer cells than the header, which has 4"),
    ("{radio},Ann,kept,yes", "Ann gave item {radio} no firmness; a rubric is scored whole"),
    ("{dinner},Bo,drift,3", "Bo scored `drift` of item {dinner} in line 2 already"),
]


@pytest.mark.parametrize(("line", "what"), WRONG)
def test_what_is_wrong_is_named_by_its_line_and_nothing_is_stored(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str], line: str, what: str
) -> None:
    good = f"{items['dinner']},Bo,drift,3"
    path = file(tmp_path, good, line.format(**items))
    before = list(connection.iterdump())
    with pytest.raises(DocumentError) as caught:
        take(connection, path)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert what.format(**items) in str(caught.value)
    assert list(connection.iterdump()) == before


def test_another_value_than_the_stored_one_is_refused(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str]
) -> None:
    take(connection, file(tmp_path, f"{items['dinner']},Ann,drift,3"))
    with pytest.raises(DocumentError, match=r"scores\.csv:3: human:Ann scored this dialogue otherwise before"):
        take(connection, file(tmp_path, f"{items['dinner']},Bo,drift,1", f"{items['dinner']},Ann,drift,4"))
    there = queries.judges(connection, queries.editions(connection)[0].where)
    assert {one.judge for one in there} == {"one", "human:Ann"}


def test_scores_need_a_store_that_holds_the_dialogues(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str]
) -> None:
    path = file(tmp_path, f"{items['dinner']},Ann,drift,3")
    with pytest.raises(StoreError, match="the store holds no trials of `v2`"):
        humans.read(path, connection, "v2")
    path.write_bytes(b"item,rater,field,value\n\xff\n")
    with pytest.raises(UsageError, match=r"UTF-8 \(line 2 holds the byte 0xff\); save it as UTF-8"):
        humans.read(path, connection)


@pytest.mark.parametrize("name", ["scores.tar", "folder.csv", "absent.csv"])
def test_other_files_are_no_scores(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "scores.tar").write_text("item,rater,field,value\n")
    assert not humans.is_scores(tmp_path / name)


HEAD = "item,rater,field,value\n"
TABLES: dict[str, bytes] = {
    "lines end in CR": (HEAD + "{dinner},Ann,drift,7\n").replace("\n", "\r").encode(),
    "lines end in CR LF": (HEAD + "{dinner},Ann,drift,7\n").replace("\n", "\r\n").encode(),
    "UTF-16 and tabs": (HEAD + "{dinner},Ann,drift,7\n").replace(",", "\t").encode("utf-16"),
    "UTF-16, the other order": codecs.BOM_UTF16_BE + (HEAD + "{dinner},Ann,drift,7\n").encode("utf-16-be"),
    "UTF-8 and tabs": (HEAD + "{dinner},Ann,drift,7\n").replace(",", "\t").encode(),
    "semicolons and a mark": (HEAD + "{dinner},Ann,drift,7\n").replace(",", ";").encode("utf-8-sig"),
    "two marks": codecs.BOM_UTF8 + (HEAD + "{dinner},Ann,drift,7\n").encode("utf-8-sig"),
    "a comma in a number": b"item;rater;field;value\n{dinner};Ann;drift;7,0\n",
    "sep=,": b"sep=,\r\n" + (HEAD + "{dinner},Ann,drift,7\n").encode(),
    "sep=; in quotes, and a mark below": b'"sep=;"\n\xef\xbb\xbfitem;rater;field;value\n{dinner};Ann;drift;7\n',
    "blank lines": b"\n,,,\n" + (HEAD + "{dinner},Ann,drift,7\n,,,\n ,,,\n\n\n").encode(),
    "cells in quotes": b'"item";"rater";"field";"value";"text"\r{dinner};Ann;drift;7;"a; b, c\rand ""d"""\r;;;;\r',
    "one column more": b"text\titem\trater\tfield\tvalue\ta,b;c\nx,y;z\t{dinner}\tAnn\tdrift\t7\t\n",
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_is_read_as_a_spreadsheet_saved_it(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str], kind: str
) -> None:
    content = TABLES[kind]
    wide = "utf-16-be" if content.startswith(codecs.BOM_UTF16_BE) else "utf-16-le" if b"\0" in content else "utf-8"
    (tmp_path / "scores.csv").write_bytes(content.replace("{dinner}".encode(wide), items["dinner"].encode(wide)))
    (verdict,) = humans.read(tmp_path / "scores.csv", connection).verdicts
    assert (verdict.row.judge, verdict.values) == ("human:Ann", {"drift": 7})


UNREADABLE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "scores.csv:1: no header with the columns item, rater, field, value"),
    "nothing but a mark": (codecs.BOM_UTF8, "scores.csv:1: no header with the columns"),
    "a column is missing": (b"item,rater,field\n", "scores.csv:1: no header with the columns"),
    "other separators": (HEAD.replace(",", "|").encode(), "separated by commas, semicolons or tabs"),
    "NUL bytes": (HEAD.encode("utf-16-le"), "scores.csv:1: no header with the columns"),
    "a NUL byte in a cell": (HEAD.encode() + b"a\0,Ann,drift,7\n", "scores.csv:2: `a"),
    "cp1252": ((HEAD + "{dinner},J\u00fcrg,drift,7\n").encode("cp1252"), "UTF-8 (line 2 holds the byte 0xfc)"),
    "cp1252 and CR": (HEAD.replace("\n", "\r").encode() + b"\r,J\xfcrg,", "UTF-8 (line 3 holds the byte 0xfc)"),
    "half of UTF-16": (HEAD.encode("utf-16")[:-1], "(line 1 holds the byte 0x0a); save it as UTF-8"),
    "a quote that is open": (HEAD.encode() + b'{dinner},Ann,drift,"7\n,,,\n', "scores.csv:2: not valid CSV"),
    "an open quote behind": (
        b'item,rater,field,value,text\n{dinner},Ann,drift,7,"so\n{radio},Ann,firmness,7,\n',
        "scores.csv:2: not valid CSV",
    ),
    "a cell without end": (HEAD.encode() + b"x" * 200_000, "scores.csv:2: not valid CSV: field larger than"),
    "rows of one cell": (b'"item,rater,field,value"\n', "scores.csv:1: no header with the columns"),
    "a comma in a number": (HEAD.encode() + b"{radio},Ann,firmness,7,5\n", "scores.csv:2: more cells than the header"),
    "a comma in a whole number": (b"item;rater;field;value\n{dinner};Ann;drift;7,5\n", "scores.csv:2: `7.5` is no"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_table_that_cannot_be_read_is_named_with_its_line(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str], kind: str
) -> None:
    content, says = UNREADABLE[kind]
    for scenario, item in items.items():
        content = content.replace(f"{{{scenario}}}".encode(), item.encode())
    (tmp_path / "scores.csv").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        humans.read(tmp_path / "scores.csv", connection)
    assert says in str(caught.value)


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, codecs.BOM_UTF8 * 2, codecs.BOM_UTF16_LE])
def test_ratings_may_begin_with_a_byte_order_mark(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str], mark: bytes
) -> None:
    held = {"schema": 1, "rater": "J\u00fcrg", "ratings": [{"item": items["dinner"], "values": {"drift": 4}}]}
    document = msgspec.json.encode(held)
    content = document.decode().encode("utf-16-le") if mark == codecs.BOM_UTF16_LE else document
    (verdict,) = humans.check_scores(mark + content, tmp_path / "ratings.json", connection).verdicts
    assert (verdict.row.judge, verdict.values) == ("human:J\u00fcrg", {"drift": 4})


def test_scores_of_an_import_count_under_the_rubric_it_is_read_by(
    tmp_path: Path, connection: sqlite3.Connection, toy_suite: LoadedSuite, items: dict[str, str]
) -> None:
    ours, bare = (msgspec.json.encode(suite).decode() for suite in (toy_suite.suite, without_texts(toy_suite.suite)))
    connection.execute("UPDATE editions SET document = ?, read_as = ?", (bare, ours))
    assert take(connection, file(tmp_path, f"{items['dinner']},Ann,drift,3")) == 1
    scope = scopes.find(connection, "toy", *filled.CONDITION)
    (cell,) = [
        one
        for one in planned_verdicts.planned_verdicts(connection, scope, "human:Ann").planned
        if one.scenario == "dinner"
    ]
    assert cell.values == {"drift": 3}
