from __future__ import annotations

import numpy as np
import pytest

from independence.report import purchase_value
from independence.report.purchase_value import AuditResults, HybridResults
from independence.report.table import Value

NAN = float("nan")
# Three configurations, two redraws. The first redraw swaps two of them, the second keeps the order.
TINY = HybridResults(
    0.2,
    0.05,
    0.25,
    truth=np.array([10.0, 20.0, 40.0]),
    routed=np.array([[16.0, 15.0, 40.0], [11.0, 20.0, 38.0]]),
    estimate=np.array([[12.0, 20.0, 43.0], [10.0, 21.0, 40.0]]),
    half=np.array([[2.0, 1.0, 2.0], [3.0, 0.5, 1.5]]),
)


def row(bought: HybridResults, verdicts: int = 200, usd: float | None = 0.01) -> dict[str, Value]:
    table = purchase_value.table([bought], verdicts, usd)
    return dict(zip((column.key for column in table.columns), table.rows[0], strict=True))


def test_a_rows_numbers_are_those_that_one_reckons_by_hand() -> None:
    found = row(TINY)
    assert (found["unsure"], found["audit"], found["draws"]) == (0.2, 0.05, 2)
    assert found["spearman"] == pytest.approx((0.5 + 1) / 2)
    assert found["mae"] == pytest.approx((6 + 5 + 0 + 1 + 0 + 2) / 6)
    assert found["worst"] == pytest.approx((6 + 2) / 2)
    assert found["estimate_mae"] == pytest.approx((2 + 0 + 3 + 0 + 1 + 0) / 6)
    assert found["covers"] == pytest.approx(4 / 6)  # not the third and the fifth; a bound is inside
    assert found["width"] == pytest.approx(2 * (2 + 1 + 2 + 3 + 0.5 + 1.5) / 6)


def test_calls_are_of_all_verdicts_and_dollars_are_of_those_that_were_saved() -> None:
    found = row(TINY)
    assert (found["bought"], found["saved"]) == (50, 150)
    assert found["usd"] == pytest.approx(1.5)
    assert row(TINY, usd=None)["usd"] is None


def test_without_any_interval_there_is_no_estimate_to_speak_of() -> None:
    found = row(TINY._replace(half=np.full((2, 3), NAN)))
    assert (found["estimate_mae"], found["covers"], found["width"]) == (None, None, None)
    assert found["mae"] == row(TINY)["mae"]


def test_coverage_and_width_are_of_the_intervals_that_there_are() -> None:
    found = row(TINY._replace(half=np.array([[2.0, NAN, NAN], [NAN, 0.5, NAN]])))
    assert found["covers"] == pytest.approx(1 / 2)
    assert found["width"] == pytest.approx(2.5)


def test_an_interval_without_width_covers_what_it_hits() -> None:
    exact = TINY._replace(estimate=np.tile(TINY.truth, (2, 1)) + 1e-12, half=np.zeros((2, 3)))
    assert row(exact)["covers"] == 1
    assert row(exact)["width"] == 0


def test_a_redraw_whose_indices_do_not_vary_has_no_rank_correlation_and_the_others_count() -> None:
    assert row(TINY._replace(routed=np.array([[5.0, 5.0, 5.0], [11.0, 20.0, 38.0]])))["spearman"] == pytest.approx(1)


def test_every_pair_of_shares_has_a_row() -> None:
    table = purchase_value.table(
        [TINY._replace(unsure=unsure, audit=audit) for unsure, audit in purchase_value.SHARES], 10, None
    )
    assert [own[:2] for own in table.rows] == list(purchase_value.SHARES)
    assert all(unsure + audit <= 1 and draws > 0 for (unsure, audit), draws in purchase_value.SHARES.items())


def test_an_audits_row_is_of_all_its_fleets_together() -> None:
    made = AuditResults(8, 119.6, 40.2, np.array([1.0, 2.0, 3.0, 6.0]), np.array([1.0, 2.5, 2.0, 7.0]))
    table = purchase_value.audits([made, made._replace(subjects=20)], 20)
    found = dict(zip((column.key for column in table.columns), table.rows[0], strict=True))
    assert found == {
        "subjects": 8, "verdicts": 120, "bought": 40, "mae": 3.0, "covers": 0.75, "width": pytest.approx(6.25),
    }  # fmt: skip
    assert [own[0] for own in table.rows] == [8, 20]
    assert "20 verdicts per scenario" in table.notes[0]
