"""What a plan will cost: by guesses, by what stored runs took, and how well that foretells the published bills."""

from __future__ import annotations

import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from independence.clients.limits import FREE, Prices
from independence.config.subjects import Subject
from independence.engine import plan
from independence.engine.estimate import (
    EVERYBODY,
    OWN,
    PUBLISHED,
    SUITE,
    VERDICT,
    Bill,
    CostEstimate,
    CostHistory,
    Payer,
    bills,
    estimate,
    learned,
    total,
)  # fmt: skip
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES
from independence.judge.model import ModelJudge
from independence.store import artefacts, context, records
from independence.store.artefacts import ArtefactRow
from independence.store.records import CallRow, VerdictRow
from independence.store.spending import CallTokens, RunTokens
from independence.suites.load import LoadedSuite, load
from independence.types import Reply, Sampling, Usage, Verdict

from . import planned

RULES = CuesJudge(CUES)
MODEL = ModelJudge("acme/judge", endpoint="openrouter", model="acme/judge")
SUBJECT_AT, JUDGE_AT = ("openrouter", "acme/m"), ("openrouter", "acme/judge")
PRICES = Prices(prompt=1e-6, completion=4e-6)


@pytest.fixture
def trials(toy_suite: LoadedSuite) -> dict[str, Trial]:
    return {scenario: trial for (scenario, _), trial in planned.trials(toy_suite.suite).items()}


def test_calls_verdicts_and_models_without_a_known_price_are_counted(trials: dict[str, Trial]) -> None:
    dinner, radio = (PendingTrial(trials["dinner"], 2, (RULES, MODEL)), PendingTrial(trials["radio"], 0, (MODEL,)))
    assert estimate([], {}) == CostEstimate(0, 0, 0.0, ())
    for todo, prices, calls, verdicts, unpriced in (
        ([dinner, radio], {SUBJECT_AT: PRICES, JUDGE_AT: PRICES}, 2, 3, ()),
        ([dinner, radio], {SUBJECT_AT: None}, 2, 3, ("acme/m", "acme/judge")),
        ([PendingTrial(trials["radio"], 0, (RULES,))], {}, 0, 1, ()),
        ([PendingTrial(trials["radio"], 1, (MODEL,))], {SUBJECT_AT: FREE, JUDGE_AT: FREE}, 1, 1, ()),
    ):
        found = estimate(todo, prices)
        assert (found.calls, found.verdicts, found.unpriced) == (calls, verdicts, unpriced)
        assert (found.typical_usd > 0) == (PRICES in prices.values())
    own = {SUBJECT_AT: PRICES}
    with_rules, without = (estimate([PendingTrial(trials["radio"], 1, judges)], own) for judges in ((RULES,), ()))
    assert with_rules.typical_usd == without.typical_usd


def test_a_calls_price_is_its_prompt_and_a_typical_answer(toy_suite: LoadedSuite) -> None:
    trial = planned.trials(toy_suite.suite, modes=["user_role"])["radio", 1]
    texts = [trial.dialogue.system] + [text for turn in trial.dialogue.turns for text in (turn.human, turn.reply or "")]
    found = estimate([PendingTrial(trial, 1, ())], {SUBJECT_AT: Prices(prompt=1.0)})
    assert found.typical_usd == pytest.approx(sum(map(len, texts)) / 4.1)
    found = estimate([PendingTrial(trial, 1, ())], {SUBJECT_AT: Prices(completion=1.0, request=0.5)})
    assert found.typical_usd == pytest.approx(trial.dialogue.max_tokens + 0.5)  # fewer than a typical answer's 341


def test_a_tool_adds_its_definition_to_every_prompt_and_a_later_turn_what_was_said(toy_suite: LoadedSuite) -> None:
    prices = {SUBJECT_AT: Prices(prompt=1.0)}
    tool, written = (planned.trials(toy_suite.suite, modes=[mode]) for mode in ("tool_role", "user_role"))
    spoken, plain = (estimate([PendingTrial(made["radio", 1], 1, ())], prices).typical_usd for made in (tool, written))
    assert spoken > plain + 218
    whole, rest = (estimate([PendingTrial(tool["dinner", 1], calls, ())], prices).typical_usd for calls in (2, 1))
    assert whole / 2 < rest < whole


