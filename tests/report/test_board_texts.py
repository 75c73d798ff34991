from __future__ import annotations

import csv
import io
import json

import msgspec
import pytest

from independence.report import board_notes, index_tables, legend, study
from independence.report.board import Board
from independence.report.board_row import BoardRow
from independence.report.estimates import EstimatedIndex
from independence.report.table import display_text, percent, to_csv, to_markdown
from independence.suites.schema import Component, Dimension, Index

INDEX = Index(
    name="I",
    dimensions={name: Dimension(experiment="talk", fields=(name,)) for name in ("firm", "drift", "moves")},
    components=(
        Component(label="Firm", dimensions=("firm",), weight=0.75, worst=0, best=10),
        Component(label="Drift", dimensions=("drift", "moves"), weight=0.25, worst=12, best=0),
    ),
)
ROW = BoardRow(
    1, "label", "acme--m@low-t0.7", 81.23456, (81.23456, 81.23456), (70.5, 101.25), "t-runs", 3, 3, 1.0, False,
    {}, 0.125, (80.0, 82.0), {"firm": 7.25, "drift": 2.0, "moves": 0.5},
)  # fmt: skip
HOLE = msgspec.structs.replace(
    ROW, rank=None, index=None, bounds=(40.4, 60.6), ci=None, ci_method="none", coverage=0.999, simulated=True,
    label="sim/half", flags={"missing:no_answer": 1}, dimensions={"firm": 7.25, "drift": 2.0, "moves": None},
)  # fmt: skip
BOARD = Board("toy", "0123abcd", "firm/tool_role", "strict", "cues", "these-scenarios", (ROW, HOLE))


COLUMNS = ("tier", "rank", "index", "ci", "runs", "coverage")
LABEL = 6  # its column in CSV


def labelled(label: str) -> Board:
    return msgspec.structs.replace(BOARD, rows=(msgspec.structs.replace(ROW, label=label, config=label),))


def table(board: Board = BOARD) -> list[list[str]]:
    return list(csv.reader(io.StringIO(to_csv(index_tables.record(board, INDEX)))))


def texts(board: Board) -> list[str]:
    """The first row as people read it."""
    shown = index_tables.full(board, INDEX)
    return [display_text(column, value) for column, value in zip(shown.columns, shown.rows[0], strict=True)]


def test_json_has_the_keys_that_scripts_rely_on() -> None:
    document = json.loads(msgspec.json.encode(BOARD))
    assert list(document) == [
        "suite", "edition", "condition", "scoring", "judge", "generalises_to", "rows", "correction",
        "minimum_detectable", "minimum_detectable_corrected", "judging", "repeats", "as_full", "dates",
    ]  # fmt: skip
    assert list(document["rows"][0]) == [
        "rank", "label", "config", "index", "bounds", "ci", "ci_method", "runs", "complete_runs", "coverage",
        "simulated", "flags", "cost_usd", "per_run", "dimensions", "tier", "rank_ci", "placed", "above", "intervals",
        "estimate", "thinking",
    ]  # fmt: skip


def test_json_numbers_are_not_rounded_and_absent_ones_are_null() -> None:
    complete, hole = json.loads(msgspec.json.encode(BOARD))["rows"]
    assert complete["index"] == 81.23456
    assert complete["ci"] == [70.5, 101.25]
    assert complete["dimensions"] == {"firm": 7.25, "drift": 2.0, "moves": 0.5}
    assert (hole["rank"], hole["index"], hole["ci"], hole["dimensions"]["moves"]) == (None, None, None, None)
    assert hole["bounds"] == [40.4, 60.6]
    assert hole["simulated"] is True


def test_csv_has_a_line_a_subject_and_empty_cells_where_there_is_no_number() -> None:
    head, complete, hole = table()
    assert len(head) == len(complete) == len(hole)
    named = dict(zip(head, complete, strict=True))
    assert (named["index"], named["ci_high"], named["Firm"], named["Drift"]) == ("81.23456", "101.25", "7.25", "2.5")
    named = dict(zip(head, hole, strict=True))
    assert (named["rank"], named["index"], named["ci_low"], named["Drift"]) == ("", "", "", "")
    assert (named["bound_low"], named["bound_high"], named["simulated"]) == ("40.4", "60.6", "True")


