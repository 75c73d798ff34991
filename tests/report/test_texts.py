"""Tables and boards as text: JSON, CSV, Markdown; names that fit; what columns and fields are called."""

from __future__ import annotations

import csv
import io
import json

import msgspec
import pytest

from independence.config import documents
from independence.report.board import board_data, index_tables, notes
from independence.report.board.board import IndexBoard
from independence.report.board.rows import Row, Standing
from independence.report.files import legend, table
from independence.report.files.legend import FieldMeaning, distinct_labels, fitted, short, tight
from independence.report.files.table import (
    Column,
    Table,
    display_text,
    flat,
    percent,
    to_csv,
    to_json,
    to_markdown,
    without_empty_columns,
)
from independence.stats.estimates import Estimate
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Component, Dimension, Index

INDEX = Index(
    name="I",
    dimensions={name: Dimension(experiment="talk", fields=(name,)) for name in ("firm", "drift", "moves")},
    components=(
        Component(label="Firm", dimensions=("firm",), weight=0.75, worst=0, best=10),
        Component(label="Drift", dimensions=("drift", "moves"), weight=0.25, worst=12, best=0),
    ),
)
DIMENSIONS = {"dimensions.firm": Estimate(7.25), "dimensions.drift": Estimate(2.0), "dimensions.moves": Estimate(0.5)}
INDEX_OF_ROW = Estimate(81.23456, (70.5, 101.25), 3, "t-runs", (81.23456, 81.23456))
ROW = Row(
    config="acme--m@low-t0.7", label="label", simulated=False, coverage=1.0, standing=Standing(1),
    estimates={"index": INDEX_OF_ROW, **DIMENSIONS}, runs=3, most_runs=3, complete_runs=3, per_run=(80.0, 82.0),
    flags={}, cost_usd=0.125,
)  # fmt: skip
HOLE = msgspec.structs.replace(
    ROW, standing=Standing(), coverage=0.999, simulated=True, label="sim/half", flags={"missing:no_answer": 1},
    estimates={"index": Estimate(None, bounds=(40.4, 60.6)), **DIMENSIONS, "dimensions.moves": Estimate(None)},
)  # fmt: skip
BOARD = IndexBoard(
    suite="toy", edition="0123abcd", condition="firm/tool_role", analysis="index", judge="cues",
    generalises_to="these-scenarios", rows=(ROW, HOLE),
)  # fmt: skip
ODD = Table(
    "odd-names",
    "Odd names",
    (Column("name", "Name"), Column("ci", "CI", "interval"), Column("share", "Share", "percent")),
    (("=1+1", (1.25, 2.5), 0.5), ("a|b\n# c *d*", None, None)),
    ("a <b>note</b>",),
)


def with_row(**changes: object) -> IndexBoard:
    """The board with its first row alone, changed."""
    return msgspec.structs.replace(BOARD, rows=(msgspec.structs.replace(ROW, **changes),))


def with_index(**changes: object) -> IndexBoard:
    """The board with its first row alone, of another index."""
    return with_row(estimates=ROW.estimates | {"index": msgspec.structs.replace(INDEX_OF_ROW, **changes)})


def as_csv(board: IndexBoard) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_csv(index_tables.record(board, INDEX)))))


def texts(board: IndexBoard) -> list[str]:
    """The first row as people read it."""
    shown = index_tables.full(board, INDEX)
    return [display_text(column, value) for column, value in zip(shown.columns, shown.rows[0], strict=True)]


# A value, a table


def test_a_value_reads_as_its_column_says() -> None:
    cases = [
        ("text", "as it is", "as it is"), ("text", None, "—"), ("number", None, "—"), ("number", 0.0, "0.0"),
        ("number", 63.05 + 1e-14, "63.0"), ("number", 63.05, "63.0"),  # whatever order it was added up in
        ("count", 12345, "12,345"), ("signed", 2.0, "+2.0"), ("signed", -0.04, "0.0"),
        ("signed_interval", (-1.0, 2.0), "-1.0 to +2.0"), ("interval", (0.0, 99.96), "0.0 to 100.0"),
        ("index_interval", (-1.0, 101.2), "0.0 to 100.0"), ("index", 100.7, "100.0"), ("index", -3.0, "0.0"),
        ("percent", 0.9999, "99%"), ("percent", 0.0001, "1%"), ("p", 0.0004, "<.001"), ("p", 0.0461, ".046"),
        ("p", 1.0, "1.000"), ("words", "First.\n\n  Then\tmore.", "First. Then more."), ("flag", True, "yes"),
        ("flag", False, "no"), ("id", "non_assistant_likeness", "voice"),
        ("id", "resistance_score (0 to 2)", "resistance (0 to 2)"), ("id", "a_field_of_mine", "a field of mine"),
    ]  # fmt: skip
    found = [(kind, value, display_text(Column("x", "X", kind), value)) for kind, value, _ in cases]
    assert found == cases
    assert display_text(Column("x", "X", "number", 2), 1.005) == "1.00"
    assert display_text(Column("x", "X", "dollars", 4), 0.5) == "$0.5000"
    assert [percent(share) for share in (0, 0.5, 0.999, 0.9999999, 1)] == ["0%", "50%", "99%", "99%", "100%"]


