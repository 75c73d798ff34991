from __future__ import annotations

from independence.report import costs_estimate, tables
from independence.report.costs_estimate import Expected, JudgeCost, Price, SubjectCost
from independence.report.table import shown

ANSWERS = Expected(26, 20_000.4, 8_866.6, 0.05, (0.02, 0.09), 2.0, "own runs (n = 26)")
WHOLE = Expected(41, 40_000.0, 11_000.0, 0.07, (0.04, 0.11), 4.0)
KNOWN = SubjectCost("m", ANSWERS, 15, 0.02, WHOLE)
UNKNOWN = SubjectCost("n", Expected(26, 1.0, 1.0, None, None, None), 15, 0.02, Expected(41, 2.0, 2.0, None, None, None))


def test_a_subjects_dollars_and_tokens_are_in_its_rows() -> None:
    dollars, tokens, prices = costs_estimate.tables([KNOWN], [], [Price("m", 1.0, 4.0, 0.0)])
    assert dollars.rows == (("m", 0.05, 0.02, 0.07, (0.04, 0.11), 4.0),)
    assert tokens.rows == (("m", 26, 15, 20_000, 8_867, "own runs (n = 26)"),)
    assert prices.rows == (("m", 1.0, 4.0, 0.0),)
    assert [shown(*pair) for pair in zip(dollars.columns, dollars.rows[0], strict=True)] == [
        "m", "$0.050", "$0.020", "$0.070", "0.040 to 0.110", "$4.00"
    ]  # fmt: skip


def test_a_price_that_is_not_known_leaves_a_dash_and_never_a_zero() -> None:
    dollars, _, prices = costs_estimate.tables([UNKNOWN], [], [Price("n", None, None, None)])
    assert dollars.rows == (("n", None, 0.02, None, None, None),)
    assert prices.rows == (("n", None, None, None),)
    assert "| — |" in tables.to_markdown(dollars)


def test_judges_have_a_table_where_they_cost_calls() -> None:
    found = costs_estimate.tables([KNOWN], [JudgeCost("j", ANSWERS)], [], ["a note"])
    assert [table.id for table in found] == ["estimate", "tokens", "judges", "prices"]
    assert found[2].rows == (("j", 26, 20_000, 8_867, 0.05, (0.02, 0.09), "own runs (n = 26)"),)
    assert found[0].notes[-1] == "a note"
