"""Charts of reports: every number in them is that of the tables and documents beside them, element by element."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest

from independence.report.files.charts import Bars, Chart, Heat, Intervals, Lines, Scatter
from independence.report.pages import paths, schema
from independence.report.pages.schema import CellsDocument, IndexDocument, ReportDocument, TableDocument
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.store import spending
from independence.store.file import database
from independence.store.queries import Where
from independence.store.spending import SubjectSpending
from tests.report.site import reading
from tests.report.site.reading import Documents
from tests.stores import Stores

Read = Callable[[str], Documents]
CLOSE = 2e-4  # of two numbers that were rounded to four digits


def charts(read: Documents) -> dict[str, Chart]:
    found = [block.chart for block in blocks(read) if isinstance(block, schema.ChartBlock)]
    assert len({chart.id for chart in found}) == len(found)
    return {chart.id: chart for chart in found}


def blocks(read: Documents) -> list[schema.SectionBlock]:
    return [block for section in read.under(0, ReportDocument).sections for block in section.blocks]


def table(read: Documents, name: str) -> dict[str, list[dict[str, object]]]:
    """The rows of a table of the report by their subjects' slugs."""
    own = next(block.table for block in blocks(read) if isinstance(block, schema.TableBlock) and block.table.id == name)
    assert isinstance(own, TableDocument)
    out: dict[str, list[dict[str, object]]] = {}
    for slug, row in zip(own.subjects, own.rows, strict=True):
        out.setdefault(slug, []).append({one.key: value for one, value in zip(own.columns, row, strict=True)})
    return out


@pytest.mark.parametrize("name", ["toy", "demo", pytest.param("published", marks=pytest.mark.deep)])
def test_a_board_is_drawn_with_its_own_numbers(name: str, documents: Read) -> None:
    read = documents(name)
    index = read.under(0, IndexDocument)
    assert index.board
    slugs = {subject.config: subject.slug for subject in index.subjects}
    rows = {slugs[row.config]: row for row in index.board.rows}
    forest = charts(read)["board-forest"]
    assert isinstance(forest, Intervals)
    assert {row.subject for row in forest.rows} == rows.keys()
    assert len(forest.rows) == len(rows)
    for drawn in forest.rows:
        (found,), own = drawn.values, rows[drawn.subject]
        assert found
        assert (found.value, found.inner, found.outer) == (
            own.main.value,
            own.intervals.get(THESE),
            own.intervals.get(LIKE_THESE),
        )
        assert (drawn.label, drawn.simulated) == (own.label, own.simulated)
        assert found.bounds == (own.main.ends if own.main.value is None else None)
        assert own.standing.tier in (drawn.tier, None)
    ends = [(row.values[0].value or (row.values[0].bounds or (0.0, 0.0))[0]) for row in forest.rows if row.values[0]]
    assert ends == sorted(ends, reverse=True), "the best stand on top"
    tiers = [row.tier for row in forest.rows if row.tier is not None]
    assert tiers == sorted(tiers), "a tier is one band"


@pytest.mark.parametrize("name", ["toy", "demo", pytest.param("published", marks=pytest.mark.deep)])
def test_a_heatmap_has_the_share_of_each_subject_and_scenario(name: str, documents: Read) -> None:
    read = documents(name)
    cells, heat = read.under(0, CellsDocument), charts(read)["scenario-heatmap"]
    assert isinstance(heat, Heat)
    assert (cells.measure, heat.colours) == ("kept", "kept")
    compared = 0
    for row in heat.rows:
        for column, value in zip(heat.columns, row.values, strict=True):
            shares = cells.shares[row.subject][cells.scenarios.index(column.scenario)]
            if value is not None and shares and None not in shares:
                assert value == pytest.approx(sum(one or 0.0 for one in shares) / len(shares), abs=CLOSE)
                compared += 1
    assert name == "toy" or compared >= len(heat.rows) * len(heat.columns) / 2
    groups = [column.group for column in heat.columns]
    assert len({*groups}) == sum(one != other for one, other in zip(groups, [None, *groups], strict=False))