def test_runs_of_one_dialogue_cost_as_much_as_they_are(toy_suite: LoadedSuite) -> None:
    runs = planned.trials(toy_suite.suite, runs=5)
    prices = {SUBJECT_AT: PRICES, JUDGE_AT: PRICES}
    one = estimate([PendingTrial(runs["dinner", 1], 2, (MODEL,))], prices)
    five = estimate([PendingTrial(runs["dinner", run], 2, (MODEL,)) for run in range(1, 6)], prices)
    assert (five.calls, five.verdicts) == (10, 5)
    assert five.typical_usd == pytest.approx(5 * one.typical_usd)
    assert five.range_usd == pytest.approx(tuple(5 * end for end in one.range_usd))


def took(who: str, scenario: str, turn: int | str, prompt: float, completion: float) -> CallTokens:
    return CallTokens(who, scenario, turn, False, 4, prompt, completion)


def known(*calls: CallTokens, **more: Any) -> CostHistory:
    return CostHistory(means={(call.who, call.scenario, call.turn): call for call in calls}, **more)


def test_an_expectation_rests_on_own_calls_before_those_of_others_and_on_any_before_a_guess() -> None:
    history = known(
        took("me", "radio", 0, 7.0, 80.0), took(EVERYBODY, "radio", 0, 8.0, 500.0),
        took(EVERYBODY, "dinner", 0, 9.0, 600.0),
    )  # fmt: skip
    guess = (1.0, 341.0)
    assert history.expected("me", "radio", 0, guess) == (7.0, 80.0, OWN)
    assert history.expected("me", "dinner", 0, guess) == (9.0, 600.0, SUITE)
    assert history.expected("you", "silence", 0, guess) == (*guess, PUBLISHED)


def test_an_earlier_answer_makes_later_prompts_longer(trials: dict[str, Trial]) -> None:
    config = planned.SUBJECT.config_dir
    wordy = known(took(config, "dinner", 0, 1.0, 900.0))
    todo = [PendingTrial(trials["dessert"], 1, (MODEL,))]
    usual, longer = (bills(todo, {}, history) for history in (CostHistory(), wordy))
    for entry in (Payer(config), Payer(config, MODEL.name)):
        assert longer[entry].prompt == pytest.approx(usual[entry].prompt + 900 - 256)


def test_the_range_is_around_the_typical_figure_and_narrows_with_own_calls(trials: dict[str, Trial]) -> None:
    todo = [PendingTrial(trials["radio"], 1, ())]
    own = known(took(planned.SUBJECT.config_dir, "radio", 0, 50.0, 1000.0))
    guessed, learnt = (estimate(todo, {SUBJECT_AT: PRICES}, history) for history in (None, own))
    assert learnt.typical_usd == pytest.approx(50 * 1e-6 + 1000 * 4e-6)
    for found, share in ((guessed, (0.5, 2.0)), (learnt, (0.92, 1.08))):
        assert found.range_usd == pytest.approx(tuple(end * found.typical_usd for end in share))


def test_the_range_is_from_the_cheapest_whole_run_to_the_dearest() -> None:
    runs = [
        RunTokens("me", calls, prompt, completion, 100.0, 100.0)
        for calls, prompt, completion in ((26, 100, 70), (26, 100, 150), (4, 100, 900))
    ]
    history = CostHistory(runs={"me": runs})
    assert history.range_of("me", OWN, Prices(completion=1.0)) == (0.7, 1.5)
    assert history.range_of("me", OWN, Prices(1.0, 1.0)) == (0.85, 1.25)
    assert history.range_of("me", OWN, Prices(prompt=1.0)) == history.range_of("you", OWN, Prices(1.0)) == (0.92, 1.08)
    assert history.range_of("you", SUITE, Prices(1.0)) == (0.6, 1.5)
    assert history.range_of("you", PUBLISHED, Prices(1.0)) == (0.5, 2.0)


