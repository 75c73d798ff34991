from __future__ import annotations

import pytest

from independence.clients.pricing import FREE, Prices
from independence.engine.estimate import Estimate, estimate
from independence.engine.plan import Trial
from independence.engine.resume import Todo
from independence.judge.spec import CUES, JudgeSpec
from independence.suites.load import Loaded

from . import planned

RULES = JudgeSpec(CUES, kind=CUES)
MODEL = JudgeSpec("acme/judge", endpoint="openrouter", model="acme/judge")
SUBJECT_AT, JUDGE_AT = ("openrouter", "acme/m"), ("openrouter", "acme/judge")
PRICES = Prices(prompt=1e-6, completion=4e-6)


@pytest.fixture
def trials(toy_suite: Loaded) -> dict[str, Trial]:
    return {scenario: trial for (scenario, _), trial in planned.trials(toy_suite.suite).items()}


def test_nothing_to_do_costs_nothing() -> None:
    assert estimate([], {}) == Estimate(0, 0, 0.0, 0.0, ())


def test_calls_and_verdicts_are_counted(trials: dict[str, Trial]) -> None:
    todo = [Todo(trials["dinner"], 2, (RULES, MODEL)), Todo(trials["radio"], 0, (MODEL,))]
    found = estimate(todo, {SUBJECT_AT: PRICES, JUDGE_AT: PRICES})
    assert (found.calls, found.verdicts) == (2, 3)


def test_a_calls_price_is_its_prompt_and_a_typical_answer(trials: dict[str, Trial]) -> None:
    dialogue = trials["radio"].dialogue
    scripted = len(dialogue.system) + sum(len(beat.human) + len(beat.reply or "") for beat in dialogue.beats)
    found = estimate([Todo(trials["radio"], 1, ())], {SUBJECT_AT: Prices(prompt=1.0)})
    assert found.typical_usd == pytest.approx(scripted / 3.5)
    found = estimate([Todo(trials["radio"], 1, ())], {SUBJECT_AT: Prices(completion=1.0, request=0.5)})
    assert found.most_usd == dialogue.max_tokens + 0.5
    assert 100 < found.typical_usd < 1000


def test_the_most_is_never_less_than_typical(trials: dict[str, Trial]) -> None:
    # 256 tokens are fewer than a typical answer: nobody can write more than the suite allows.
    for judges in ((), (MODEL,)):
        for scenario, calls in (("dinner", 2), ("dinner", 1), ("radio", 1)):
            found = estimate([Todo(trials[scenario], calls, judges)], {SUBJECT_AT: PRICES, JUDGE_AT: PRICES})
            assert 0 < found.typical_usd <= found.most_usd


def test_a_later_turn_costs_more_than_an_earlier_one(trials: dict[str, Trial]) -> None:
    prices = {SUBJECT_AT: PRICES}
    whole = estimate([Todo(trials["dinner"], 2, ())], prices).typical_usd
    rest = estimate([Todo(trials["dinner"], 1, ())], prices).typical_usd
    assert whole / 2 < rest < whole


def test_reasoning_that_is_dearer_than_the_answer_sets_the_most(trials: dict[str, Trial]) -> None:
    todo = [Todo(trials["radio"], 1, (MODEL,))]
    plain = estimate(todo, {SUBJECT_AT: PRICES, JUDGE_AT: PRICES})
    dear = Prices(prompt=1e-6, completion=4e-6, internal_reasoning=8e-6)
    thinking = estimate(todo, {SUBJECT_AT: dear, JUDGE_AT: dear})
    assert thinking.most_usd > plain.most_usd
    assert thinking.typical_usd == plain.typical_usd


def test_the_rule_judge_is_free_and_needs_no_price(trials: dict[str, Trial]) -> None:
    with_rules = estimate([Todo(trials["radio"], 1, (RULES,))], {SUBJECT_AT: PRICES})
    without = estimate([Todo(trials["radio"], 1, ())], {SUBJECT_AT: PRICES})
    assert (with_rules.typical_usd, with_rules.unpriced) == (without.typical_usd, ())


def test_models_without_a_known_price_are_named_once_and_in_no_figure(trials: dict[str, Trial]) -> None:
    todo = [Todo(trials["dinner"], 2, (MODEL,)), Todo(trials["radio"], 1, (MODEL,))]
    found = estimate(todo, {SUBJECT_AT: None})
    assert found.unpriced == ("acme/m", "acme/judge")
    assert (found.typical_usd, found.most_usd) == (0.0, 0.0)


def test_a_model_that_is_not_asked_needs_no_price(trials: dict[str, Trial]) -> None:
    assert estimate([Todo(trials["radio"], 0, (RULES,))], {}).unpriced == ()


def test_a_free_model_costs_nothing_and_has_a_price(trials: dict[str, Trial]) -> None:
    found = estimate([Todo(trials["radio"], 1, (MODEL,))], {SUBJECT_AT: FREE, JUDGE_AT: FREE})
    assert (found.most_usd, found.unpriced) == (0.0, ())
