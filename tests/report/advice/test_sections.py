from __future__ import annotations

import sqlite3

import pytest

from independence.errors import StoreError
from independence.report import html, table
from independence.report.advice import sections
from independence.report.table import Section, Svg, Table
from independence.suites.load import LoadedSuite

from . import advised
from .advised import Leaning

SUBJECTS = {"blind": Leaning(slope=0.4, simulated=True), "bent": Leaning(sycophancy=0.4)}


def filled(connection: sqlite3.Connection, analysis: str = "paired_sides") -> LoadedSuite:
    loaded = advised.suite(analysis=analysis)
    advised.fill(connection, loaded, SUBJECTS, {"blind": 2})
    return loaded


def sides(connection: sqlite3.Connection, models: tuple[str, ...] = ()) -> list[Section]:
    return sections.sides(connection, advised.scope(filled(connection)), None, "holm", models)


def ids(made: list[Section], kind: type[Table] | type[Svg]) -> list[str]:
    return [block.id for section in made for block in section.body if isinstance(block, kind)]


def test_the_report_on_sides_has_everything_in_reading_order(connection: sqlite3.Connection) -> None:
    made = sides(connection)
    assert [section.id for section in made] == [
        "summary", "board", "tilt", "pairs", "parts", "checks", "guess", "costs", "health", "thresholds",
    ]  # fmt: skip
    assert ids(made, Svg) == ["advice-forest", "advice-slopes"]
    assert ids(made, Table)[:11] == [
        "board", "incomplete", "tilt", "harm", "merit", "pairs", "domains", "powers", "wordings", "factors", "checks",
    ]  # fmt: skip
    assert {"guess", "costs", "run-health", "data-quality"} <= {*ids(made, Table)}


def test_the_report_on_the_published_instrument_names_both_readings(connection: sqlite3.Connection) -> None:
    made = sections.stance(connection, advised.scope(filled(connection, "stance_csv")), None, ())
    assert [section.id for section in made] == [
        "summary",
        "board",
        "published",
        "guess",
        "costs",
        "health",
        "thresholds",
    ]
    assert ids(made, Svg) == ["stance-contrast"]
    assert ids(made, Table)[:2] == ["contrast", "published"]


def test_ids_are_unique_and_both_renderings_take_them(connection: sqlite3.Connection) -> None:
    made = sides(connection)
    every = [*ids(made, Table), *ids(made, Svg), *(section.id for section in made)]
    assert len(ids(made, Table)) == len(set(ids(made, Table)))
    assert len(every) > 15
    page = html.page("title", made)
    assert "known behaviour" in page
    assert "blind@none-t0.7 (simulated)" in table.document("title", made, lambda name: name)


def test_a_second_judge_brings_the_section_on_judges(connection: sqlite3.Connection) -> None:
    loaded = filled(connection)
    advised.fill(connection, loaded, SUBJECTS, judge="other")
    made = sections.sides(connection, advised.scope(loaded), "cues", "holm", ())
    assert "judges" in [section.id for section in made]


def test_only_the_named_subjects_are_in_it(connection: sqlite3.Connection) -> None:
    made = sides(connection, ("bent@none-t0.7",))
    text = table.document("title", made, lambda name: name)
    assert "bent" in text
    assert "blind@" not in text
    with pytest.raises(StoreError, match="no subject `nobody`"):
        sides(connection, ("nobody",))


def test_the_run_is_told_with_its_holes(connection: sqlite3.Connection) -> None:
    health = next(block for section in sides(connection) if section.id == "health" for block in section.body)
    assert isinstance(health, Table)
    assert health.rows[0][:5] == ("blind@none-t0.7 (simulated)", 1, 142, 144, "unreadable_verdict 2")