def test_steps_are_on_the_bill_of_the_verdict_and_counted_beside_it(trials: dict[str, Trial]) -> None:
    stepped = CostHistory(rubrics={"radio": {"claims": 100.0, VERDICT: 40.0}})
    todo = [PendingTrial(trials["radio"], 1, (RULES, MODEL))]
    found = estimate(todo, {SUBJECT_AT: FREE, JUDGE_AT: Prices(request=1.0)}, stepped)
    assert (found.calls, found.verdicts, found.steps, found.typical_usd) == (1, 2, 1, 2.0)
    written = estimate(todo, {SUBJECT_AT: FREE, JUDGE_AT: Prices(completion=1.0)}, stepped)
    assert written.typical_usd == pytest.approx(300 + 149)


def test_bills_together_are_the_sums_of_what_is_in_them(trials: dict[str, Trial]) -> None:
    config = planned.SUBJECT.config_dir
    history = known(took(config, "dinner", 0, 1.0, 200.0), took(config, "dinner", 1, 1.0, 200.0))
    found = bills([PendingTrial(trials["dinner"], 2, (MODEL,))], {SUBJECT_AT: PRICES, JUDGE_AT: None}, history)
    answers, verdicts = found[Payer(config)], found[Payer(config, MODEL.name)]
    assert answers.range_usd == pytest.approx((0.92 * answers.usd, 1.08 * answers.usd))
    whole = total([answers, verdicts, answers])
    assert (whole.calls, whole.unpriced, whole.sources) == (5, True, {"own runs": 4, "published means": 1})
    assert whole.usd == 2 * answers.usd
    assert total([]) == Bill()
    assert total([Bill(steps=2), Bill(steps=1)]).steps == 3


TERSE, WORDY, SIM = (
    Subject("acme/terse", "openrouter", "acme/terse"),
    Subject("acme/wordy", "openrouter", "acme/wordy"),
    Subject("sim/half", "sim", "half"),
)


def say(connection: sqlite3.Connection, trial: Trial, prompt: int, *completions: int) -> None:
    """Answers of a trial that took so many tokens."""
    at = context.begin(trial.key)
    for turn, completion in enumerate(completions):
        answer = Reply(f"{turn}", "tool", usage=Usage(prompt, completion))
        after = context.extend(at, answer)
        records.add_call(connection, CallRow(trial.key, turn, f"{turn}", at, after, answer))
        at = after


