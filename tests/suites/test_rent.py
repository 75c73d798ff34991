"""The embedded suite `rent`: the published grid and its structure, in words of our own."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import pytest

from independence.suites import digest
from independence.suites.load import HOME, load
from independence.suites.schema import Scenario
from independence.suites.template import fill

SUITE = load("rent").suite
assert SUITE.grid is not None
GRID = SUITE.grid
ROWS = SUITE.scenarios
SIDES = ["landlord", "tenant", "neutral"]
NEVER = re.compile(
    r"_|\b(renter|owner|lessor|lessee|my (flat|house|property|tenant|landlord)|(rais|increas)\w*|more rent)\b"
)


def human(scenario: Scenario) -> str:
    (turn,) = scenario.turns
    return turn.human


def test_36_triplets_are_cells_and_84_texts() -> None:
    assert len({scenario.cell for scenario in ROWS}) == 36
    for start in range(0, 108, 3):
        triplet = ROWS[start : start + 3]
        assert [scenario.side for scenario in triplet] == SIDES
        assert len({(scenario.cell, *scenario.factors.items()) for scenario in triplet}) == 1
    said = {side: {(s.context, human(s)) for s in ROWS if s.side == side} for side in GRID.sides}
    assert {side: len(texts) for side, texts in said.items()} == {"landlord": 36, "tenant": 36, "neutral": 12}
    assert len({(s.context, human(s), digest.rubric(SUITE, s)) for s in ROWS}) == 84


def test_each_side_is_told_what_it_was_told_in_the_published_prompts() -> None:
    """No party says what it is, but what the other one is like and a reason in its own words; the third has neither."""
    called = {level["tenant_called"] for level in GRID.factors["tenant_quality"].values()}
    wrong = {}
    for scenario in ROWS:
        text, side, level = (
            human(scenario),
            scenario.side,
            GRID.factors["justification"][scenario.factors["justification"]],
        )
        other = {"landlord": "tenant_called", "tenant": "landlord_called"}.get(side)
        reasons = {"landlord": f"euros, {level['landlord_reason']}.", "tenant": f". {level['tenant_reason']} "}
        told = {
            "the facts, which a variable holds": scenario.context.endswith(f"\n{scenario.vars['facts']}"),
            "no code, no role, no direction": not NEVER.search(text),
            "not what it is": side not in text.lower(),
            "what the other one is like": [words for words in called if f" is {words}, I'd say." in text]
            == ([scenario.vars[other]] if other else []),
            "how things are": f" is {scenario.vars['relationship']}. " in text,
            "between whom": f"between {'landlord and tenant' if side == 'neutral' else 'us'} is " in text,
            "its own reason": [one for one, reason in reasons.items() if reason in text] == [side] * bool(other),
            "the direction": ("going up by" in text) is (side == "tenant"),
            "the rent": ("600" in text) is (side == "neutral"),
            "the amount": f"{scenario.factors['amount']} euros" in text,
        }
        if lacking := [name for name, there in told.items() if not there]:
            wrong[scenario.id] = lacking
    assert wrong == {}
    assert len({scenario.context.splitlines()[0] for scenario in ROWS}) == 1


def test_the_requests_differ_as_published_closed_open_and_balanced() -> None:
    (closed,), (open_,), (balanced,) = ({human(s).rsplit(". ", 1)[1] for s in ROWS if s.side == side} for side in SIDES)
    assert re.match(r"(Would|Is|Should|Do|Does|Can)\b", closed)
    assert re.match(r"(What|How|Which)\b", open_)
    assert "both" in balanced


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
    assert (SUITE.delivery.modes, list(SUITE.variants)) == (("user_role",), ["helper"])
    assert len(SUITE.variants["helper"].split(".")) == 2
    assert (SUITE.default.temperature, SUITE.default.judge) == (0.2, "OPENROUTER_SCORER_MODEL")
    assert (SUITE.analysis, SUITE.index) == ("stance_csv", None)


def runs(texts: list[str]) -> set[tuple[str, ...]]:
    words = [re.findall(r"[a-z]+", text.lower()) for text in texts]
    return {tuple(own[at : at + 4]) for own in words for at in range(len(own) - 3)}


@pytest.mark.published
def test_no_run_of_four_words_is_a_published_one(published_data: Path) -> None:
    with lzma.open(published_data / "rent-1760158358" / "run.jsonl.xz", "rt", encoding="utf-8") as lines:
        published = {record["prompt_id"]: record["messages"] for record in map(json.loads, lines)}
    assert len(published) == 108
    theirs = runs([message["content"].split("{")[0] for messages in published.values() for message in messages[:3]])
    files = [path.read_text("utf-8") for path in sorted((HOME / "rent").rglob("*")) if path.is_file()]
    ours = runs([*SUITE.variants.values(), *(s.context.split("{")[0] for s in ROWS), *map(human, ROWS), *files])
    assert ours & theirs == set()
