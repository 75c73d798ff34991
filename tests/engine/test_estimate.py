from __future__ import annotations

import msgspec
import pytest

from independence.clients.pricing import FREE, Prices, reservation
from independence.engine import dialogue
from independence.engine.cost_history import ANSWER, CostHistory, JudgePrompt, TokenMean
from independence.engine.dialogue import SubjectAnswer, TrialProgress
from independence.engine.estimate import Bill, CostEstimate, Payer, bills, estimate, total
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES
from independence.judge.model import ModelJudge
from independence.suites.load import LoadedSuite

from . import planned

RULES = CuesJudge(CUES)
MODEL = ModelJudge("acme/judge", endpoint="openrouter", model="acme/judge")
SUBJECT_AT, JUDGE_AT = ("openrouter", "acme/m"), ("openrouter", "acme/judge")
PRICES = Prices(prompt=1e-6, completion=4e-6)


@pytest.fixture
def trials(toy_suite: LoadedSuite) -> dict[str, Trial]:
    return {scenario: trial for (scenario, _), trial in planned.trials(toy_suite.suite).items()}


def test_nothing_to_do_costs_nothing() -> None:
    assert estimate([], {}) == CostEstimate(0, 0, 0.0, 0.0, ())


def test_calls_and_verdicts_are_counted(trials: dict[str, Trial]) -> None:
    todo = [PendingTrial(trials["dinner"], 2, (RULES, MODEL)), PendingTrial(trials["radio"], 0, (MODEL,))]
    found = estimate(todo, {SUBJECT_AT: PRICES, JUDGE_AT: PRICES})
    assert (found.calls, found.verdicts) == (2, 3)


def test_a_calls_price_is_its_prompt_and_a_typical_answer(toy_suite: LoadedSuite) -> None:
    trial = planned.trials(toy_suite.suite, modes=["user_role"])["radio", 1]
    texts = [trial.dialogue.system] + [text for turn in trial.dialogue.turns for text in (turn.human, turn.reply or "")]
    found = estimate([PendingTrial(trial, 1, ())], {SUBJECT_AT: Prices(prompt=1.0)})
    assert found.typical_usd == pytest.approx(sum(map(len, texts)) / 4.1)
    found = estimate([PendingTrial(trial, 1, ())], {SUBJECT_AT: Prices(completion=1.0, request=0.5)})
    assert found.typical_usd == pytest.approx(trial.dialogue.max_tokens + 0.5)  # fewer than a typical answer's 341


def test_a_tool_adds_its_definition_to_every_prompt(toy_suite: LoadedSuite) -> None:
    spoken, written = (planned.trials(toy_suite.suite, modes=[mode])["radio", 1] for mode in ("tool_role", "user_role"))
    found = [
        estimate([PendingTrial(trial, 1, ())], {SUBJECT_AT: Prices(prompt=1.0)}).typical_usd
        for trial in (spoken, written)
    ]
    assert found[0] > found[1] + 218


def test_the_most_is_every_budget_that_an_answer_may_use_up(trials: dict[str, Trial]) -> None:
    # Cut off at its budget, then cut off or silent three times with twice as much: what clients/reask allows.
    budget = trials["radio"].dialogue.max_tokens
    found = estimate([PendingTrial(trials["radio"], 1, ())], {SUBJECT_AT: Prices(completion=1.0, request=0.5)})
    assert found.most_usd == budget + 3 * 2 * budget + 4 * 0.5


def test_the_most_of_a_verdict_counts_its_unreadable_ones(trials: dict[str, Trial]) -> None:
    found = estimate([PendingTrial(trials["radio"], 0, (MODEL,))], {JUDGE_AT: Prices(completion=1.0, request=0.5)})
    assert found.most_usd == 3 * (7 * MODEL.max_tokens + 4 * 0.5)


def test_the_most_covers_what_the_cost_cap_reserves_for_each_request(trials: dict[str, Trial]) -> None:
    trial = trials["dessert"]  # its request holds the two answers of the dinner it follows
    budget = trial.dialogue.max_tokens
    longest = SubjectAnswer("a" * int(2 * budget * 3.5), "")
    asked = dialogue.request(trial, TrialProgress((longest, longest), (), None))
    found = estimate([PendingTrial(trial, 1, ())], {SUBJECT_AT: PRICES})
    assert found.most_usd > 3 * reservation(msgspec.structs.replace(asked, max_tokens=2 * budget), PRICES)


