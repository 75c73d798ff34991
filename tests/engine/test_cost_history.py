"""What is learned from a store about the cost of calls, and how well it foretells the published bills."""

from __future__ import annotations

import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from independence.clients.pricing import Prices
from independence.config.subjects import Subject
from independence.engine import plan
from independence.engine.cost_history import (
    ANSWER,
    ELSEWHERE,
    EVERYBODY,
    OWN,
    PUBLISHED,
    SUITE,
    CostHistory,
    TokenMean,
    learned,
    rubrics,
)
from independence.engine.estimate import Payer, bills
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.store import artefacts, context, records
from independence.store.artefacts import ArtefactRow
from independence.store.records import CallRow, VerdictRow
from independence.store.tokens import RunTokens
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Step
from independence.types import Reply, Sampling, Usage, Verdict

from . import planned

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
def trials(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> dict[tuple[str, str], Trial]:
    """One run of three subjects, planned: (model id, scenario) -> trial."""
    made = plan.trials(toy_suite.suite, plan.select(toy_suite.suite, (), (), 1, ()), [TERSE, WORDY, SIM])
    planned.store(connection, toy_suite, made)
    return {(trial.subject.model_id, trial.dialogue.scenario.id): trial for trial in made}


def test_a_blank_store_teaches_the_size_of_the_rubrics_alone(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    history = learned(connection, toy_suite.suite, toy_suite.edition)
    assert (history.completions, history.prompts, history.runs, history.subjects) == ({}, {}, {}, 0)
    assert history.rubrics == rubrics(toy_suite.suite)
    (radio,), (dinner,) = history.rubrics["radio"], history.rubrics["dinner"]
    assert radio.tokens > dinner.tokens > 50  # two fields against one


def test_an_expectation_rests_on_own_calls_before_those_of_others_and_on_any_before_a_guess() -> None:
    own = {("me", "radio", 0): TokenMean(80.0, 25), ("me", ANSWER): TokenMean(90.0, 40)}
    others = {(EVERYBODY, "radio", 0): TokenMean(500.0, 65, 2), (EVERYBODY, "dinner", 0): TokenMean(600.0, 9, 2)}
    history = CostHistory(completions=own | others)
    assert history.completion("me", "radio", 0, 341.0) == (80.0, OWN)
    assert history.completion("me", "dinner", 0, 341.0) == (90.0, ELSEWHERE)  # what it writes elsewhere
    assert history.completion("you", "dinner", 0, 341.0) == (600.0, SUITE)
    assert history.completion("you", "silence", 0, 341.0) == (341.0, PUBLISHED)
    assert history.completion("me", "radio", "", 149.0) == (149.0, PUBLISHED)  # it has graded nothing
    assert (history.calls("me", ANSWER), history.subjects) == (40, 2)


def test_prompts_are_read_off_requests_in_the_same_words() -> None:
    place = ("firm/tool_role", "radio", 0)
    own, others = {("me", *place): TokenMean(600.0, 3)}, {(EVERYBODY, *place): TokenMean(700.0, 9, 3)}
    history = CostHistory(prompts=own | others)
    assert history.prompt("me", place, 77.0) == (600.0, OWN)
    assert history.prompt("you", place, 77.0) == (700.0, SUITE)
    assert history.prompt("me", ("firm/tool_role", "radio", 1), 77.0) == (77.0, PUBLISHED)


def test_the_range_is_from_the_cheapest_whole_run_to_the_dearest() -> None:
    runs = [
        RunTokens("me", calls, prompt, completion, 100.0, 100.0)
        for calls, prompt, completion in ((26, 100, 70), (26, 100, 150), (4, 100, 900))
    ]
    history = CostHistory(runs={"me": runs})
    assert history.range_of("me", OWN, Prices(completion=1.0)) == (0.7, 1.5)
    assert history.range_of("me", OWN, Prices(1.0, 1.0)) == (0.85, 1.25)
    assert history.range_of("me", OWN, Prices(prompt=1.0)) == history.range_of("you", OWN, Prices(1.0)) == (0.92, 1.08)
    assert history.range_of("me", ELSEWHERE, Prices(1.0)) == (0.75, 1.25)
    assert history.range_of("you", SUITE, Prices(1.0)) == (0.6, 1.5)
    assert history.range_of("you", PUBLISHED, Prices(1.0)) == (0.5, 2.0)


def test_a_rubric_with_steps_is_several_prompts_and_each_is_shown_what_it_quotes(toy_suite: LoadedSuite) -> None:
    steps = (
        Step(name="claims", prompt="x" * 410 + "{{answer}}"),
        Step(name="both", prompt="{{transcript}} {{claims}}"),
    )
    held = msgspec.structs.replace(toy_suite.suite.rubrics["held"], prompt="{{both}} {{fields}}", steps=steps)
    suite = msgspec.structs.replace(toy_suite.suite, rubrics={**toy_suite.suite.rubrics, "held": held})
    claims, both, verdict = rubrics(suite)["radio"]
    assert (claims[1:], claims.tokens > 100) == ((False, True, (), "claims"), True)
    assert both[1:] == (True, False, ("claims",), "both")
    assert verdict[1:] == (False, False, ("both",), "")
    assert len(rubrics(suite)["dinner"]) == 1


def test_scenarios_fill_rubrics_with_variables_of_their_own(toy_suite: LoadedSuite) -> None:
    held = msgspec.structs.replace(toy_suite.suite.rubrics["held"], prompt="{{party}} {{transcript}} {{fields}}")
    lengths = {"radio": 41, "dessert": 410}
    scenarios = tuple(
        msgspec.structs.replace(s, vars={"party": "x" * lengths[s.id]}) if s.id in lengths else s
        for s in toy_suite.suite.scenarios
    )
    suite = msgspec.structs.replace(
        toy_suite.suite, scenarios=scenarios, rubrics={**toy_suite.suite.rubrics, "held": held}
    )
    (short,), (long,) = (rubrics(suite)[name] for name in lengths)
    assert long.tokens - short.tokens == pytest.approx(90)


def test_a_judge_is_known_by_what_it_wrote_at_a_step(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, trials: dict[tuple[str, str], Trial]
) -> None:
    for key, completion in (("a", 100), ("b", 300)):
        output = Reply("- claim", "content", usage=Usage(1, completion))
        row = ArtefactRow(key, trials["acme/terse", "radio"].key, "j", "claims", 0, "w", "at", "{}", output)
        artefacts.add(connection, row)
    known = learned(connection, toy_suite.suite, toy_suite.edition).completions
    assert known["j", "radio", "claims"] == known["j", "claims"] == TokenMean(200.0, 2)


def test_each_subject_counts_once_in_what_everybody_took(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, trials: dict[tuple[str, str], Trial]
) -> None:
    say(connection, trials["acme/terse", "radio"], 400, 100)
    say(connection, trials["acme/wordy", "radio"], 600, 300)
    say(connection, trials["sim/half", "radio"], 1, 9)
    connection.execute("UPDATE subjects SET simulated = 1 WHERE config_dir = ?", (SIM.config_dir,))
    history = learned(connection, toy_suite.suite, toy_suite.edition)
    everybody = history.completions[EVERYBODY, "radio", 0]
    assert (everybody.tokens, everybody.calls, everybody.subjects) == (200.0, 2, 2)
    assert history.prompts[EVERYBODY, "firm/tool_role", "radio", 0].tokens == 500.0
    assert history.completions[SIM.config_dir, "radio", 0].tokens == 9.0
    assert history.subjects == 2


def test_other_words_teach_the_length_of_answers_and_not_of_prompts(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, trials: dict[tuple[str, str], Trial]
) -> None:
    say(connection, trials["acme/terse", "radio"], 400, 100)
    history = learned(connection, toy_suite.suite, "another edition")
    assert history.completions[TERSE.config_dir, "radio", 0].tokens == 100.0
    assert history.prompts == {}


def test_a_judge_is_known_by_scenario_and_over_all(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, trials: dict[tuple[str, str], Trial]
) -> None:
    for scenario, judge, prompt, completion in (
        ("radio", "j", 900, 100), ("dinner", "j", 700, 200), ("radio", "sim/judge", 1, 1),
    ):  # fmt: skip
        verdict = Verdict({}, usage=Usage(prompt, completion))
        trial = trials["acme/terse", scenario].key
        records.add_verdict(connection, VerdictRow(f"{judge} {trial}", trial, judge, "r", "", "{}", verdict))
    history = learned(connection, toy_suite.suite, toy_suite.edition)
    assert history.completion("j", "radio", "", 149.0) == (100.0, OWN)
    assert (history.completion("j", "dessert", "", 149.0), history.calls("j", "")) == ((150.0, ELSEWHERE), 2)
    assert history.prompts[EVERYBODY, "", "radio", ""].tokens == 900.0  # a simulated judge's tokens are nobody's


PRICES = Prices(1e-6, 4e-6)


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
    history = learned(connection, suite, "published")
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
def test_runs_of_ones_own_foretell_the_next_bill(published: sqlite3.Connection) -> None:
    last = {config: runs for config, runs in complete_runs(published).items() if len(runs) >= 3}
    assert len(last) > 40
    for config, runs in last.items():
        published.execute(
            "DELETE FROM calls WHERE trial IN (SELECT trial FROM planned WHERE config_dir = ? AND run >= ?)",
            (config, max(runs)),
        )
    assert 0.65 < held(published, {config: runs[max(runs)] for config, runs in last.items()}) < 0.9


@pytest.mark.published
def test_runs_of_others_foretell_the_bill_of_a_new_subject(published: sqlite3.Connection) -> None:
    whole = {config: runs for config, runs in complete_runs(published).items() if runs}
    new = dict(list(whole.items())[::2])
    published.executemany(
        "DELETE FROM calls WHERE trial IN (SELECT trial FROM planned WHERE config_dir = ?)", [(name,) for name in new]
    )
    assert 0.65 < held(published, {config: next(iter(runs.values())) for config, runs in new.items()}) < 0.9
