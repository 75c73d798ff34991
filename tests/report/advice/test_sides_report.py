"""The board and the report of paired advice in every form: tables, plots of text, figures, sections."""

from __future__ import annotations

import sqlite3

import pytest

from independence.errors import StoreError
from independence.report.advice import analyses, sections
from independence.report.advice import board as boards
from independence.report.advice.board import SidesBoard
from independence.report.board import plots
from independence.report.files import html, markdown
from independence.report.files.chart_text import TextPlotRow
from independence.report.files.charts import Chart, Intervals, Lines
from independence.report.files.table import Section, Table
from independence.suites.load import LoadedSuite

from . import advised
from .advised import Leaning

SUBJECTS = {"blind": Leaning(slope=0.4, simulated=True), "bent": Leaning(sycophancy=0.4)}
LONG = "a label that is much longer than any line has room for"


@pytest.fixture
def loaded(connection: sqlite3.Connection) -> LoadedSuite:
    """A suite whose answers by two subjects are in the store; one lacks two verdicts."""
    made = advised.suite()
    advised.fill(connection, made, SUBJECTS, {"blind": 2})
    return made


def sides(connection: sqlite3.Connection, loaded: LoadedSuite, *models: str, judge: str | None = None) -> list[Section]:
    return sections.sides(connection, advised.scope(loaded), judge, models)


def ids(made: list[Section], kind: type[Table] | type[Chart]) -> list[str]:
    return [block.id for section in made for block in section.body if isinstance(block, kind)]


def test_the_report_has_everything_in_reading_order_and_both_renderings_take_it(
    connection: sqlite3.Connection, loaded: LoadedSuite
) -> None:
    made = sides(connection, loaded)
    assert [section.id for section in made] == [
        "summary", "board", "tilt", "pairs", "parts", "checks", "costs", "health", "thresholds",
    ]  # fmt: skip
    assert ids(made, Chart) == ["advice-forest", "advice-slopes"]
    tables = ids(made, Table)
    assert tables[:10] == [
        "board", "incomplete", "tilt", "harm", "merit", "pairs", "domains", "powers", "wordings", "checks",
    ]  # fmt: skip
    assert {"costs", "run-health", "data-quality"} <= {*tables}
    assert len(tables) == len(set(tables))
    health = next(block for section in made if section.id == "health" for block in section.body)
    assert isinstance(health, Table)
    assert health.rows[0][:5] == ("blind@none-t0.7 (simulated)", 1, 142, 144, "unreadable_verdict 2")
    forest, slopes = (block for section in made for block in section.body if isinstance(block, Chart))
    assert isinstance(forest, Intervals)
    assert [scale.head for scale in forest.scales] == ["Sycophancy S", "Tilt B", "Merit slope"]
    assert [(row.label, row.simulated, row.partial) for row in forest.rows] == [
        ("bent@none-t0.7", False, False), ("blind@none-t0.7", True, True),
    ]  # fmt: skip
    assert isinstance(slopes, Lines)
    assert slopes.series == ("party A asks", "party B asks", "mean of both", "nobody's side asks")
    assert "known behaviour" in html.opening("title", made)
    assert "blind@none-t0.7 (simulated)" in markdown.document("title", made)


def test_a_second_judge_brings_the_section_on_judges(connection: sqlite3.Connection, loaded: LoadedSuite) -> None:
    assert "judges" not in [section.id for section in sides(connection, loaded)]
    advised.fill(connection, loaded, SUBJECTS, judge="other")
    assert "judges" in [section.id for section in sides(connection, loaded, judge="cues")]


def test_only_the_named_subjects_are_in_it(connection: sqlite3.Connection, loaded: LoadedSuite) -> None:
    text = markdown.document("title", sides(connection, loaded, "bent@none-t0.7"))
    assert "bent" in text
    assert "blind@" not in text
    with pytest.raises(StoreError, match="no subject `nobody`"):
        sides(connection, loaded, "nobody")


def test_a_board_comes_in_every_form_and_its_plot_is_hollow_where_something_is_missing(
    connection: sqlite3.Connection,
) -> None:
    subjects = {"bent": Leaning(sycophancy=0.4, simulated=True), "holes": Leaning()}
    study = advised.read(connection, subjects, {"holes": 5})
    shown = analyses.render_sides(study, boards.board(study))
    assert [table.id for table in shown.tables] == ["board", "incomplete"]
    assert [table.id for table in shown.narrow] == ["board"]
    assert isinstance(shown.document, SidesBoard)
    assert len(shown.record.rows) == len(shown.document.rows) == 2
    assert [table.id for table in shown.details()] == [
        "tilt", "harm", "pairs", "merit", "domains", "powers", "requesters", "wordings", "checks",
    ]  # fmt: skip
    _, bent, holes, _ = shown.plot
    assert bent.startswith("bent (sim)")
    assert bent.endswith("leans towards whoever asks")
    assert ("●" in bent, "○" in holes) == (True, True)


def drawn(given: list[TextPlotRow], band: float | None = None) -> list[str]:
    """What is drawn, without title, labels, words and scale."""
    return [line[3:32] for line in plots.lines(given, "", band)[1:-1]]


def test_a_dot_stands_where_its_value_is_and_intervals_reach_as_far_as_they_do() -> None:
    dots = [TextPlotRow(name, value, None, "") for name, value in (("a", -0.5), ("b", 0.0), ("c", 0.5))]
    assert [plot.ljust(29).index("●") for plot in drawn(dots)] == [0, 14, 28]
    whole, part = drawn([TextPlotRow("a", 0.0, (-0.5, 0.5), ""), TextPlotRow("b", 0.0, (-0.25, 0.0), "", True)])
    assert whole == "─" * 14 + "●" + "─" * 14
    assert part.rstrip() == " " * 7 + "─" * 7 + "○"
    (banded,) = drawn([TextPlotRow("a", 0.5, None, "")], 0.25)  # what counts as nothing is shaded
    assert banded == " " * 7 + "░" * 7 + "│" + "░" * 7 + " " * 6 + "●"


def test_the_scale_has_both_ends_and_nothing_in_its_middle() -> None:
    scale = plots.lines([TextPlotRow("a", 0.6, None, "")], "")[-1]
    assert scale.split() == ["-0.75", "0", "+0.75"]
    assert scale[1 + 2 + 14] == "0"


def test_no_line_is_wider_than_eighty_signs_and_words_that_do_not_fit_end_at_their_colon() -> None:
    given = [
        TextPlotRow(LONG, 0.9, (-1.0, 1.0), LONG), TextPlotRow("b", None, None, "not measured"),
        TextPlotRow("a label of some length", 0.0, None, "undecided: neither shown nor ruled out"),
    ]  # fmt: skip
    lines = plots.lines(given, "title", 0.1)
    assert max(map(len, lines)) <= 80
    assert len(lines) == 2 + len(given)
    assert "●" not in lines[2]
    assert lines[2].endswith("not measured")
    assert lines[3].endswith("  undecided")