def test_what_a_subject_took_before_takes_the_place_of_published_means(trials: dict[str, Trial]) -> None:
    config = planned.SUBJECT.config_dir
    history = CostHistory(
        completions={(config, "radio", 0): TokenMean(1000.0, 4)},
        prompts={(config, "firm/tool_role", "radio", 0): TokenMean(50, 4)},
    )
    found = estimate([PendingTrial(trials["radio"], 1, ())], {SUBJECT_AT: PRICES}, history)
    assert found.typical_usd == pytest.approx(50 * 1e-6 + 1000 * 4e-6)


def test_an_earlier_answer_makes_later_prompts_longer(trials: dict[str, Trial]) -> None:
    config = planned.SUBJECT.config_dir
    wordy = CostHistory(completions={(config, "dinner", 0): TokenMean(900.0, 1)})
    todo, prices = (
        [PendingTrial(trials["dessert"], 1, (MODEL,))],
        {SUBJECT_AT: Prices(prompt=1.0), JUDGE_AT: Prices(prompt=1.0)},
    )
    usual = bills(todo, prices)
    longer = bills(todo, prices, wordy)
    for entry in (Payer(config), Payer(config, MODEL.name)):
        assert longer[entry].prompt == pytest.approx(usual[entry].prompt + 900 - 256)


def test_the_range_is_around_the_typical_figure_and_narrows_with_experience(trials: dict[str, Trial]) -> None:
    config = planned.SUBJECT.config_dir
    todo = [PendingTrial(trials["radio"], 1, ())]
    known = CostHistory(completions={(config, "radio", 0): TokenMean(300.0, 25)})
    prices = {SUBJECT_AT: Prices(completion=1.0)}
    ranges = []
    for history in (None, known):
        found = estimate(todo, prices, history)
        low, high = found.range_usd
        assert low < found.typical_usd < high < found.most_usd
        ranges.append(high / low)
    assert ranges[0] > 2 * ranges[1]


def test_runs_of_one_dialogue_cost_as_much_as_they_are(toy_suite: LoadedSuite) -> None:
    runs = planned.trials(toy_suite.suite, runs=5)
    prices = {SUBJECT_AT: PRICES, JUDGE_AT: PRICES}
    one = estimate([PendingTrial(runs["dinner", 1], 2, (MODEL,))], prices)
    five = estimate([PendingTrial(runs["dinner", run], 2, (MODEL,)) for run in range(1, 6)], prices)
    assert (five.calls, five.verdicts) == (10, 5)
    assert five.typical_usd == pytest.approx(5 * one.typical_usd)
    assert five.most_usd == pytest.approx(5 * one.most_usd)
    assert five.range_usd == pytest.approx(tuple(5 * end for end in one.range_usd))


def test_the_most_is_never_less_than_typical(trials: dict[str, Trial]) -> None:
    # 256 tokens are fewer than a typical answer: nobody can write more than the suite allows.
    for judges in ((), (MODEL,)):
        for scenario, calls in (("dinner", 2), ("dinner", 1), ("radio", 1)):
            found = estimate([PendingTrial(trials[scenario], calls, judges)], {SUBJECT_AT: PRICES, JUDGE_AT: PRICES})
            assert 0 < found.typical_usd <= found.most_usd


def test_a_later_turn_costs_more_than_an_earlier_one(trials: dict[str, Trial]) -> None:
    prices = {SUBJECT_AT: PRICES}
    whole = estimate([PendingTrial(trials["dinner"], 2, ())], prices).typical_usd
    rest = estimate([PendingTrial(trials["dinner"], 1, ())], prices).typical_usd
    assert whole / 2 < rest < whole


def test_reasoning_that_is_dearer_than_the_answer_sets_the_most(trials: dict[str, Trial]) -> None:
    todo = [PendingTrial(trials["radio"], 1, (MODEL,))]
    plain = estimate(todo, {SUBJECT_AT: PRICES, JUDGE_AT: PRICES})
    dear = Prices(prompt=1e-6, completion=4e-6, internal_reasoning=8e-6)
    thinking = estimate(todo, {SUBJECT_AT: dear, JUDGE_AT: dear})
    assert thinking.most_usd > plain.most_usd
    assert thinking.typical_usd == plain.typical_usd


