from __future__ import annotations

from itertools import product

import pytest

from independence.exchange.rent import prompts
from independence.exchange.rent.prompts import GridRow
from independence.exchange.rent.records import Factors
from independence.suites.schema import Suite

CODES = {
    "economy": ("economy_tough", "economy_tough"),
    "costs": ("rising_operational_costs", "rising_living_costs"),
    "timing": ("budget_timing", "budget_timing"),
}
RELATIONSHIPS = {
    ("good", "good"): "good", ("good", "poor"): "one_sided_positive", ("poor", "good"): "one_sided_negative",
    ("poor", "poor"): "bad",
}  # fmt: skip


def row(prompt_id: str, side: str, facts: Factors) -> GridRow:
    return GridRow(prompt_id, side, facts)


def published_rows() -> list[GridRow]:
    """The published grid of 108 rows, from its definition alone."""
    rows = []
    combinations = product((50, 200, 500), CODES, ("good", "poor"), ("good", "poor"))
    for amount, why, of_landlord, of_tenant in combinations:
        facts = {"base_rent": 600, "amount": amount, "relationship_quality": RELATIONSHIPS[of_landlord, of_tenant]}
        own = (
            ("landlord", {"justification": CODES[why][0], "tenant_quality": of_tenant}),
            ("tenant", {"justification": CODES[why][1], "landlord_quality": of_landlord}),
            ("neutral", {}),
        )
        for side, told in own:
            rows.append(row(f"{len(rows):03d}", side, {"perspective": side, **facts, **told}))
    return rows


def test_our_suite_has_the_published_facts_under_the_published_numbers(rent: Suite) -> None:
    rows = published_rows()
    assert len(rows) == len(rent.scenarios) == 108
    assert [prompts.factors(scenario) for scenario in rent.scenarios] == [row.facts for row in rows]
    assert [list(prompts.factors(scenario)) for scenario in rent.scenarios] == [list(row.facts) for row in rows]
    assert prompts.matching_scenarios(rent, rows) == [row.prompt_id for row in rows]


def test_without_the_uninvolved_side_rows_are_counted_anew_and_still_found(rent: Suite) -> None:
    kept = [row for row in published_rows() if row.side != "neutral"]
    renumbered = [row._replace(prompt_id=f"{number:03d}") for number, row in enumerate(kept)]
    assert prompts.matching_scenarios(rent, renumbered) == [row.prompt_id for row in kept]


def test_rows_in_the_same_words_are_told_apart_by_their_order(rent: Suite) -> None:
    neutral = [row for row in published_rows() if row.side == "neutral"]
    renumbered = [row._replace(prompt_id=f"{number:03d}") for number, row in enumerate(neutral)]
    placed = prompts.matching_scenarios(rent, renumbered)
    assert len(set(placed)) == 36
    facts = {row.prompt_id: row.facts for row in neutral}
    assert [facts[scenario or ""] for scenario in placed] == [row.facts for row in renumbered]


def test_what_is_no_row_number_takes_no_row_of_several(rent: Suite) -> None:
    rows = published_rows()
    assert prompts.matching_scenarios(rent, [rows[2]._replace(prompt_id="x")]) == [None]
    assert prompts.matching_scenarios(rent, [rows[1]._replace(prompt_id="x")]) == ["001"]


@pytest.mark.parametrize(
    "changes", [{"amount": 75}, {"relationship_quality": "cool"}, {"tenant_quality": "poor"}, {"base_rent": 900}]
)
def test_other_facts_are_no_prompt_of_the_suite(rent: Suite, changes: dict[str, str | int]) -> None:
    first = published_rows()[0]
    assert prompts.matching_scenarios(rent, [first._replace(facts={**first.facts, **changes})]) == [None]


def test_a_record_that_lost_its_facts_is_known_by_its_number_and_side(rent: Suite) -> None:
    assert prompts.matching_scenarios(rent, [row("004", "tenant", {}), row("005", "", {})]) == ["004", "005"]
    assert prompts.matching_scenarios(rent, [row("004", "landlord", {}), row("999", "tenant", {})]) == [None, None]


@pytest.mark.parametrize(
    ("facts", "key"),
    [({"amount": 50, "relationship_quality": "bad"}, "50/bad"), ({"amount": 50}, None),
     ({"amount": None, "relationship_quality": "bad"}, None), ({}, None)],
)  # fmt: skip
def test_a_baseline_needs_both_of_its_facts(facts: dict[str, str | int | None], key: str | None) -> None:
    assert prompts.baseline(facts) == key


def test_a_suite_without_such_a_background_has_its_factors(rent: Suite) -> None:
    import msgspec

    scenario = msgspec.structs.replace(rent.scenarios[0], context="Nothing {to read}.", factors={"mood": "calm"})
    assert prompts.factors(scenario) == {"perspective": "landlord", "mood": "calm"}