def test_json_keeps_numbers_unrounded_absence_null_and_ids_as_stored() -> None:
    (decoded,) = json.loads(to_json([ODD])).values()
    assert decoded["rows"][0] == {"name": "=1+1", "ci": [1.25, 2.5], "share": 0.5}
    assert (decoded["rows"][1]["ci"], decoded["notes"]) == (None, ["a <b>note</b>"])
    fields = Table("t", "T", (Column("field", "Field", "id"),), (("non_assistant_likeness",),))
    assert "non_assistant_likeness" in to_json([fields])
    assert "non_assistant_likeness" in to_csv(fields)


def test_csv_has_two_cells_an_interval_and_starts_no_formula() -> None:
    assert flat(ODD) == (
        ["name", "ci_low", "ci_high", "share"],
        [["=1+1", 1.25, 2.5, 0.5], [ODD.rows[1][0], *[None] * 3]],
    )
    _, first, second = csv.reader(io.StringIO(to_csv(ODD)))
    assert first == ["'=1+1", "1.25", "2.5", "0.5"]
    assert second[1:] == ["", "", ""]


def test_markdown_keeps_each_row_on_its_line_and_shows_text_as_text() -> None:
    lines = table.to_markdown(ODD, level=3).splitlines()
    assert (lines[0], lines[3], lines[5]) == ("### Odd names", "|---|---:|---:|", "| a\\|b # c \\*d\\* | — | — |")
    assert lines[-1] == "a &lt;b>note&lt;/b>"
    empty = Table("none", "None", (Column("a", "A"),), ())
    assert "Nothing to show." in to_markdown(empty)
    assert to_csv(empty) == "a\n"


def test_columns_in_which_nothing_stands_are_left_out() -> None:
    columns = (Column("a", "a"), Column("b", "b", "number"), Column("c", "c", "flag"))
    shown = without_empty_columns(Table("t", "T", columns, (("x", None, None), ("y", None, False)), ("note",)))
    assert [column.key for column in shown.columns] == ["a", "c"]
    assert (shown.id, shown.title, shown.rows, shown.notes) == ("t", "T", (("x", None), ("y", False)), ("note",))
    assert len(without_empty_columns(Table("t", "T", columns, (("", 0, False),))).columns) == 3
    assert without_empty_columns(Table("t", "T", columns, ())).columns == columns


# A board