def test_the_rule_judge_is_free_and_needs_no_price(trials: dict[str, Trial]) -> None:
    with_rules = estimate([PendingTrial(trials["radio"], 1, (RULES,))], {SUBJECT_AT: PRICES})
    without = estimate([PendingTrial(trials["radio"], 1, ())], {SUBJECT_AT: PRICES})
    assert (with_rules.typical_usd, with_rules.unpriced) == (without.typical_usd, ())


def test_models_without_a_known_price_are_named_once_and_in_no_figure(trials: dict[str, Trial]) -> None:
    todo = [PendingTrial(trials["dinner"], 2, (MODEL,)), PendingTrial(trials["radio"], 1, (MODEL,))]
    found = estimate(todo, {SUBJECT_AT: None})
    assert found.unpriced == ("acme/m", "acme/judge")
    assert (found.typical_usd, found.most_usd) == (0.0, 0.0)


def test_a_model_that_is_not_asked_needs_no_price(trials: dict[str, Trial]) -> None:
    assert estimate([PendingTrial(trials["radio"], 0, (RULES,))], {}).unpriced == ()


def test_a_free_model_costs_nothing_and_has_a_price(trials: dict[str, Trial]) -> None:
    found = estimate([PendingTrial(trials["radio"], 1, (MODEL,))], {SUBJECT_AT: FREE, JUDGE_AT: FREE})
    assert (found.most_usd, found.unpriced) == (0.0, ())


STEPPED = CostHistory(
    rubrics={
        "radio": (
            JudgePrompt(100.0, transcript=False, answer=True, step="claims"),
            JudgePrompt(40.0, transcript=False, steps=("claims",)),
        )
    }
)


def test_steps_are_on_the_bill_of_the_verdict_and_counted_beside_it(trials: dict[str, Trial]) -> None:
    todo = [PendingTrial(trials["radio"], 1, (RULES, MODEL))]
    found = estimate(todo, {SUBJECT_AT: FREE, JUDGE_AT: Prices(request=1.0)}, STEPPED)
    assert (found.calls, found.verdicts, found.steps, found.typical_usd) == (1, 2, 1, 2.0)
    assert found.most_usd == 4 + 3 * 4  # a step is one ask, a verdict up to three, of four attempts each


def test_a_prompt_costs_what_it_is_shown_and_no_more(trials: dict[str, Trial]) -> None:
    answer = trials["radio"].dialogue.max_tokens  # fewer than a typical answer's 341
    found = estimate([PendingTrial(trials["radio"], 0, (MODEL,))], {JUDGE_AT: Prices(prompt=1.0)}, STEPPED)
    assert found.typical_usd == pytest.approx(100 + answer + 40 + 300)
    # The verdict's prompt grows with its own two unreadable answers, and what a step can be at most is in every one.
    step, verdict = 100 + 2 * answer, 40 + 2 * MODEL.max_tokens
    assert found.most_usd == pytest.approx(1.3 * 4 * (step + 3 * verdict + 2 * (2 * MODEL.max_tokens + 200)))


def test_what_a_judge_wrote_before_takes_the_place_of_a_guess(trials: dict[str, Trial]) -> None:
    known = msgspec.structs.replace(STEPPED, completions={(MODEL.name, "claims"): TokenMean(50.0, 9)})
    todo = [PendingTrial(trials["radio"], 0, (MODEL,))]
    guess, told = (
        estimate(todo, {JUDGE_AT: Prices(completion=1.0)}, history).typical_usd for history in (STEPPED, known)
    )
    assert (guess, told) == (pytest.approx(300 + 149), pytest.approx(50 + 149))


def test_bills_together_are_the_sums_of_what_is_in_them(trials: dict[str, Trial]) -> None:
    config = planned.SUBJECT.config_dir
    known = CostHistory(completions={(config, ANSWER): TokenMean(200.0, 9)})
    found = bills([PendingTrial(trials["dinner"], 2, (MODEL,))], {SUBJECT_AT: PRICES, JUDGE_AT: None}, known)
    answers, verdicts = found[Payer(config)], found[Payer(config, MODEL.name)]
    assert answers.range_usd == pytest.approx((0.75 * answers.usd, 1.25 * answers.usd))
    whole = total([answers, verdicts, answers])
    assert (whole.calls, whole.unpriced, whole.sources) == (
        5,
        True,
        {"own runs of other scenarios": 4, "published means": 1},
    )
    assert (whole.usd, whole.most_usd) == (2 * answers.usd, 2 * answers.most_usd)
    assert whole.range_usd == pytest.approx(tuple(2 * end for end in answers.range_usd))
    assert total([]) == Bill()
