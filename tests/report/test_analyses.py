from __future__ import annotations

import csv
import io
import json
import sqlite3

import msgspec
import pytest

from independence.errors import UsageError
from independence.report import analysis, study
from independence.report.advice.board import SidesBoard
from independence.report.advice.published import StanceBoard
from independence.report.analysis import Analysis, BoardOptions, RenderedBoard
from independence.report.board import Board, InferenceOptions
from independence.suites.load import LoadedSuite

from .advice import advised
from .advice.advised import Leaning
from .filled import Toy


def shown(connection: sqlite3.Connection, kind: str) -> RenderedBoard:
    loaded = advised.suite(analysis=kind)
    advised.fill(connection, loaded, {"a": Leaning(sycophancy=0.2), "bb": Leaning(sycophancy=0.03)})
    return analysis.board(connection, advised.scope(loaded), BoardOptions(reading=InferenceOptions(correction="none")))


def test_a_suite_is_read_by_what_it_says(toy: Toy) -> None:
    assert isinstance(shown(toy.connection, "stance_csv").document, StanceBoard)
    toy.complete()
    assert isinstance(analysis.board(toy.connection, toy.scope, BoardOptions()).document, Board)


def test_the_correction_reaches_paired_sides(connection: sqlite3.Connection) -> None:
    document = shown(connection, "paired_sides").document
    assert isinstance(document, SidesBoard)
    assert document.rows
    assert document.correction == "none"


def test_reports_go_the_same_way(toy: Toy) -> None:
    loaded = advised.suite()
    advised.fill(toy.connection, loaded, {"a": Leaning()})
    ids = [section.id for section in analysis.report(toy.connection, advised.scope(loaded), BoardOptions())]
    assert "tilt" in ids
    toy.complete(runs=((8, 6, 2), (7, 7, 1)))
    ids = [section.id for section in analysis.report(toy.connection, toy.scope, BoardOptions())]
    assert "scenarios" in ids


@pytest.mark.parametrize(
    ("kind", "flags", "told"),
    [
        ("paired_sides", ["--db", "--scoring"], "--scoring is about an index, and suite quarrels is"),
        ("paired_sides", ["--matrix"], "--matrix is about an index"),
        ("stance_csv", ["--fail-under"], "which has none; leave it out"),
        ("stance_csv", ["--correction"], "tests of several subjects"),
    ],
)  # fmt: skip
def test_flags_that_make_no_sense_are_refused_by_name(kind: str, flags: list[str], told: str) -> None:
    with pytest.raises(UsageError) as error:
        analysis.refuse(advised.suite(analysis=kind).suite, flags)
    assert told in str(error.value)


def test_flags_that_make_sense_are_not(toy_suite: LoadedSuite) -> None:
    analysis.refuse(toy_suite.suite, ["--scoring", "--matrix", "--correction", "--db"])
    analysis.refuse(advised.suite().suite, ["--correction", "--suite", "--detailed"])
    analysis.refuse(advised.suite(analysis="stance_csv").suite, ["--judge"])


def test_a_suite_that_declares_no_index_has_no_board() -> None:
    bare = advised.suite(analysis="index").suite
    assert not analysis.has_board(bare)
    assert analysis.has_board(advised.suite().suite)
    with pytest.raises(UsageError, match="declares no index"):
        analysis.refuse(bare, ["--fail-under"])


def test_one_board_is_an_object_and_several_are_an_array(connection: sqlite3.Connection) -> None:
    built = shown(connection, "paired_sides")
    one, several = json.loads(analysis.to_json([built])), json.loads(analysis.to_json([built, built]))
    assert several == [one, one]
    assert set(one["rows"][0]["S"]) == {"est", "ci", "n_cells", "method"}


@pytest.mark.parametrize("kind", ["index", "paired_sides", "stance_csv"])
def test_boards_of_which_some_say_more_share_the_columns_of_a_csv(toy: Toy, kind: str) -> None:
    gridded = advised.suite(analysis=kind)
    place = toy.scope if kind == "index" else advised.scope(gridded)
    if kind == "index":
        toy.complete()
    else:
        advised.fill(toy.connection, gridded, {"a": Leaning()})
    real = analysis.board(toy.connection, place, BoardOptions())
    toy.connection.execute("UPDATE subjects SET simulated = 1")
    simulated = analysis.board(toy.connection, place, BoardOptions())
    (alone,) = csv.DictReader(io.StringIO(analysis.to_csv([simulated])))
    for built, said in (([real, simulated], [study.RULES_ONLY, ""]), ([simulated, real], ["", study.RULES_ONLY])):
        rows = list(csv.DictReader(io.StringIO(analysis.to_csv(built))))
        assert [row["caution"] for row in rows] == said
        assert alone | {"caution": ""} in rows


@pytest.mark.parametrize("name", ["index", "paired_sides", "stance_csv"])
def test_each_of_ours_is_an_analysis(name: str) -> None:
    assert isinstance(analysis.of(name), Analysis)


def test_an_analysis_that_nobody_has_is_told_with_those_there_are() -> None:
    said = (
        "no analysis `ladder`; there are index, paired_sides, stance_csv; a package adds one by an entry point of "
        "group `independence.analyses`"
    )
    with pytest.raises(UsageError) as error:
        analysis.of("ladder")
    assert str(error.value) == said
    suite = msgspec.structs.replace(advised.suite().suite, analysis="ladder")
    assert list(analysis.check(suite)) == [("$.analysis", said)]


def test_each_requires_what_it_reads(toy_suite: LoadedSuite) -> None:
    gridded, scripted = advised.suite().suite, toy_suite.suite
    assert [*analysis.check(gridded), *analysis.check(scripted)] == []
    swapped = [
        msgspec.structs.replace(gridded, analysis="index"), msgspec.structs.replace(scripted, analysis="stance_csv"),
        msgspec.structs.replace(scripted, index=None),
    ]  # fmt: skip
    assert [what for suite in swapped for _, what in analysis.check(suite)] == [
        "a grid needs analysis `paired_sides` or `stance_csv` (at `$.analysis`)",
        "analysis `stance_csv` needs a `grid:` section (at `$.analysis`)",
        "analysis `index` needs an `index:` section",
    ]
