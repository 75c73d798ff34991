"""A board and its study as figures."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from independence.report.board import STRICT, Board
from independence.report.legend import short
from independence.report.plots import board as board_plot
from independence.report.plots import heatmap as heatmap_plot
from independence.report.plots import scatter
from independence.report.plots.board import ForestRow
from independence.report.plots.heatmap import HeatRow
from independence.report.plots.scatter import CostPoint
from independence.report.plots.svg import FigureMeta
from independence.report.study import Study
from independence.report.table import Svg
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.subject_points import share_kept


def forest(board: Board) -> Svg:
    """Every subject with both intervals, tiers as bands; under a published rule with its own interval."""
    strict = board.scoring == STRICT
    rows = [
        ForestRow(
            label=row.label,
            index=row.index,
            inner=row.intervals.get(THESE) if strict else row.ci,
            outer=row.intervals.get(LIKE_THESE),
            tier=row.tier,
            simulated=row.simulated,
            coverage=row.coverage,
            bounds=row.bounds,
        )
        for row in board.rows
    ]
    caption = (
        "Index with its 95 % intervals: thick for more runs of these scenarios, thin for other scenarios like these. "
        "Bands are tiers. An open bar shows the possible index of an incomplete subject."
    )
    if not strict:
        caption = "Index by the published rule, with its bootstrap interval, which from few runs covers less than 95 %."
    meta = FigureMeta("board-forest", "The board", caption)
    labels = [row.label for row in rows]
    shorter = [msgspec.structs.replace(row, label=short(row.label, labels, row.simulated)) for row in rows]
    narrow = board_plot.forest(shorter, meta._replace(id="board-forest-narrow"), narrow=True)
    return Svg(meta.id, board_plot.forest(rows, meta), caption, narrow)


def cost(board: Board, per_run: Mapping[str, float | None], free: frozenset[str]) -> Svg | None:
    """Index against dollars of a run; None where no ranked subject has a price."""
    points = [
        CostPoint(row.label, row.index, 0.0 if row.config in free else dollars, row.simulated)
        for row in board.rows
        if row.index is not None and (dollars := per_run.get(row.config)) is not None
    ]
    if not any(point.dollars for point in points):
        return None
    caption = "Index against what a run costs, judging included. The line joins subjects that no cheaper subject beats."
    meta = FigureMeta("index-cost", "Index against cost", caption)
    return Svg(meta.id, scatter.cost(points, meta), caption)


def heatmap(read: Study, board: Board) -> Svg:
    """How much of each scenario's scale every subject keeps."""
    scenarios = [scenario for scenario in read.scope.suite.scenarios if _scored(read, scenario.id)]
    experiments = {scenario.id: scenario.experiment for scenario in scenarios}
    rows = [
        HeatRow(row.label, tuple(_kept_share(read, row.config, scenario.id) for scenario in scenarios), row.simulated)
        for row in board.rows
    ]
    caption = "The share of each scenario's scale that a subject keeps. Hatched where a verdict is missing."
    meta = FigureMeta("scenario-heatmap", "Subjects by scenario", caption)
    return Svg(meta.id, heatmap_plot.heatmap(rows, experiments, meta), caption)


def _kept_share(read: Study, config: str, scenario: str) -> float | None:
    return share_kept(read.frame, scenario, [cell.values for cell in read.planned[config] if cell.scenario == scenario])


def _scored(read: Study, scenario: str) -> bool:
    return any(scenario in members for members in read.frame.members.values())
