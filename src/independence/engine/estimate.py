"""What a plan will cost before anything is sent: tokens, dollars, and the range to expect.

A call takes what the same turn took in stored runs: on average those of its own subject or judge, else of everybody in
the suite, else published means. The range is that between stored runs; the ends of several bills add. The steps before
a verdict are calls on the verdict's bill.
"""

from __future__ import annotations

import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final, Literal, NamedTuple

import msgspec

from independence.clients.limits import Prices
from independence.engine import dialogue
from independence.engine.examining import CHARACTERS_PER_TOKEN, KnownDialogues
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.judge.prompt import transcript
from independence.store import spending
from independence.store.spending import CallTokens, RunTokens
from independence.suites.schema import Suite
from independence.types import brief

ANSWER_TOKENS, VERDICT_TOKENS = 341.0, 149.0  # published means
STEP_TOKENS = 300.0  # what a judge writes at a step, where nobody has yet: taken to be nearly as long as an answer
TOOL_TOKENS = 218.0  # least squares over the published requests
RUBRIC_TOKENS = 550.0  # where a suite's rubrics are not at hand
OWN: Final = "own runs"
SUITE: Final = "this suite's runs"
PUBLISHED: Final = "published means"
Source = Literal["own runs", "this suite's runs", "published means"]
# Shares of the mean between which eight in ten published bills lay: at the least that of a run after others of its
# subject, and that of a subject beside the mean of the others. The last is a guess, for suites nobody was asked yet.
RANGES: Final[Mapping[Source, tuple[float, float]]] = {OWN: (0.92, 1.08), SUITE: (0.6, 1.5), PUBLISHED: (0.5, 2.0)}
EVERYBODY = ""  # in place of a config_dir or judge
VERDICT = ""  # the turn of a verdict; those of a judge's steps are called as the steps are

PriceList = Mapping[tuple[str, str], Prices | None]  # by (endpoint, model); None: unknown


class ExpectedTokens(NamedTuple):
    """Tokens that a call is expected to take, and what that rests on."""

    prompt: float
    completion: float
    source: Source


class CostHistory(msgspec.Struct, frozen=True):
    """Tokens of stored runs of a suite, by config_dir or judge."""

    means: Mapping[tuple[str, str, int | str], CallTokens] = {}  # (who, scenario, turn); of EVERYBODY each counts once
    runs: Mapping[str, Sequence[RunTokens]] = {}
    rubrics: Mapping[str, Mapping[str, float]] = {}  # scenario -> each step and VERDICT -> tokens of its prompt alone

    def expected(self, who: str, scenario: str, turn: int | str, otherwise: tuple[float, float]) -> ExpectedTokens:
        """What somebody took there, else what everybody took there, else (prompt, completion) as they are guessed."""
        places: tuple[tuple[str, Source], ...] = ((who, OWN), (EVERYBODY, SUITE))
        for name, source in places:
            if mean := self.means.get((name, scenario, turn)):
                return ExpectedTokens(mean.prompt, mean.completion, source)
        return ExpectedTokens(otherwise[0], otherwise[1], PUBLISHED)

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


def learned(connection: sqlite3.Connection, suite: Suite) -> CostHistory:
    """What every edition of a suite in the store says, imports included."""
    means = {(call.who, call.scenario, call.turn): call for call in spending.call_tokens(connection, suite.suite)}
    everybody: dict[tuple[str, int | str], list[CallTokens]] = defaultdict(list)
    for call in means.values():
        if not call.simulated:
            everybody[call.scenario, call.turn].append(call)
    for (scenario, turn), calls in everybody.items():
        prompt, completion = fmean(call.prompt for call in calls), fmean(call.completion for call in calls)
        means[EVERYBODY, scenario, turn] = calls[0]._replace(who=EVERYBODY, prompt=prompt, completion=completion)
    runs: dict[str, list[RunTokens]] = defaultdict(list)
    for run in spending.run_tokens(connection, suite.suite):
        runs[run.who].append(run)
    return CostHistory(means=means, runs=runs, rubrics=rubrics(suite))


def rubrics(suite: Suite) -> dict[str, dict[str, float]]:
    """Scenario -> each step of its rubric, and the verdict -> tokens of the prompt without what it is shown."""
    prompts = {
        name: {step.name: step.prompt for step in rubric.steps} | ({VERDICT: rubric.prompt} if rubric.fields else {})
        for name, rubric in suite.rubrics.items()
    }
    return {
        scenario.id: {turn: len(text) / CHARACTERS_PER_TOKEN for turn, text in prompts[scenario.rubric].items()}
        for scenario in suite.scenarios
    }


