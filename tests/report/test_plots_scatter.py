from __future__ import annotations

import random

import pytest

from independence.report.plots.scatter import CostPoint, cost, frontier
from tests.report import drawn


def fleet(count: int, seed: int, free: int = 0) -> list[CostPoint]:
    draw = random.Random(seed)
    return [
        CostPoint(
            f"vendor/model-{n}@low-t0.7", 100 - draw.expovariate(0.1) % 60, 10 ** draw.uniform(-3, 0.5) * (n >= free)
        )
        for n in range(count)
    ]


def test_the_frontier_is_what_no_cheaper_subject_reaches() -> None:
    points = [CostPoint("free", 60, 0), CostPoint("a", 80, 0.1), CostPoint("worse", 70, 0.5), CostPoint("b", 90, 1)]
    assert frontier(points) == [0, 1, 3]
    assert frontier([CostPoint("dear", 80, 2), CostPoint("cheap", 80, 1)]) == [1], "a tie goes to the cheaper"
    assert frontier([]) == []


@pytest.mark.parametrize("seed", range(6))
def test_labels_overlap_neither_each_other_nor_the_edge(seed: int) -> None:
    svg = cost(fleet(80, seed, free=20), drawn.META)
    written = drawn.texts(svg)
    assert drawn.overlaps(written) == []
    assert all(text.left >= 0 and text.right <= drawn.size(svg)[0] for text in written)


def test_frontier_and_extremes_are_named() -> None:
    points = fleet(60, 1)
    svg = cost(points, drawn.META)
    named = {text.text for text in drawn.texts(svg)}
    every = range(len(points))
    extremes = {min(every, key=lambda n: points[n].index), min(every, key=lambda n: points[n].dollars)}
    assert {points[place].label for place in {*frontier(points), *extremes}} <= named
    assert any("stroke-dasharray" in drawn.style(svg)[line.get("class", "")] for line in drawn.drawn(svg, "muted"))


def test_free_subjects_have_a_lane_of_their_own_left_of_every_price() -> None:
    points = [CostPoint("gratis", 90, 0), CostPoint("other", 90, 0), CostPoint("cheap", 80, 0.001)]
    svg = cost(points, drawn.META)
    uses = [use for use in drawn.drawn(svg, "accent") if use.tag.endswith("use")]
    _legend, one, two, paid = sorted((float(use.get("x")), float(use.get("y"))) for use in uses)
    assert one[0] < paid[0]
    assert one != two, "two free subjects of one index do not hide each other"
    words = [text.text for text in drawn.texts(svg)]
    assert "free or local" in words
    assert "free or local" not in [text.text for text in drawn.texts(cost(points[2:], drawn.META))]
    assert {"gratis: 90.0, free or local", "cheap: 80.0, $0.001 per run"} < {*drawn.tips(svg)}


@pytest.mark.parametrize(
    "points", [[], [CostPoint("a", 50, 0.2)], [CostPoint("a", 50, 0)], [CostPoint("a", 5, 1e-6)] * 3]
)
def test_few_points_draw_too(points: list[CostPoint]) -> None:
    assert len(drawn.tips(cost(points, drawn.META))) == len(points)


def test_a_simulated_subject_is_a_ring_and_told() -> None:
    svg = cost([CostPoint(drawn.HOSTILE, 50, 0.2, simulated=True)], drawn.META)
    assert "<script" not in svg
    assert drawn.tips(svg)[0].endswith("50.0, $0.2 per run, simulated")
    assert "simulated" in [text.text for text in drawn.texts(svg)]
