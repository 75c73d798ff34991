"""Dialogues for people to score, drawn balanced and blind; and their scores: read, checked, stored as `human:NAME`."""

from __future__ import annotations

import codecs
import csv
import io
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from independence.errors import DocumentError, StoreError, UsageError
from independence.exchange import humans, labels
from independence.exchange.humans import HumanScores
from independence.exchange.labels import LabelCandidate
from independence.extensions.published.rent import reader, records, storing
from independence.report.board import verdict_frame
from independence.store import queries, scopes
from independence.suites.load import LoadedSuite, load
from independence.suites.without_texts import without_texts
from independence.types import Verdict, Where
from tests.extensions.published.rent import folders
from tests.report import filled

HEAD = "item,rater,field,value\n"


@pytest.fixture
def items(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> dict[str, str]:
    """Scenario -> item, of one subject's one run."""
    filled.complete(connection, toy_suite, "a", [{"one": (9, 6, 2)}])
    states = queries.states(connection, Where("toy", toy_suite.edition))
    return {state.scenario: (state.end or "")[: humans.ITEM] for state in states}


def file(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(connection: sqlite3.Connection, path: Path, suite: str | None = None) -> HumanScores:
    return humans.check(humans.read(path.read_bytes(), path), connection, suite)


def take(connection: sqlite3.Connection, path: Path) -> int:
    return humans.store(connection, path, read(connection, path))


def values(connection: sqlite3.Connection, scope: Any, judge: str) -> dict[str, Any]:
    planned = verdict_frame.read(connection, scope, judge).every
    return {cell.scenario: cell.values for cell in planned}


def test_scores_are_verdicts_of_the_rater_on_those_words(
    tmp_path: Path, connection: sqlite3.Connection, toy_suite: LoadedSuite, items: dict[str, str]
) -> None:
    radio, dinner = items["radio"], items["dinner"]
    path = file(tmp_path, f"{radio},Ann,firmness,7", f"{radio},Ann,kept,yes", f"{dinner},Bo,drift,0")
    assert humans.is_scores(path)
    assert take(connection, path) == 2
    where = filled.scope(toy_suite)
    assert values(connection, where, "human:Ann") == {
        "radio": {"firmness": 7, "kept": True}, "dinner": None, "dessert": None,
    }  # fmt: skip
    assert take(connection, path) == 0
    with pytest.raises(DocumentError, match=r"scores\.csv:3: human:Bo scored this dialogue otherwise before"):
        take(connection, file(tmp_path, f"{dinner},Cy,drift,1", f"{dinner},Bo,drift,4"))
    there = queries.judges(connection, queries.editions(connection)[0].where)
    assert {one.judge for one in there} == {"one", "human:Ann", "human:Bo"}


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
    ("{dinner}," + "x" * 65 + ",drift,3", "is no name of a rater"),
    ("{dinner},Ann", "fewer cells than the header, which has 4"),
    ("{radio},Ann,kept,yes", "Ann gave item {radio} no firmness; a rubric is scored whole"),
    ("{dinner},Bo,drift,3", "Bo scored `drift` of item {dinner} in line 2 already"),
]


def test_what_is_wrong_is_named_by_its_line_and_nothing_is_stored(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str]
) -> None:
    before = list(connection.iterdump())
    for line, what in WRONG:
        path = file(tmp_path, f"{items['dinner']},Bo,drift,3", line.format(**items))
        with pytest.raises(DocumentError) as refusal:
            take(connection, path)
        assert str(refusal.value).startswith(f"{path}:3: ")
        assert what.format(**items) in str(refusal.value)
    assert list(connection.iterdump()) == before
    with pytest.raises(StoreError, match="the store holds no trials of `v2`"):
        read(connection, file(tmp_path, f"{items['dinner']},Ann,drift,3"), "v2")


def test_other_files_are_no_scores(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "scores.tar").write_text(HEAD)
    assert [
        name
        for name in (
            "scores.tar",
            "folder.csv",
        )
        if humans.is_scores(tmp_path / name)
    ] == []


