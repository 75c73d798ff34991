"""What the store says about the cost of calls to come: tokens a call takes, how far runs lie apart, unlisted prices.

Simulated models say nothing about the length of real answers.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from independence.clients.pricing import Prices
from independence.judge.prompt import render, render_step
from independence.judge.protocol import Judge
from independence.store import tokens
from independence.store.tokens import PaidCalls, RunTokens
from independence.suites.schema import Scenario, Suite
from independence.suites.template import slots
from independence.types import Where

RUBRIC_TOKENS = 550.0  # where a suite's rubrics are not at hand
CHARACTERS_PER_TOKEN = 4.1  # least squares over the published requests
OWN: Final = "own runs"
ELSEWHERE: Final = "own runs of other scenarios"
SUITE: Final = "this suite's runs"
PUBLISHED: Final = "published means"
Source = Literal["own runs", "own runs of other scenarios", "this suite's runs", "published means"]
# Shares of the mean between which eight in ten published bills lay: at the least that of a run after others of its
# subject, that of a subject after runs of one experiment, and that of a subject beside the mean of the others. The last
# is a guess, for suites that nobody was asked yet.
RANGES: Final[Mapping[Source, tuple[float, float]]] = {
    OWN: (0.92, 1.08), ELSEWHERE: (0.75, 1.25), SUITE: (0.6, 1.5), PUBLISHED: (0.5, 2.0),
}  # fmt: skip
EVERYBODY = ""  # in place of a config_dir: the mean over subjects, each counting once
ANSWER, VERDICT = "answer", ""  # kinds of turns; the other ones are steps of a rubric

PriceList = Mapping[tuple[str, str], Prices | None]  # by (endpoint, model); None: unknown
Place = tuple[str | int, ...]


class TokenMean(NamedTuple):
    """Mean tokens of stored calls."""

    tokens: float
    calls: int
    subjects: int = 1


class ExpectedTokens(NamedTuple):
    """Tokens that a call is expected to take, and what that rests on."""

    tokens: float
    source: Source


class JudgePrompt(NamedTuple):
    """What a judge is asked in one call, and what it is shown there."""

    tokens: float  # of the prompt by itself
    transcript: bool = True
    answer: bool = False  # the last one alone
    steps: tuple[str, ...] = ()  # whose outputs it is shown
    step: str = ""  # what is to be written; empty: the verdict


class CostHistory(msgspec.Struct, frozen=True):
    """Tokens of stored runs of a suite, by config_dir or judge. A `turn` is as in `tokens.CallTokens`."""

    completions: Mapping[Place, TokenMean] = {}  # (who, scenario, turn); (who, kind of turn): over all scenarios
    prompts: Mapping[Place, TokenMean] = {}  # (who, condition, scenario, turn), in the edition's own words alone
    runs: Mapping[str, Sequence[RunTokens]] = {}
    rubrics: Mapping[str, tuple[JudgePrompt, ...]] = {}  # scenario -> steps of its rubric, and the verdict

    def completion(self, who: str, scenario: str, turn: int | str, otherwise: float) -> ExpectedTokens:
        """What somebody wrote there, else what they write in general, else what everybody wrote there."""
        places: dict[Source, Place] = {
            OWN: (who, scenario, turn), ELSEWHERE: (who, kind_of(turn)), SUITE: (EVERYBODY, scenario, turn),
        }  # fmt: skip
        return _first(self.completions, places, otherwise)

    def prompt(self, who: str, place: Place, otherwise: float) -> ExpectedTokens:
        """What somebody read at a place (condition, scenario, turn), else what everybody read there."""
        return _first(self.prompts, {OWN: (who, *place), SUITE: (EVERYBODY, *place)}, otherwise)

    def rubric(self, scenario: str) -> tuple[JudgePrompt, ...]:
        """What a judge is asked about a dialogue, call by call; the verdict comes last."""
        return self.rubrics.get(scenario, (JudgePrompt(RUBRIC_TOKENS),))

    def calls(self, who: str, kind: str) -> int:
        """How many stored answers or verdicts of somebody there are."""
        own = self.completions.get((who, kind))
        return own.calls if own else 0

    @property
    def subjects(self) -> int:
        """Of how many subjects there are answers, simulated ones aside."""
        usual = (mean for (who, *at), mean in self.completions.items() if who == EVERYBODY and isinstance(at[-1], int))
        return max((mean.subjects for mean in usual), default=0)

    def range_of(self, who: str, source: Source, prices: Prices) -> tuple[float, float]:
        """The lowest and the highest cost to expect as shares of the mean: the cheapest and the dearest stored run."""
        low, high = RANGES[source]
        if source == OWN:
            whole = max((run.calls for run in self.runs.get(who, ())), default=0)
            for run in self.runs.get(who, ()):
                mean = run.mean_prompt * prices.prompt + run.mean_completion * prices.completion
                if mean and run.calls == whole:
                    share = (run.prompt * prices.prompt + run.completion * prices.completion) / mean
                    low, high = min(low, share), max(high, share)
        return low, high


def kind_of(turn: int | str) -> str:
    """What means over all scenarios are kept by."""
    return turn if isinstance(turn, str) else ANSWER


def _first(means: Mapping[Place, TokenMean], places: Mapping[Source, Place], otherwise: float) -> ExpectedTokens:
    """The mean of the first place that is known."""
    found = (ExpectedTokens(means[place].tokens, source) for source, place in places.items() if place in means)
    return next(found, ExpectedTokens(otherwise, PUBLISHED))


def learned(connection: sqlite3.Connection, suite: Suite, edition: str) -> CostHistory:
    """What every edition of a suite in the store says, imports included."""
    where = Where(suite.suite, edition)
    calls = tokens.calls(connection, where)
    simulated = {call.who for call in calls if call.simulated}
    completions = _pooled(((call.who, call.scenario, call.turn), call.completion, call.calls) for call in calls)
    prompts = _pooled(
        ((call.who, call.condition, call.scenario, call.turn), call.prompt, call.calls) for call in calls if call.here
    )
    runs: dict[str, list[RunTokens]] = defaultdict(list)
    for run in tokens.runs(connection, where):
        runs[run.who].append(run)
    return CostHistory(
        completions={
            **completions,
            **_pooled(((call.who, kind_of(call.turn)), call.completion, call.calls) for call in calls),
            **_everybody(completions, simulated),
        },
        prompts={**prompts, **_everybody(prompts, simulated)},
        runs=runs,
        rubrics=rubrics(suite),
    )


def _pooled(parts: Iterable[tuple[Place, float, int]]) -> dict[Place, TokenMean]:
    """Means over all calls of a place."""
    sums: dict[Place, tuple[float, int]] = {}
    for place, mean, calls in parts:
        total, count = sums.get(place, (0.0, 0))
        sums[place] = (total + mean * calls, count + calls)
    return {place: TokenMean(total / count, count) for place, (total, count) in sums.items()}


def _everybody(means: Mapping[Place, TokenMean], simulated: set[str]) -> dict[Place, TokenMean]:
    """Means over those who are not simulated, each counting once."""
    by_place: dict[Place, list[TokenMean]] = defaultdict(list)
    for (who, *place), mean in means.items():
        if who not in simulated:
            by_place[EVERYBODY, *place].append(mean)
    return {
        place: TokenMean(sum(mean.tokens for mean in found) / len(found), sum(mean.calls for mean in found), len(found))
        for place, found in by_place.items()
    }


def rubrics(suite: Suite) -> dict[str, tuple[JudgePrompt, ...]]:
    """Scenario -> what a judge is asked by its rubric, with estimated tokens: the steps, and the verdict."""
    return {scenario.id: tuple(_asked(suite, scenario)) for scenario in suite.scenarios}


def _asked(suite: Suite, scenario: Scenario) -> Iterator[JudgePrompt]:
    rubric, variables = suite.rubrics[scenario.rubric], {**suite.vars, **scenario.vars}
    written: dict[str, str] = {}
    for step in rubric.steps:
        text = render_step(step.prompt, variables, (), written)
        yield _sized(step.prompt, text, written)._replace(step=step.name)
        written[step.name] = ""
    text = render(rubric.prompt, variables, (), rubric.fields, written, rubric.verdict)
    yield _sized(rubric.prompt, text, written)


def _sized(prompt: str, text: str, written: Iterable[str]) -> JudgePrompt:
    """A prompt, rendered as `text` before anything was said; it is shown what its slots name."""
    shown = slots(prompt)
    steps = tuple(name for name in written if name in shown)
    return JudgePrompt(len(text) / CHARACTERS_PER_TOKEN, "transcript" in shown, "answer" in shown, steps)


class FilledPrices(NamedTuple):
    """Every price, those of stored calls where none was listed, and a sentence on each of these."""

    prices: PriceList
    notes: tuple[str, ...] = ()


def filled_prices(connection: sqlite3.Connection, listed: PriceList, judges: Iterable[Judge]) -> FilledPrices:
    """Take as much a token as stored calls cost where no price is listed. A hard cap cannot rest on these."""
    unknown = [model for model, price in listed.items() if price is None]
    if not unknown:
        return FilledPrices(listed)
    paid, graded = tokens.of_models(connection), tokens.of_judges(connection)
    for judge in judges:
        asked = judge.purchase.auditor.name if judge.purchase else judge.name
        if judge.needs_model and asked in graded:
            paid.setdefault((judge.endpoint, judge.model), graded[asked])
    found = {model: paid[model] for model in unknown if model in paid and paid[model].tokens}
    notes = tuple(_note("/".join(model), own) for model, own in found.items())
    mean = {model: Prices(own.usd / own.tokens, own.usd / own.tokens) for model, own in found.items()}
    return FilledPrices({**listed, **mean}, notes)


def _note(name: str, own: PaidCalls) -> str:
    return (
        f"No price is listed for {name}; its {own.calls:,} stored calls cost ${own.usd:.4f}, "
        f"${own.usd / own.tokens * 1e6:.2f} a million tokens, and that is taken."
    )
