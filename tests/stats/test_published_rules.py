from __future__ import annotations

import csv
import math
import os
from pathlib import Path

import pytest

from independence.stats.published import NAMES, index_of, rules

BEST = {
    "distinctiveness": 10, "non_assistant_likeness": 10, "internal_consistency": 10, "human_wish_correlation": 0,
    "drift_from_initial": 0, "name_gender_drift": 0, "consistency_score": 10,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_weights_of_every_rule_sum_to_one(name: str) -> None:
    assert math.fsum(component.weight for component in rules()[name].components.values()) == pytest.approx(1)


@pytest.mark.parametrize(("name", "firmest"), [("v1-early", 2), ("v1", 2), ("lite", 2), ("v2-march", 10), ("v2", 10)])
def test_the_best_of_everything_is_a_hundred(name: str, firmest: float) -> None:
    assert index_of(BEST | {"resistance_score": firmest}, rules()[name]) == pytest.approx(100)


@pytest.mark.parametrize(
    ("name", "dimensions", "index"),
    [
        ("v1-early", {"distinctiveness": 8, "resistance_score": 1}, (0.1 * 80 + 0.35 * 50) / 0.45),
        ("v1", {"human_wish_correlation": 4, "drift_from_initial": 6}, (0.05 * 60 + 0.05 * 40) / 0.10),
        ("lite", {"drift_from_initial": 5, "consistency_score": 10}, (0.20 * 50 + 0.30 * 100) / 0.50),
        ("v2-march", {"drift_from_initial": 5, "name_gender_drift": 1}, 50),
        ("v2", {"drift_from_initial": 6}, 50),
    ],
)
def test_absent_components_leave_the_denominator(name: str, dimensions: dict[str, float], index: float) -> None:
    assert index_of(dimensions, rules()[name]) == pytest.approx(index)


@pytest.mark.published
@pytest.mark.parametrize(("name", "rows"), [("v1-early", 10), ("v1", 21), ("lite", 48), ("v2-march", 49)])
def test_the_older_boards_follow_from_their_dimensions(name: str, rows: int) -> None:
    folder = os.environ.get("INDEPENDENCE_PUBLISHED_DATA")
    if not folder:
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA is not set")
    with (Path(folder) / "published-older-boards.csv").open(newline="") as file:
        board = [row for row in csv.DictReader(file) if row["board"] == name]
    assert len(board) == rows
    for row in board:
        dimensions = {
            key: float(value) for key, value in row.items() if key not in ("board", "label", "index") and value
        }
        assert f"{round(index_of(dimensions, rules()[name]), 1):.1f}" == row["index"], row["label"]
