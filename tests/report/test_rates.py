from __future__ import annotations

import pytest

from independence.report import index_report
from independence.stats.intervals import wilson

from .filled import Toy


def test_a_yes_or_no_field_is_a_rate_with_a_width(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2), (7, 7, 3)))
    tables = index_report.rates(toy.read())
    (kept,) = [table for table in tables if table.id == "rate-kept"]
    assert kept.rows == (("label of a", 0.5, wilson(2, 4), 4),)
    low, high = wilson(0, 4)
    assert low == 0 < high == pytest.approx(0.49, abs=0.01)