LINE = "{dinner},Ann,drift,7\n"
TABLES: dict[str, bytes] = {
    "lines end in CR": (HEAD + LINE).replace("\n", "\r").encode(),
    "lines end in CR LF": (HEAD + LINE).replace("\n", "\r\n").encode(),
    "UTF-16 and tabs": (HEAD + LINE).replace(",", "\t").encode("utf-16"),
    "UTF-16, the other order": codecs.BOM_UTF16_BE + (HEAD + LINE).encode("utf-16-be"),
    "UTF-8 and tabs": (HEAD + LINE).replace(",", "\t").encode(),
    "semicolons and a mark": (HEAD + LINE).replace(",", ";").encode("utf-8-sig"),
    "two marks": codecs.BOM_UTF8 + (HEAD + LINE).encode("utf-8-sig"),
    "a comma in a number": b"item;rater;field;value\n{dinner};Ann;drift;7,0\n",
    "sep=,": b"sep=,\r\n" + (HEAD + LINE).encode(),
    "sep=; in quotes, and a mark below": b'"sep=;"\n\xef\xbb\xbfitem;rater;field;value\n{dinner};Ann;drift;7\n',
    "blank lines": b"\n,,,\n" + (HEAD + LINE + ",,,\n ,,,\n\n\n").encode(),
    "cells in quotes": b'"item";"rater";"field";"value";"text"\r{dinner};Ann;drift;7;"a; b, c\rand ""d"""\r;;;;\r',
    "one column more": b"text\titem\trater\tfield\tvalue\ta,b;c\nx,y;z\t{dinner}\tAnn\tdrift\t7\t\n",
    "columns anywhere": b'Text,Value,Field,Rater,Item\n"two\nlines",7,drift,human:Ann,{dinner}\n',
}


def test_a_table_is_read_as_a_spreadsheet_saved_it(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str]
) -> None:
    path, found = tmp_path / "scores.csv", {}
    for kind, content in TABLES.items():
        wide = "utf-16-be" if content.startswith(codecs.BOM_UTF16_BE) else "utf-16-le" if b"\0" in content else "utf-8"
        path.write_bytes(content.replace("{dinner}".encode(wide), items["dinner"].encode(wide)))
        found[kind] = [(row.judge, row.grade) for _, row in read(connection, path).verdicts]
    assert found == {kind: [("human:Ann", Verdict({"drift": 7}))] for kind in TABLES}
    path.write_text(f"{HEAD}{items['radio']},,kept,\n")  # a line without a value waits
    assert (read(connection, path).verdicts, read(connection, path).blank) == ((), {"": 1})


NO_HEADER = "scores.csv:1: the columns item, rater, field, value were not found"
UNREADABLE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", NO_HEADER),
    "nothing but a mark": (codecs.BOM_UTF8, NO_HEADER),
    "a column is missing": (b"item,rater,field\n", NO_HEADER),
    "other separators": (HEAD.replace(",", "|").encode(), "commas, semicolons or tabs"),
    "a NUL byte in a cell": (HEAD.encode() + b"a\0,Ann,drift,7\n", "scores.csv:2: a NUL byte"),
    "cp1252": (
        (HEAD + "{dinner},J\u00fcrg,drift,7\n").encode("cp1252"),
        "scores.csv:2: cannot be read as UTF-8 (byte 0xfc)",
    ),
    "cp1252 and CR": (
        HEAD.replace("\n", "\r").encode() + b"\r,J\xfcrg,",
        "scores.csv:3: cannot be read as UTF-8 (byte 0xfc)",
    ),
    "half of UTF-16": (
        HEAD.encode("utf-16")[:-1],
        "scores.csv:1: cannot be read as UTF-16 (byte 0x0a); save it as UTF-8",
    ),
    "a quote that is open": (HEAD.encode() + b'{dinner},Ann,drift,"7\n,,,\n', "scores.csv:2: not valid CSV"),
    "an open quote behind": (
        b'item,rater,field,value,text\n{dinner},Ann,drift,7,"so\n{radio},Ann,firmness,7,\n',
        "scores.csv:2: not valid CSV",
    ),
    "a cell without end": (HEAD.encode() + b"x" * 200_000, "scores.csv:2: not valid CSV: field larger than"),
    "rows of one cell": (b'"item,rater,field,value"\n', NO_HEADER),
    "a comma in a number": (HEAD.encode() + b"{radio},Ann,firmness,7,5\n", "scores.csv:2: more cells than the header"),
    "a comma in a whole number": (b"item;rater;field;value\n{dinner};Ann;drift;7,5\n", "scores.csv:2: `7.5` is no"),
}