@pytest.fixture
def stored(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> dict[tuple[str, str], Trial]:
    """One run of three subjects, planned: (model id, scenario) -> trial."""
    made = plan.trials(toy_suite.suite, plan.select(toy_suite.suite, (), (), 1, ()), [TERSE, WORDY, SIM])
    planned.store(connection, toy_suite, made)
    return {(trial.subject.model_id, trial.dialogue.scenario.id): trial for trial in made}


def test_a_blank_store_teaches_the_size_of_the_rubrics_alone(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    history = learned(connection, toy_suite.suite)
    assert (history.means, history.runs) == ({}, {})
    assert history.rubrics["radio"].keys() == {VERDICT}


def test_each_subject_counts_once_in_what_everybody_took(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, stored: dict[tuple[str, str], Trial]
) -> None:
    say(connection, stored["acme/terse", "radio"], 400, 100)
    say(connection, stored["acme/wordy", "radio"], 600, 300)
    say(connection, stored["sim/half", "radio"], 1, 9)
    connection.execute("UPDATE subjects SET simulated = 1 WHERE config_dir = ?", (SIM.config_dir,))
    history = learned(connection, toy_suite.suite)
    assert history.means[EVERYBODY, "radio", 0][-2:] == (500.0, 200.0)
    assert history.means[SIM.config_dir, "radio", 0].completion == 9.0


def test_a_judge_is_known_by_scenario_and_by_what_it_wrote_at_a_step(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, stored: dict[tuple[str, str], Trial]
) -> None:
    trial = stored["acme/terse", "radio"].key
    for judge, prompt, completion in (("j", 900, 100), ("sim/judge", 1, 1)):
        verdict = Verdict({}, usage=Usage(prompt, completion))
        records.add_verdict(connection, VerdictRow(f"{judge} {trial}", trial, judge, "r", "", "{}", verdict))
    for key, completion in (("a", 100), ("b", 300)):
        output = Reply("- claim", "content", usage=Usage(1, completion))
        artefacts.add(connection, ArtefactRow(key, trial, "j", "claims", 0, "w", "at", "{}", output))
    history = learned(connection, toy_suite.suite)
    assert history.expected("j", "radio", VERDICT, (0.0, 149.0)) == (900.0, 100.0, OWN)
    assert history.expected("k", "radio", VERDICT, (0.0, 149.0)) == (900.0, 100.0, SUITE)  # no simulated judge's
    assert history.means["j", "radio", "claims"].completion == 200.0


@pytest.fixture
def published(published_store: Path, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The published part, free to be changed."""
    shutil.copy(published_store, tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "copy.db", isolation_level=None)) as opened:
        opened.execute("PRAGMA synchronous = OFF")
        yield opened


def complete_runs(connection: sqlite3.Connection) -> dict[str, dict[int, float]]:
    """config_dir -> run -> what its 26 answers cost at one price for all."""
    usd: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for config, run, prompt, completion in connection.execute(
        "SELECT p.config_dir, p.run, c.prompt_tokens, c.completion_tokens FROM planned p JOIN calls c USING (trial) "
        "WHERE c.completion_tokens > 0"
    ):
        usd[config][run].append(prompt * PRICES.prompt + completion * PRICES.completion)
    return {
        config: {run: sum(calls) for run, calls in sorted(runs.items()) if len(calls) == 26}
        for config, runs in sorted(usd.items())
    }


def configured(config_dir: str) -> Subject:
    """The configuration that a published directory is named after."""
    head, _, tail = config_dir.partition("@")
    effort, _, temperature = tail.rpartition("-t")
    slug, _, pin = head.partition("+")
    return Subject(slug.replace("--", "/"), "openrouter", "m", Sampling(float(temperature), effort, pin or None))


def held(connection: sqlite3.Connection, bill_of: dict[str, float]) -> float:
    """Share of bills that lie in the range foretold by what is left in the store."""
    suite = load("v2").suite
    history = learned(connection, suite)
    inside = []
    for config_dir, usd in bill_of.items():
        subject = configured(config_dir)
        assert subject.config_dir == config_dir
        trials = plan.trials(suite, plan.select(suite, (), (), 1, ()), [subject])
        todo = [PendingTrial(trial, trial.dialogue.generated, ()) for trial in trials]
        low, high = bills(todo, {("openrouter", "m"): PRICES}, history)[Payer(config_dir)].range_usd
        inside.append(low <= usd <= high)
    return sum(inside) / len(inside)


@pytest.mark.published
@pytest.mark.parametrize("own", [True, False], ids=["runs of one's own", "runs of others"])
def test_stored_runs_foretell_the_next_bill(published: sqlite3.Connection, own: bool) -> None:
    least = 3 if own else 1
    found = {config: runs for config, runs in complete_runs(published).items() if len(runs) >= least}
    new = list(found) if own else list(found)[::2]
    first_gone = {config: max(found[config]) if own else 0 for config in new}
    published.executemany(
        "DELETE FROM calls WHERE trial IN (SELECT trial FROM planned WHERE config_dir = ? AND run >= ?)",
        first_gone.items(),
    )
    bills_of = {config: found[config][max(found[config]) if own else min(found[config])] for config in new}
    assert len(bills_of) > (40 if own else 20)
    assert 0.65 < held(published, bills_of) < 0.9
