"""The embedded suite `rent`: the published grid, its order and structure, in words of our own."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path
from typing import Any

import pytest

from independence.suites import digest
from independence.suites.load import HOME, load
from independence.suites.schema import Scenario
from independence.suites.template import fill

SUITE = load("rent").suite
assert SUITE.grid is not None
GRID = SUITE.grid
ROWS = SUITE.scenarios


def background(scenario: Scenario) -> dict[str, Any]:
    """What the second system message says as data."""
    return json.loads(scenario.context.splitlines()[-1])


def human(scenario: Scenario) -> str:
    (turn,) = scenario.turns
    return turn.human


def test_the_facts_are_a_variable_and_the_background_quotes_it() -> None:
    assert all(scenario.context.endswith(f"\n{scenario.vars['facts']}") for scenario in ROWS)
    assert len({scenario.context.splitlines()[0] for scenario in ROWS}) == 1


def test_a_triplet_is_a_cell() -> None:
    assert len({scenario.cell for scenario in ROWS}) == 36
    for start in range(0, 108, 3):
        first, *others = ROWS[start : start + 3]
        assert [scenario.side for scenario in (first, *others)] == ["landlord", "tenant", "neutral"]
        assert {scenario.cell for scenario in others} == {first.cell}
        assert all(scenario.factors == first.factors for scenario in others)


def test_36_triplets_are_84_texts() -> None:
    said = {side: {(s.context, human(s)) for s in ROWS if s.side == side} for side in GRID.sides}
    assert {side: len(texts) for side, texts in said.items()} == {"landlord": 36, "tenant": 36, "neutral": 12}
    graded = {(s.context, human(s), digest.rubric(SUITE, s)) for s in ROWS}
    assert len(graded) == 84


def test_nobody_says_a_code_or_what_he_is() -> None:
    for scenario in ROWS:
        assert "_" not in human(scenario)
        own = {"landlord": ("landlord",), "tenant": ("tenant",), "neutral": ("landlord", "tenant")}[scenario.side]
        assert not [word for word in own if word in human(scenario).lower()]
        assert not re.search(
            r"\b(renter|owner|lessor|lessee|my (flat|house|property|tenant|landlord))\b", human(scenario)
        )


def test_a_party_says_what_the_other_one_is_like_and_everybody_how_things_are_between_them() -> None:
    called = {(level["tenant_called"]) for level in GRID.factors["tenant_quality"].values()}
    assert len(called) == 2
    for scenario in ROWS:
        said = [words for words in called if f"{words}." in human(scenario)]
        other = {"landlord": "tenant_called", "tenant": "landlord_called"}.get(scenario.side)
        assert said == ([scenario.vars[other]] if other else [])
        assert f" is {scenario.vars['relationship']}. " in human(scenario)
        assert ("between us" in human(scenario)) is (scenario.side != "neutral")


def test_the_reason_is_in_the_landlords_sentence_one_of_its_own_for_the_tenant_and_none_for_the_third() -> None:
    levels = GRID.factors["justification"]
    for scenario in ROWS:
        level = levels[scenario.factors["justification"]]
        reasons = {"landlord": f"euros, {level['landlord_reason']}.", "tenant": f". {level['tenant_reason']} "}
        said = [side for side, reason in reasons.items() if reason in human(scenario)]
        assert said == [scenario.side] * (scenario.side != "neutral")


def test_the_requests_differ_as_published_closed_open_and_balanced() -> None:
    asked = {side: {human(s).rsplit(". ", 1)[1] for s in ROWS if s.side == side} for side in GRID.sides}
    assert {side: len(requests) for side, requests in asked.items()} == dict.fromkeys(GRID.sides, 1)
    (closed,), (open_,), (balanced,) = asked.values()
    assert re.match(r"(Would|Is|Should|Do|Does|Can)\b", closed)
    assert re.match(r"(What|How|Which)\b", open_)
    assert "both" in balanced


def test_only_the_tenant_is_told_the_direction_and_only_the_third_the_rent() -> None:
    for scenario in ROWS:
        assert ("going up by" in human(scenario)) is (scenario.side == "tenant")
        assert bool(re.search(r"\b(rais|increas)\w*|more rent", human(scenario))) is False
        assert ("600" in human(scenario)) is (scenario.side == "neutral")
        assert f"{scenario.factors['amount']} euros" in human(scenario)


def test_the_judge_sees_the_background_and_gives_one_number() -> None:
    (rubric,) = SUITE.rubrics.values()
    (field,) = rubric.fields.values()
    assert (rubric.verdict, rubric.steps) == ("number", ())
    assert (GRID.stance, field.type, field.range, field.cue) == ("stance", "number", (-1, 1), "stance")
    shown = fill(rubric.prompt, {**SUITE.vars, **ROWS[3].vars, "transcript": "<talk>", "fields": "<fields>"})
    assert ROWS[3].vars["facts"] in shown
    assert "the landlord or the tenant" in shown
    assert all(mark in field.about for mark in ("-1:", "0:", "1:"))


def test_it_is_asked_as_published_once_at_a_low_temperature_without_tools() -> None:
    assert SUITE.delivery.modes == ("user_role",)
    assert list(SUITE.variants) == ["helper"]
    assert len(SUITE.variants["helper"].split(".")) == 2
    assert (SUITE.default.temperature, SUITE.default.judge) == (0.2, "OPENROUTER_SCORER_MODEL")
    assert (SUITE.analysis, SUITE.index) == ("stance_csv", None)


@pytest.fixture(scope="module")
def published(published_data: Path) -> list[dict[str, Any]]:
    """One published record of every prompt, by id."""
    with lzma.open(published_data / "rent-1760158358" / "run.jsonl.xz", "rt", encoding="utf-8") as lines:
        records = {record["prompt_id"]: record for record in map(json.loads, lines)}
    return [records[prompt_id] for prompt_id in sorted(records)]


@pytest.mark.published
def test_every_row_has_the_factors_of_the_published_prompt_of_its_id(published: list[dict[str, Any]]) -> None:
    ours = {s.id: {"perspective": s.side} | background(s) for s in ROWS}
    assert ours == {record["prompt_id"]: record["factors"] for record in published}
    for record in published:
        assert record["messages"][1]["content"].endswith(SUITE.scenario(record["prompt_id"]).vars["facts"])


@pytest.mark.published
def test_no_run_of_four_words_is_a_published_one(published: list[dict[str, Any]]) -> None:
    def runs(texts: list[str]) -> set[tuple[str, ...]]:
        words = [re.findall(r"[a-z]+", text.lower()) for text in texts]
        return {tuple(own[at : at + 4]) for own in words for at in range(len(own) - 3)}

    theirs = runs([record["messages"][at]["content"].split("{")[0] for record in published for at in range(3)])
    files = [path.read_text("utf-8") for path in sorted((HOME / "rent").rglob("*")) if path.is_file()]
    ours = runs([*SUITE.variants.values(), *(s.context.split("{")[0] for s in ROWS), *map(human, ROWS), *files])
    assert ours & theirs == set()