@pytest.mark.parametrize("label", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1"])
def test_a_label_never_becomes_a_formula_in_a_spreadsheet(label: str) -> None:
    head, row = table(labelled(label))
    named = dict(zip(head, row, strict=True))
    assert named["label"] == named["config"] == f"'{label}"


def test_a_carriage_return_does_not_tear_a_row() -> None:
    assert [row[LABEL] for row in table(labelled("one\rtwo"))[1:]] == ["one two"]
    assert table(labelled("\r=1"))[1][LABEL] == "' =1"


def test_a_component_never_becomes_a_formula_in_a_spreadsheet() -> None:
    (component, _) = INDEX.components
    index = msgspec.structs.replace(INDEX, components=(msgspec.structs.replace(component, label="=1+1"),))
    assert to_csv(index_tables.record(BOARD, index)).splitlines()[0].endswith(",'=1+1")


@pytest.mark.parametrize("label", ['a,b"c', "two\nlines", "plain"])
def test_a_label_survives_csv(label: str) -> None:
    assert table(labelled(label))[1][LABEL] == label


def test_markdown_is_a_caption_and_a_table() -> None:
    components = [legend.component_line(INDEX, part) for part in INDEX.components]
    assert to_markdown(index_tables.full(BOARD, INDEX)) == (
        "## toy@0123abcd, firm/tool_role, scoring strict, judge cues, intervals for more runs of these scenarios, "
        "method t-runs\n"
        "\n"
        "| Tier | # | Subject | Index | 95 % CI | Runs | Coverage | Firm | Drift↓ |\n"
        "|---:|---:|---|---:|---:|---:|---:|---:|---:|\n"
        "| — | 1 | label | 81.2 | 70.5–100.0 | 3 | 100% | 7.2 | 2.5 |\n"
        "| — | — | sim/half (simulated) | \\[40, 61\\] | — | 3 | 99% | 7.2 | — |\n"
        "\nWithout all of its verdicts a subject stands at the lowest index that they allow.\n"
        "\nNo interval allows for errors of the judge: for that, another judge or a person must have graded all "
        "replies of at least 3 subjects.\n"
        + "".join(f"\n{line}\n" for line in (*(legend.texts("columns")[key] for key in COLUMNS), *components))
    )


@pytest.mark.parametrize(
    ("label", "cell"),
    [
        ("a|b", r"a\|b"),
        ("a\\|b", r"a\\\|b"),
        ("two\nlines", "two lines"),
        ("two\r\nlines", "two lines"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
    ],
)
def test_a_label_begins_no_cell_line_or_tag_in_markdown(label: str, cell: str) -> None:
    line = to_markdown(index_tables.full(labelled(label), INDEX)).splitlines()[4]
    assert line.startswith(f"| — | 1 | {cell} | 81.2 |")


def test_a_caption_says_once_what_intervals_are_about() -> None:
    usual = msgspec.structs.replace(BOARD, rows=tuple(
        msgspec.structs.replace(row, ci_method=BOARD.generalises_to) for row in BOARD.rows if row.ci))  # fmt: skip
    assert board_notes.caption(usual).endswith("judge cues, intervals for more runs of these scenarios")


def test_a_caption_names_the_method_or_says_there_is_none() -> None:
    alone = msgspec.structs.replace(BOARD, rows=(HOLE,), judge=None)
    assert "judge none, no intervals" in board_notes.caption(alone)


def test_an_estimate_is_printed_on_the_scale_and_lies_in_its_interval() -> None:
    for index, ci, said in (
        (100.7, (94.3, 107.1), ("100.0", "94.3–100.0")),
        (104.0, (101.0, 107.0), ("100.0", "100.0–100.0")),
        (-2.0, (-9.0, 5.04), ("0.0", "0.0–5.0")),
    ):
        row = msgspec.structs.replace(ROW, estimate=EstimatedIndex("offline", index, ci, 0, 15))
        estimated = msgspec.structs.replace(BOARD, rows=(row,))
        assert texts(estimated)[5:8] == [*said, "0/15"]


def test_an_index_and_an_interval_of_no_width_read_alike() -> None:
    index = 63.05 + 2e-14
    row = msgspec.structs.replace(ROW, index=index, ci=(63.05, 63.05))
    shown = texts(msgspec.structs.replace(BOARD, rows=(row,)))
    assert f"{shown[3]}–{shown[3]}" == shown[4]


def test_a_simulated_subject_says_so_wherever_it_stands() -> None:
    assert board_notes.name(HOLE) == "sim/half (simulated)"
    assert board_notes.name(ROW) == "label"


@pytest.mark.parametrize(("share", "text"), [(0, "0%"), (0.5, "50%"), (0.999, "99%"), (0.9999999, "99%"), (1, "100%")])
def test_only_complete_coverage_reads_as_100_percent(share: float, text: str) -> None:
    assert percent(share) == text


def test_an_interval_is_clipped_for_display_only() -> None:
    assert (
        texts(msgspec.structs.replace(BOARD, rows=(msgspec.structs.replace(ROW, ci=(-3.0, 104.0)),)))[4] == "0.0–100.0"
    )
    assert texts(msgspec.structs.replace(BOARD, rows=(HOLE,)))[4] == "—"


def test_an_arrow_marks_scales_on_which_lower_counts_more() -> None:
    assert [legend.heading(component) for component in INDEX.components] == ["Firm", "Drift↓"]


def test_a_column_with_a_missing_dimension_has_no_number() -> None:
    assert index_tables.column(INDEX.components[1], ROW) == 2.5
    assert index_tables.column(INDEX.components[1], HOLE) is None


PUBLISHED = msgspec.structs.replace(
    BOARD, scoring="v2", judge_prompt="as published", caution=study.RULES_ONLY, as_full=("other",)
)


def test_cautions_stand_below_every_form_of_a_board() -> None:
    wanted = {study.RULES_ONLY, f"{board_notes.AS_PUBLISHED}.", "Also completely graded by other: --judge other."}
    assert wanted <= set(index_tables.ranked(PUBLISHED, INDEX).notes)
    estimated = msgspec.structs.replace(HOLE, estimate=EstimatedIndex("offline", 70.0, (60.0, 80.0), 0, 15))
    alone = index_tables.estimates(msgspec.structs.replace(PUBLISHED, rows=(estimated,)))
    beside = index_tables.estimates(msgspec.structs.replace(PUBLISHED, rows=(ROW, estimated)))
    assert alone is not None
    assert beside is not None
    assert wanted <= set(alone.notes)
    assert not wanted & set(beside.notes)


def test_boards_say_whose_words_they_are_in() -> None:
    own = msgspec.structs.replace(BOARD, words="own")
    several = msgspec.structs.replace(own, wording="1a2b3c4d", editions=("0123abcd", "4567cdef"))
    theirs = msgspec.structs.replace(BOARD, words="published", wording="1a2b3c4d")
    assert board_notes.caption(own).startswith("toy@0123abcd, own wording, firm/")
    assert board_notes.caption(several).startswith(
        "toy, wording 1a2b3c4d (editions 0123abcd, 4567cdef), own wording, firm/"
    )
    assert board_notes.caption(theirs).startswith("toy@0123abcd, wording 1a2b3c4d, firm/")
    assert json.loads(msgspec.json.encode(own))["words"] == "own"
    assert table(own)[1][:4] == ["toy", "0123abcd", "own", "firm/tool_role"]
    assert table(msgspec.structs.replace(own, language="es", caution="Rules."))[1][:5] == [
        "toy", "0123abcd", "es", "own", "Rules.",
    ]  # fmt: skip