def test_a_table_that_cannot_be_read_is_named_with_its_line(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str]
) -> None:
    wrong = {}
    for kind, (content, says) in UNREADABLE.items():
        for scenario, item in items.items():
            content = content.replace(f"{{{scenario}}}".encode(), item.encode())  # noqa: PLW2901
        with pytest.raises(UsageError) as refusal:
            humans.check(humans.read(content, tmp_path / "scores.csv"), connection)
        if says not in str(refusal.value):
            wrong[kind] = str(refusal.value)
    assert wrong == {}


def test_ratings_may_begin_with_a_byte_order_mark(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str]
) -> None:
    held = {"schema": 1, "rater": "J\u00fcrg", "ratings": [{"item": items["dinner"], "values": {"drift": 4}}]}
    document = msgspec.json.encode(held)
    for content in (
        codecs.BOM_UTF8 + document,
        codecs.BOM_UTF8 * 2 + document,
        codecs.BOM_UTF16_LE + document.decode().encode("utf-16-le"),
    ):
        ((_, verdict),) = humans.check(humans.read(content, tmp_path / "ratings.json"), connection).verdicts
        assert (verdict.judge, verdict.grade) == ("human:J\u00fcrg", Verdict({"drift": 4}))


def test_scores_of_an_import_count_under_the_rubric_it_is_read_by(
    tmp_path: Path, connection: sqlite3.Connection, toy_suite: LoadedSuite, items: dict[str, str]
) -> None:
    ours, bare = (msgspec.json.encode(suite).decode() for suite in (toy_suite.suite, without_texts(toy_suite.suite)))
    connection.execute("UPDATE editions SET document = ?, read_as = ?", (bare, ours))
    assert take(connection, file(tmp_path, f"{items['dinner']},Ann,drift,3")) == 1
    scope = scopes.find(connection, "toy", *filled.CONDITION)
    assert values(connection, scope, "human:Ann")["dinner"] == {"drift": 3}


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def test_the_sample_is_balanced_over_factors_sides_subjects_and_stance_and_blind(
    tmp_path: Path, connection: sqlite3.Connection
) -> None:
    """Of two models and 24 cases of three sides each; scores lean to the tenant, in each level of each factor alike."""
    loaded = load("rent")
    said = [
        folders.answer(loaded.suite, f"{at:03d}", model, messages=[{"role": "user", "content": f"Prompt {at:03d}?"}])
        for model in ("acme/a", "acme/b")
        for at in range(72)
    ]
    judged = [folders.judged(one, 1.0 if at % 6 == at // 6 % 6 else -1.0) for at, one in enumerate(said)]
    top = records.find(folders.write(tmp_path / "run", answers=said, judged=judged))
    assert top is not None
    storing.store_folder(connection, reader.read(top, loaded))
    scope = scopes.find(connection, "rent", None, None)
    found = labels.candidates(connection, scope, None, ())
    assert len(found) == len(labels.sample(found, 1000, 0)) == 144
    counted = labels.counts(labels.sample(found, 24, 1))
    assert set(counted) == {
        "amount", "justification", "landlord_quality", "tenant_quality", "side", "subject", "stance",
    }  # fmt: skip
    assert [levels for levels in counted.values() if max(levels.values()) - min(levels.values()) > 2] == []
    population = Counter(level for one in found for name, level in one.levels if name == "stance")
    assert population["neg"] == 5 * population["pos"]
    assert counted["stance"]["pos"] >= 11  # a draw without strata would have 4
    drawn = [[one.item for one in labels.sample(own, 12, seed)] for own, seed in
             ((found, 1), (found[::-1], 1), (found, 2))]  # fmt: skip
    assert drawn[0] == drawn[1]
    assert set(drawn[0]) != set(drawn[2])
    content = labels.to_csv(scope.suite, found[:5])
    read = rows(content)
    assert list(read[0])[:4] == ["item", "rater", "field", "value"]
    assert {(row["rater"], row["field"], row["value"], row["scale"]) for row in read} == {("", "stance", "", "-1 to 1")}
    assert "PERSON: Prompt 000?" in read[0]["text"]
    assert "{{" not in read[0]["asks"]
    assert "off-t0.2" not in content.decode()


def test_what_has_more_levels_is_repeated_later() -> None:
    """Of two that repeat a level each, the one is drawn that repeats the level with fewer others beside it."""
    places = [("a1", "b1"), ("a1", "b2"), ("a1", "b3"), ("a1", "b4"), ("a2", "b1")]
    found: list[Any] = [
        LabelCandidate(f"{a}{b}", None, None, (("a", a), ("b", b)))  # type: ignore[arg-type]
        for a, b in places
    ]
    for seed in range(100):
        first, second = labels.sample(found, 2, seed)
        assert first.levels[1] != second.levels[1], seed


def test_a_filled_sample_comes_back_as_scores_of_every_field(
    tmp_path: Path, connection: sqlite3.Connection, toy_suite: LoadedSuite, items: dict[str, str]
) -> None:
    where = filled.scope(toy_suite)
    read = rows(labels.to_csv(where.suite, labels.sample(labels.candidates(connection, where, None, ()), 3, 0)))
    assert sorted(row["field"] for row in read) == ["drift", "firmness", "firmness", "kept", "kept"]
    assert "lentil soup" in next(row["text"] for row in read if row["field"] == "drift")
    lines = [f"{row['item']},Ann,{row['field']},{'true' if row['scale'] == 'true or false' else 5}" for row in read]
    assert take(connection, file(tmp_path, *lines)) == 3


def test_each_dialogue_is_for_three_people_in_turn(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, items: Any
) -> None:
    suite, found = toy_suite.suite, labels.candidates(connection, filled.scope(toy_suite), None, ())
    in_tables = {f"i{item}" for item in items.values()}  # a spreadsheet would make numbers of some
    asked = {name: rows(labels.to_csv(suite, found, name)) for name in (("Ann", "Bo"), ("Ann", "Bo", "Cy", "Di"))}
    for rater in ("Ann", "Bo"):
        assert {row["item"] for row in asked["Ann", "Bo"] if row["rater"] == rater} == in_tables
    by_item = {(row["item"], row["rater"]) for row in asked["Ann", "Bo", "Cy", "Di"]}
    assert Counter(item for item, _ in by_item) == dict.fromkeys(in_tables, 3)
    assert sorted(Counter(rater for _, rater in by_item).values()) == [2, 2, 2, 3]


def test_an_item_that_a_spreadsheet_made_a_number_of_is_told(
    tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str]
) -> None:
    for changed in ("4.7672e+18", "2,57E+34", "7560780674017442"):
        with pytest.raises(UsageError, match="a spreadsheet seems to have made a number of it") as caught:
            take(connection, file(tmp_path, f'"{changed}",Ann,drift,3'))
        assert f"`{changed.lower()}` is no item here" in str(caught.value)
    assert take(connection, file(tmp_path, f"i{items['dinner']},Ann,drift,3")) == 1
    assert take(connection, file(tmp_path, f"{items['dinner']},Bo,drift,3")) == 1  # of a sample of before


def test_who_has_how_much_left_is_said(tmp_path: Path, connection: sqlite3.Connection, items: dict[str, str]) -> None:
    path = file(tmp_path, f"{items['dinner']},Ann,drift,3", f"{items['radio']},Ann,kept,", f"{items['radio']},Bo,kept,")
    assert read(connection, path).blank == {"human:Ann": 1, "human:Bo": 1}


def test_a_place_without_finished_dialogues_has_no_sample(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    filled.plan(connection, toy_suite)
    with pytest.raises(StoreError, match="no finished dialogue fits"):
        labels.candidates(connection, filled.scope(toy_suite), None, ())