class Payer(NamedTuple):
    """Whose bill: a subject's answers, or one judge's verdicts on them."""

    config_dir: str
    judge: str = ""  # empty: the answers themselves


class Bill(msgspec.Struct):
    """A sum over calls to come."""

    calls: int = 0
    steps: int = 0
    prompt: float = 0.0  # tokens
    completion: float = 0.0
    usd: float = 0.0
    range_usd: tuple[float, float] = (0.0, 0.0)
    unpriced: bool = False  # a model's price is not known: its calls are in no dollars
    sources: Counter[Source] = msgspec.field(default_factory=Counter)

    def add(self, call: ExpectedTokens, prices: Prices | None, times: int = 1, *, step: bool = False) -> None:
        """As many calls more, all alike. Without prices they count, and cost nothing that is known."""
        if step:
            self.steps += times
        else:
            self.calls += times
            self.sources[call.source] += times
        self.prompt += times * call.prompt
        self.completion += times * call.completion
        if prices is None:
            self.unpriced = True
        else:
            self.usd += times * (call.prompt * prices.prompt + call.completion * prices.completion + prices.request)


def total(bills: Iterable[Bill]) -> Bill:
    """All together."""
    out = Bill()
    for bill in bills:
        out.calls += bill.calls
        out.steps += bill.steps
        out.prompt += bill.prompt
        out.completion += bill.completion
        out.usd += bill.usd
        out.range_usd = (out.range_usd[0] + bill.range_usd[0], out.range_usd[1] + bill.range_usd[1])
        out.unpriced |= bill.unpriced
        out.sources += bill.sources
    return out


class CostEstimate(msgspec.Struct, frozen=True):
    """Work and dollars. `unpriced` names models whose price is not known; they are in no figure."""

    calls: int
    verdicts: int
    typical_usd: float
    unpriced: tuple[str, ...]
    range_usd: tuple[float, float] = (0.0, 0.0)
    steps: int = 0  # what judges write before verdicts: calls in neither figure above
    # Verdicts on known dialogues, which show whether a judge can judge; in the dollars, as are their steps.
    known: int = 0
    probes: int = 0  # small requests before the first call, which show what reaches the models; in the dollars
    bills: Mapping[Payer, Bill] = {}

    @property
    def most_usd(self) -> float:
        """The upper end of the range, where there is one."""
        return max(self.typical_usd, self.range_usd[1])

    def plus(self, usd: float, low: float, high: float) -> CostEstimate:
        """This estimate with so many dollars more, `low` and `high` more at the ends of its range."""
        ends = (self.range_usd[0] + low, self.range_usd[1] + high)
        return msgspec.structs.replace(self, typical_usd=self.typical_usd + usd, range_usd=ends)

    __repr__ = brief


def together(costs: Sequence[CostEstimate]) -> CostEstimate:
    """Several estimates as one; the ends of their ranges add."""
    sums = ("calls", "verdicts", "typical_usd", "steps", "known", "probes")
    payers = dict.fromkeys(payer for one in costs for payer in one.bills)
    return CostEstimate(
        **{name: sum(getattr(one, name) for one in costs) for name in sums},
        unpriced=tuple(dict.fromkeys(name for one in costs for name in one.unpriced)),
        range_usd=(sum(one.range_usd[0] for one in costs), sum(one.range_usd[1] for one in costs)),
        bills={payer: total(one.bills[payer] for one in costs if payer in one.bills) for payer in payers},
    )


def estimate(todo: Sequence[PendingTrial], prices: PriceList, history: CostHistory | None = None) -> CostEstimate:
    """Price what is left to do, by what stored calls say (`history`) or the published means."""
    found = bills(todo, prices, history or CostHistory())
    whole = total(found.values())
    names = {item.trial.subject.config_dir: item.trial.subject.model_id for item in todo}
    unpriced = [payer.judge or names[payer.config_dir] for payer, bill in found.items() if bill.unpriced]
    return CostEstimate(
        calls=sum(item.calls for item in todo),
        verdicts=sum(len(item.judges) for item in todo),
        typical_usd=whole.usd,
        unpriced=tuple(dict.fromkeys(unpriced)),
        range_usd=whole.range_usd,
        steps=whole.steps,
        bills=found,
    )


def of_known(todo: Sequence[PendingTrial], known: KnownDialogues | None, prices: PriceList) -> CostEstimate:
    """What judges that grade known dialogues will cost. These are there, so that their lengths are known."""
    if known is None:
        return estimate((), prices)
    means: dict[tuple[str, str, int | str], CallTokens] = {
        (EVERYBODY, trial.dialogue.scenario.id, call.turn): CallTokens(
            EVERYBODY, trial.dialogue.scenario.id, call.turn, False, 1, 0, call.answer.usage.completion_tokens
        )
        for trial, calls in zip(known.trials, known.calls, strict=True)
        for call in calls
    }
    return estimate(todo, prices, CostHistory(means=means, rubrics=rubrics(known.suite)))