def test_the_index_is_drawn_against_what_a_run_costs(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    free = spending.by_subject

    def priced(connection: sqlite3.Connection, where: Where) -> dict[str, SubjectSpending]:
        found = sorted(free(connection, where).items())
        return {name: own._replace(answers_usd=float(place * 7 % 5)) for place, (name, own) in enumerate(found)}

    monkeypatch.setattr(spending, "by_subject", priced)
    with database.reading(stores("demo")) as connection, paths.reading(connection) as site:
        wanted = [path for path in site.paths() if path.split("/")[-1].startswith(("report.", "index."))]
        read = reading.of(site, ["boards.json", *wanted])
    cost, spent, board = charts(read)["index-cost"], table(read, "costs"), read.under(0, IndexDocument).board
    assert isinstance(cost, Scatter)
    assert board
    indices = {row.label: row.main.value for row in board.rows}
    assert len(cost.points) == sum(index is not None for index in indices.values())
    for point in cost.points:
        assert point.x == pytest.approx(spent[point.subject][0]["per_run_usd"], abs=CLOSE)
        assert point.y == indices[point.label]
    best = [cost.points[place] for place in cost.frontier]
    assert all(any(one.x <= other.x and one.y >= other.y for one in best) for other in cost.points)
    assert [one.x for one in best] == sorted(one.x for one in best)


def test_paired_sides_are_drawn_with_the_numbers_of_their_tables(documents: Read) -> None:
    read = documents("sides")
    found = charts(read)
    assert found.keys() == {"advice-forest", "advice-slopes"}
    forest, slopes = found["advice-forest"], found["advice-slopes"]
    assert isinstance(forest, Intervals)
    assert isinstance(slopes, Lines)
    board, tilt, merit = (table(read, name) for name in ("board", "tilt", "merit"))
    assert {row.subject for row in forest.rows} == board.keys()
    for row in forest.rows:
        for value, (rows, key) in zip(row.values, ((board, "S"), (tilt, "B"), (tilt, "merit_slope")), strict=True):
            own = rows[row.subject][0]
            assert (value and value.value, value and value.inner) == (own[key], own[f"{key}_ci"])
    for panel in slopes.panels:
        levels = merit[panel.subject]
        assert list(panel.xs) == [level["merit"] for level in levels]
        for values, key in zip(panel.values, ("first", "second", None, "neutral"), strict=True):
            assert key is None or list(values) == [level[key] for level in levels]
        mean = [(level["first"] + level["second"]) / 2 for level in levels]  # type: ignore[operator]
        assert panel.values[2] == pytest.approx(mean, abs=CLOSE)


def test_the_paired_contrast_is_drawn_with_the_numbers_of_its_table(documents: Read) -> None:
    read = documents("rent")
    (chart,) = charts(read).values()
    assert isinstance(chart, Intervals)
    own = table(read, "contrast")
    assert (chart.id, {row.subject for row in chart.rows}) == ("stance-contrast", own.keys())
    for row in chart.rows:
        first, *parties = row.values
        assert (first and first.value, first and first.inner) == (
            own[row.subject][0]["contrast"], own[row.subject][0]["contrast_ci"],
        )  # fmt: skip
        assert first
        assert all(parties)
        # Towards each party when it asks: the contrast is what both add up to.
        assert sum(one.value or 0.0 for one in parties if one) == pytest.approx(first.value, abs=CLOSE)


@pytest.mark.parametrize("name", ["toy", "sides", "rent"])
def test_every_mark_of_a_subject_leads_to_a_page(name: str, documents: Read) -> None:
    read = documents(name)
    slugs = {subject.slug for subject in read.under(0, IndexDocument).subjects}
    for chart in charts(read).values():
        assert not isinstance(chart, Bars)
        marks = chart.points if isinstance(chart, Scatter) else chart.panels if isinstance(chart, Lines) else chart.rows
        assert {mark.subject for mark in marks} <= slugs
