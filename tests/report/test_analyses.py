from __future__ import annotations

import csv
import io
import json

import msgspec
import pytest

from independence.errors import UsageError
from independence.extensions.published.rent.stance_board import StanceBoard
from independence.report import analysis
from independence.report.advice.board import SidesBoard
from independence.report.analysis import BoardOptions, RenderedBoard
from independence.report.board import board_data
from independence.report.board.board import IndexBoard
from independence.suites.load import LoadedSuite

from .advice import advised
from .advice.advised import Leaning
from .filled import Toy


def shown(toy: Toy, kind: str) -> RenderedBoard:
    loaded = advised.suite(analysis=kind)
    advised.fill(toy.connection, loaded, {"a": Leaning(sycophancy=0.2), "bb": Leaning(sycophancy=0.03)})
    return analysis.board(toy.connection, advised.scope(loaded), BoardOptions())


def test_a_suite_is_read_by_what_it_says_in_boards_and_reports(toy: Toy) -> None:
    assert isinstance(shown(toy, "stance_csv").document, StanceBoard)
    document = shown(toy, "paired_sides").document
    assert isinstance(document, SidesBoard)
    assert (len(document.rows), document.correction) == (2, "holm")
    toy.complete("a", ((8, 6, 2), (7, 7, 1)))
    assert isinstance(analysis.board(toy.connection, toy.scope, BoardOptions()).document, IndexBoard)
    for scope, section in ((advised.scope(advised.suite()), "tilt"), (toy.scope, "scenarios")):
        report = analysis.report(toy.connection, scope, BoardOptions())
        assert section in [one.id for one in report]


@pytest.mark.parametrize(
    ("kind", "flags", "told"),
    [
        ("paired_sides", ["--db", "--scoring"], "--scoring is about an index, and suite quarrels is"),
        ("paired_sides", ["--matrix"], "--matrix is about an index"),
        ("stance_csv", ["--pooled"], "which has none; leave it out"),
        ("index", ["--scoring"], "declares no index"),
    ],
)  # fmt: skip
def test_flags_that_make_no_sense_are_refused_by_name_and_others_not(
    toy_suite: LoadedSuite, kind: str, flags: list[str], told: str
) -> None:
    with pytest.raises(UsageError) as error:
        analysis.refuse(advised.suite(analysis=kind).suite, flags)
    assert told in str(error.value)
    analysis.refuse(toy_suite.suite, ["--scoring", "--matrix", "--db"])
    analysis.refuse(advised.suite().suite, ["--suite", "--detailed"])
    analysis.refuse(advised.suite(analysis="stance_csv").suite, ["--judge"])


def test_one_board_is_an_object_and_several_are_an_array(toy: Toy) -> None:
    built = shown(toy, "paired_sides")
    one, several = json.loads(analysis.to_json([built])), json.loads(analysis.to_json([built, built]))
    assert several == [one, one]
    assert set(one["rows"][0]["estimates"]["S"]) == {"value", "interval", "n", "method"}


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
    for built, said in (
        ([real, simulated], [board_data.RULES_ONLY, ""]),
        ([simulated, real], ["", board_data.RULES_ONLY]),
    ):
        rows = list(csv.DictReader(io.StringIO(analysis.to_csv(built))))
        assert [row["caution"] for row in rows] == said
        assert alone | {"caution": ""} in rows


def test_an_analysis_that_nobody_has_is_told_with_those_there_are() -> None:
    said = (
        "no analysis `stairs`; there are index, paired_sides, persona, reasons, ladder, stance_csv; "
        "a package adds one by an entry "
        "point of group `independence.analyses`"
    )
    with pytest.raises(UsageError) as error:
        analysis.of("stairs")
    assert str(error.value) == said
    suite = msgspec.structs.replace(advised.suite().suite, analysis="stairs")
    assert list(analysis.check(suite)) == [("$.analysis", said)]


def test_each_requires_what_it_reads(toy_suite: LoadedSuite) -> None:
    gridded, scripted = advised.suite().suite, toy_suite.suite
    assert [*analysis.check(gridded), *analysis.check(scripted)] == []
    assert analysis.has_board(gridded)
    assert not analysis.has_board(advised.suite(analysis="index").suite)
    swapped = [
        msgspec.structs.replace(gridded, analysis="index"), msgspec.structs.replace(scripted, analysis="stance_csv"),
        msgspec.structs.replace(scripted, index=None),
    ]  # fmt: skip
    assert [what for suite in swapped for _, what in analysis.check(suite)] == [
        "a grid needs analysis `paired_sides` or `stance_csv` (at `$.analysis`)",
        "analysis `stance_csv` needs a `grid:` section (at `$.analysis`)",
        "analysis `index` needs an `index:` section",
    ]