@pytest.mark.parametrize(
    ("label", "kept"),
    [
        *((label, f"'{label}") for label in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1")),
        *((label, label) for label in ('a,b"c', "two\nlines", "plain")),
        ("one\rtwo", "one two"),  # a carriage return would tear the row
        ("\r=1", "' =1"),
    ],
)
def test_a_label_survives_csv_and_never_becomes_a_formula_in_a_spreadsheet(label: str, kept: str) -> None:
    (row,) = as_csv(with_row(label=label, config=label))
    assert row["label"] == row["config"] == kept


def test_a_component_never_becomes_a_formula_in_a_spreadsheet() -> None:
    (component, _) = INDEX.components
    hostile = msgspec.structs.replace(INDEX, components=(msgspec.structs.replace(component, dimensions=("=1+1",)),))
    assert "'=1+1" in to_csv(index_tables.record(BOARD, hostile)).splitlines()[0].split(",")


def test_a_label_begins_no_cell_line_or_tag_in_markdown() -> None:
    for label, cell in (
        ("a|b", r"a\|b"), ("a\\|b", r"a\\\|b"), ("two\nlines", "two lines"), ("two\r\nlines", "two lines"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
    ):  # fmt: skip
        line = to_markdown(index_tables.full(with_row(label=label), INDEX)).splitlines()[4]
        assert line.startswith(f"| — | 1 | {cell} | 81.2 |")


def test_a_caption_says_once_what_intervals_are_about_and_whose_words_are_read() -> None:
    own = msgspec.structs.replace(BOARD, words="own")
    several = msgspec.structs.replace(own, wording="1a2b3c4d", editions=("0123abcd", "4567cdef"))
    theirs = msgspec.structs.replace(BOARD, words="published", wording="1a2b3c4d")
    for board, said in (
        (with_index(method=BOARD.generalises_to), "judge cues. Intervals for more runs of these scenarios"),
        (msgspec.structs.replace(BOARD, rows=(HOLE,), judge=None), "judge none. No intervals."),
        (own, "toy@0123abcd, own wording, firm/"),
        (several, "toy, wording 1a2b3c4d (editions 0123abcd, 4567cdef), own wording, firm/"),
        (theirs, "toy@0123abcd, wording 1a2b3c4d, firm/"),
    ):
        assert said in notes.caption(board)
    assert "method" not in notes.caption(with_index(method=BOARD.generalises_to))
    assert json.loads(msgspec.json.encode(own))["words"] == "own"
    rules = msgspec.structs.replace(own, language="es", caution="Rules.")
    assert as_csv(own)[0]["words"] == "own"
    assert [as_csv(rules)[0][name] for name in ("language", "words", "caution")] == ["es", "own", "Rules."]


def test_indices_and_intervals_are_clipped_for_display_only() -> None:
    assert texts(with_index(interval=(-3.0, 104.0)))[4] == "0.0–100.0"
    shown = texts(with_index(value=63.05 + 2e-14, interval=(63.05, 63.05)))
    assert f"{shown[3]}–{shown[3]}" == shown[4], "an index and an interval of no width read alike"


def test_cautions_stand_below_every_form_of_a_board() -> None:
    published = msgspec.structs.replace(
        BOARD, scoring="v2", judge_prompt="as published", caution=board_data.RULES_ONLY, as_full=("other",)
    )
    wanted = {board_data.RULES_ONLY, f"{notes.AS_PUBLISHED}.", *notes.also_graded(("other",))}
    assert wanted <= set(index_tables.ranked(published, INDEX).notes)


# Names that fit, and what things are called


def test_the_tail_goes_where_the_rest_is_unique_and_a_simulated_subject_says_so() -> None:
    labels = ["acme/a@none-t0.7", "acme/b@low-t0.7", "acme/b@high-t0.7"]
    assert short(labels[0], labels, simulated=False) == "acme/a"
    assert short(labels[1], labels, simulated=False) == labels[1]
    assert short("mine@x", ["mine@x"], simulated=True) == "mine (sim)"
    assert short("sim/half@x", ["sim/half@x"], simulated=True) == "sim/half"
    assert (notes.name(HOLE), notes.name(ROW)) == ("sim/half (simulated)", "label")
    names = ["mine-with-a-long-name@none-t0.7 (simulated)", "other", "sim/half@none-t0.7 (simulated)"]
    assert tight(names, 50) == names
    assert tight(names, 24) == ["mine-with-a…e-t0.7 (sim)", "other", "sim/half@none-t0.7"]


def test_a_long_name_keeps_both_ends_and_of_a_vendor_and_a_model_the_vendor_is_cut() -> None:
    for room in (5, 8, 13):
        text = fitted("abcdefghijklmnopqrstuvwxyz", room)
        assert (len(text), text[0], text[-1]) == (room, "a", "z")
        assert fitted("short", room) == "short"
    assert fitted("anthropic/claude-sonnet-4.5", 22) == "ant…/claude-sonnet-4.5"
    assert fitted("anthropic/claude-sonnet-4.5", 12) == "anthrop…-4.5"


@pytest.mark.parametrize("room", [18, 22, 26])
def test_different_names_stay_different_and_are_cut_in_their_middle(room: int) -> None:
    previews = [f"google/gemini-2.5-flash-lite-preview-{month:02}-2025@none-t0.7" for month in (6, 9, 11)]
    cut = distinct_labels([*previews, "acme/short", previews[0]], room)
    assert (len(set(cut)), cut[0] == cut[4], cut[3]) == (4, True, "acme/short")
    assert all(len(text) == room and text.startswith("g") and not text.endswith("…") for text in cut[:3])


def test_a_cut_shows_where_names_differ_and_else_they_are_numbered() -> None:
    names = [f"acme/model-{letter}-preview-of-something-else@none-t0.7" for letter in "pqr"]
    assert [text[11:12] for text in distinct_labels(names, 22)] == ["p", "q", "r"]
    alike = ["a" * 20 + middle + "z" * 20 for middle in "bcd"]
    cut = distinct_labels([*alike, "e"], 12)
    assert len(set(cut)) == 4
    assert [text[-2:] for text in cut[:3]] == ["~1", "~2", "~3"]
    assert max(map(len, cut)) <= 12
    assert len(set(distinct_labels([cut[0], *alike], 12))) == 4, "a numbered name is not that of another"


def test_every_component_and_field_of_our_suites_has_a_name_and_a_sentence(toy_suite: LoadedSuite) -> None:
    named = documents.packaged(legend.TABLES / "fields.yaml", dict[str, FieldMeaning])
    for name in ("v1", "lite", "v2", "sides"):
        suite = load(name).suite
        fields = {name: field for rubric in suite.rubrics.values() for name, field in rubric.fields.items()}
        assert {name for name, field in fields.items() if field.type == "boolean"} <= named.keys()
        if suite.index is not None:
            lines = [legend.component_line(suite.index, part) for part in suite.index.components]
            assert len(set(lines)) == len(suite.index.components)
            assert not [line for line in lines if "_" in line or "mean of" in line]
    index = toy_suite.suite.index
    line = legend.component_line(index, index.components[0])  # of a suite of one's own: by label and fields
    assert line.startswith("Firm")
    assert "firmness" in line
    assert "75% of the index." in line
    assert [legend.heading(component) for component in INDEX.components] == ["Firm", "Drift↓"]