def bills(todo: Iterable[PendingTrial], prices: PriceList, history: CostHistory) -> dict[Payer, Bill]:
    """A bill for each subject's answers and for each judge's verdicts on them; the rule judge sends none."""
    out, priced = dict[Payer, Bill](), dict[Payer, Prices | None]()
    for item, times in alike(todo):
        trial, subject = item.trial, item.trial.subject
        payer = Payer(subject.config_dir)
        for turn in range(trial.dialogue.generated - item.calls, trial.dialogue.generated):
            own = priced[payer] = prices.get((subject.endpoint, subject.model))
            out.setdefault(payer, Bill()).add(_answer(trial, turn, history), own, times)
        for judge in item.judges:
            if judge.endpoint:
                payer = Payer(subject.config_dir, judge.name)
                own = priced[payer] = prices.get((judge.endpoint, judge.model))
                for step, call in _verdict(trial, judge.name, history):
                    out.setdefault(payer, Bill()).add(call, own, times, step=step != VERDICT)
    for payer, bill in out.items():
        source = bill.sources.most_common(1)[0][0]
        low, high = history.range_of(payer.judge or payer.config_dir, source, priced[payer] or Prices())
        bill.range_usd = (bill.usd * low, bill.usd * high)
    return out


def alike(todo: Iterable[PendingTrial]) -> Iterator[tuple[PendingTrial, int]]:
    """One of all that differ in their run alone, and how many they are."""
    groups: dict[Hashable, list[PendingTrial]] = {}
    for item in todo:
        script = item.trial.dialogue
        place = (item.trial.subject, script.condition, script.scenario.id, item.calls, item.judges)
        groups.setdefault(place, []).append(item)
    yield from ((items[0], len(items)) for items in groups.values())


def _answer(trial: Trial, turn: int, history: CostHistory) -> ExpectedTokens:
    """A subject's answer. Nobody can write more than the suite allows, unless stored calls say otherwise."""
    request = dialogue.request(trial, dialogue.blank_progress(trial, turn))
    texts = [message.content or "" for message in request.messages]
    texts += [call.function.arguments for message in request.messages for call in message.tool_calls]
    prompt = sum(map(len, texts)) / CHARACTERS_PER_TOKEN + (TOOL_TOKENS if request.tool else 0.0)
    prompt += _earlier(trial, turn, history)
    return _expected_answer(trial, turn, history, prompt)


def longest_prompt(trial: Trial) -> float:
    """About how many tokens the prompt of a trial's last answer has."""
    return _answer(trial, trial.dialogue.generated - 1, CostHistory()).prompt


def longest_judge_prompt(trial: Trial, judge: str, prompts: Mapping[str, Mapping[str, float]]) -> float:
    """About how many tokens the longest prompt has by which a judge grades a trial; `prompts` as `rubrics` says."""
    return max(call.prompt for _, call in _verdict(trial, judge, CostHistory(rubrics=prompts)))


def _expected_answer(trial: Trial, turn: int, history: CostHistory, prompt: float = 0.0) -> ExpectedTokens:
    config_dir, scenario = trial.subject.config_dir, trial.dialogue.scenario.id
    found = history.expected(config_dir, scenario, turn, otherwise=(prompt, ANSWER_TOKENS))
    most = math.inf if found.source == OWN else dialogue.most_tokens(trial)
    return found._replace(completion=min(found.completion, most))


def _earlier(trial: Trial, turn: int, history: CostHistory) -> float:
    """Tokens of the answers before a turn, those of the trials it continues included."""
    above = _earlier(trial.parent, trial.parent.dialogue.generated, history) if trial.parent else 0.0
    return above + sum(_expected_answer(trial, before, history).completion for before in range(turn))


def _verdict(trial: Trial, judge: str, history: CostHistory) -> Iterator[tuple[str, ExpectedTokens]]:
    """What a judge writes about a dialogue, call by call: the steps of its rubric, and the verdict."""
    scenario, turns = trial.dialogue.scenario.id, trial.dialogue.generated
    lines = dialogue.transcript_turns(trial, dialogue.blank_progress(trial, turns))
    shown = len(transcript(lines, "")) / CHARACTERS_PER_TOKEN + _earlier(trial, turns, history)
    for name, own in history.rubrics.get(scenario, {VERDICT: RUBRIC_TOKENS}).items():
        written = VERDICT_TOKENS if name == VERDICT else STEP_TOKENS
        yield name, history.expected(judge, scenario, name, (own + shown, written))
