"""What a plan will cost before anything is sent: tokens, dollars, the range to expect, the most it can be.

The mean is what such calls took in stored runs, at today's prices; where the store holds none, published means. The
range is that between stored runs (`CostHistory.range_of`); the ends of several bills add.

The most counts every attempt an ask may come to, each with a full budget: an answer cut off by its budget is asked once
more with twice as much, and from then on one that says nothing twice again; a judge's unreadable verdict is asked again
twice, each time as such an ask of its own. Failed transport is not billed and not counted. The steps before a verdict
are calls on the verdict's bill.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from independence.clients.pricing import Prices, prompt_tokens
from independence.clients.protocol import Policy
from independence.engine import dialogue
from independence.engine.cost_history import (
    CHARACTERS_PER_TOKEN,
    OWN,
    VERDICT,
    CostHistory,
    ExpectedTokens,
    JudgePrompt,
    PriceList,
    Source,
)
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.judge.prompt import transcript
from independence.judge.protocol import Judge
from independence.judge.reasking import REASKS
from independence.types import Condition, Message

ANSWER_TOKENS, VERDICT_TOKENS = 341.0, 149.0  # published means
STEP_TOKENS = 300.0  # what a judge writes at a step, where nobody has yet: taken to be nearly as long as an answer
TOOL_TOKENS = 218.0  # least squares over the published requests
SUBJECT = ""  # in place of a judge: the answers themselves
_MARGIN = 1.3  # as much as a request's reservation adds to its estimated prompt
_LONGER = 1 + Policy().reasks  # attempts with twice the budget
_ATTEMPTS = 1 + _LONGER
_BUDGETS = 1 + 2 * _LONGER
_COMPLAINT_TOKENS = 200  # what is said about an unreadable verdict when it is asked again


class CostEstimate(NamedTuple):
    """Work and dollars. `unpriced` names models whose price is not known; they are in no figure."""

    calls: int
    verdicts: int
    typical_usd: float
    most_usd: float
    unpriced: tuple[str, ...]
    range_usd: tuple[float, float] = (0.0, 0.0)
    steps: int = 0  # what judges write before verdicts: calls in neither figure above
    unlisted: tuple[str, ...] = ()  # models without a listed price, whether or not one was assumed
    notes: tuple[str, ...] = ()  # on prices that were assumed


class Payer(NamedTuple):
    """Whose bill: a subject's answers, or one judge's verdicts on them."""

    config_dir: str
    judge: str = SUBJECT


class CallEstimate(NamedTuple):
    """Tokens of one call to come, and a bound on the attempts it may take with the tokens of all of them."""

    prompt: float
    completion: ExpectedTokens
    most_attempts: int
    most_prompt: float
    most_completion: float


class Bill(msgspec.Struct):
    """A sum over calls to come."""

    calls: int = 0
    steps: int = 0
    prompt: float = 0.0  # tokens
    completion: float = 0.0
    usd: float = 0.0
    range_usd: tuple[float, float] = (0.0, 0.0)
    most_usd: float = 0.0
    unpriced: bool = False  # a model's price is not known: its calls are in no dollars
    sources: Counter[Source] = msgspec.field(default_factory=Counter)

    def add(self, call: CallEstimate, prices: Prices | None, times: int = 1, *, step: bool = False) -> None:
        """As many calls more, all alike. Without prices they count, and cost nothing that is known."""
        if step:
            self.steps += times
        else:
            self.calls += times
            self.sources[call.completion.source] += times
        self.prompt += times * call.prompt
        self.completion += times * call.completion.tokens
        if prices is None:
            self.unpriced = True
            return
        usd = call.prompt * prices.prompt + call.completion.tokens * prices.completion + prices.request
        dear = max(prices.completion, prices.internal_reasoning)
        most = call.most_prompt * prices.prompt + call.most_completion * dear + call.most_attempts * prices.request
        self.usd += times * usd
        self.most_usd += times * most


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
        out.most_usd += bill.most_usd
        out.unpriced |= bill.unpriced
        out.sources += bill.sources
    return out


def estimate(todo: Sequence[PendingTrial], prices: PriceList, history: CostHistory | None = None) -> CostEstimate:
    """Price what is left to do, by what stored calls say (`history`) or the published means."""
    found = bills(todo, prices, history)
    whole = total(found.values())
    names = {item.trial.subject.config_dir: item.trial.subject.model_id for item in todo}
    unpriced = [payer.judge or names[payer.config_dir] for payer, bill in found.items() if bill.unpriced]
    return CostEstimate(
        calls=sum(item.calls for item in todo),
        verdicts=sum(len(item.judges) for item in todo),
        typical_usd=whole.usd,
        most_usd=whole.most_usd,
        unpriced=tuple(dict.fromkeys(unpriced)),
        range_usd=whole.range_usd,
        steps=whole.steps,
    )


def bills(todo: Iterable[PendingTrial], prices: PriceList, history: CostHistory | None = None) -> dict[Payer, Bill]:
    """A bill for each subject's answers and for each judge's verdicts on them; the rule judge sends none."""
    history = history or CostHistory()
    sizes, out, priced = _CallSizes(history), dict[Payer, Bill](), dict[Payer, Prices | None]()
    for item, times in _alike(todo):
        trial, subject = item.trial, item.trial.subject
        payer, own = Payer(subject.config_dir), prices.get((subject.endpoint, subject.model))
        for turn in range(trial.dialogue.generated - item.calls, trial.dialogue.generated):
            priced[payer] = own
            out.setdefault(payer, Bill()).add(sizes.answer(trial, turn), own, times)
        for judge in item.judges:
            if judge.needs_model:
                payer = Payer(subject.config_dir, judge.name)
                rate = priced[payer] = prices.get((judge.endpoint, judge.model))
                bill = out.setdefault(payer, Bill())
                for call in sizes.steps(trial, judge):
                    bill.add(call, rate, times, step=True)
                bill.add(sizes.verdict(trial, judge), rate, times)
    for payer, bill in out.items():
        source = bill.sources.most_common(1)[0][0]
        low, high = history.range_of(payer.judge or payer.config_dir, source, priced[payer] or Prices())
        bill.range_usd = (bill.usd * low, bill.usd * high)
    return out


def _alike(todo: Iterable[PendingTrial]) -> Iterator[tuple[PendingTrial, int]]:
    """One of all that differ in their run alone, and how many they are."""
    groups: dict[Hashable, list[PendingTrial]] = {}
    for item in todo:
        said = item.trial.dialogue
        place = (item.trial.subject, said.condition, said.scenario.id, item.calls, item.judges)
        groups.setdefault(place, []).append(item)
    yield from ((items[0], len(items)) for items in groups.values())


class _CallSizes:
    """Sizes up one call after the other; what subjects and runs share is measured once."""

    def __init__(self, history: CostHistory) -> None:
        self._history = history
        self._requests: dict[tuple[Condition, str, int], tuple[float, float]] = {}
        self._transcripts: dict[str, float] = {}

    def answer(self, trial: Trial, turn: int) -> CallEstimate:
        """A subject's answer."""
        budget, before = trial.dialogue.max_tokens, dialogue.inherited_answers(trial)
        text, reserved = self._request(trial, turn)
        place = (str(trial.dialogue.condition), trial.dialogue.scenario.id, turn)
        text += self._earlier(trial, turn)
        longest = (reserved + (before + turn) * 2 * budget) * _MARGIN
        return CallEstimate(
            prompt=self._history.prompt(trial.subject.config_dir, place, text).tokens,
            completion=self._completion(trial, turn),
            most_attempts=_ATTEMPTS,
            most_prompt=_ATTEMPTS * longest,
            most_completion=_BUDGETS * budget,
        )

    def verdict(self, trial: Trial, judge: Judge) -> CallEstimate:
        """A judge's verdict."""
        scenario, budget = trial.dialogue.scenario.id, judge.max_tokens
        text, longest = self._shown_to(judge, trial, self._history.rubric(scenario)[-1])
        asked = _ATTEMPTS * ((1 + REASKS) * longest + REASKS * (2 * budget + _COMPLAINT_TOKENS)) * _MARGIN
        return CallEstimate(
            prompt=self._history.prompt(judge.name, ("", scenario, VERDICT), text).tokens,
            completion=self._history.completion(judge.name, scenario, VERDICT, VERDICT_TOKENS),
            most_attempts=(1 + REASKS) * _ATTEMPTS,
            most_prompt=asked,
            most_completion=(1 + REASKS) * _BUDGETS * budget,
        )

    def steps(self, trial: Trial, judge: Judge) -> Iterator[CallEstimate]:
        """What the judge writes before its verdict."""
        for asked in self._history.rubric(trial.dialogue.scenario.id)[:-1]:
            text, longest = self._shown_to(judge, trial, asked)
            yield CallEstimate(
                prompt=text,
                completion=self._step(judge, trial, asked.step),
                most_attempts=_ATTEMPTS,
                most_prompt=_ATTEMPTS * longest * _MARGIN,
                most_completion=_BUDGETS * judge.max_tokens,
            )

    def _step(self, judge: Judge, trial: Trial, step: str) -> ExpectedTokens:
        guess = min(STEP_TOKENS, judge.max_tokens)
        return self._history.completion(judge.name, trial.dialogue.scenario.id, step, guess)

    def _shown_to(self, judge: Judge, trial: Trial, asked: JudgePrompt) -> tuple[float, float]:
        """Tokens of a prompt for a judge: as they usually are, and at most."""
        turns, longest_answer = trial.dialogue.generated, 2 * trial.dialogue.max_tokens
        usual = most = asked.tokens
        if asked.transcript:
            text = self._transcript(trial)
            usual += text + self._earlier(trial, turns)
            most += text + (dialogue.inherited_answers(trial) + turns) * longest_answer
        if asked.answer:
            usual += self._completion(trial, turns - 1).tokens
            most += longest_answer
        for step in asked.steps:
            usual += self._step(judge, trial, step).tokens
            most += 2 * judge.max_tokens
        return usual, most

    def _completion(self, trial: Trial, turn: int) -> ExpectedTokens:
        """What an answer takes. Nobody can write more than the suite allows, unless stored calls say otherwise."""
        scenario, config = trial.dialogue.scenario.id, trial.subject.config_dir
        found = self._history.completion(config, scenario, turn, ANSWER_TOKENS)
        if found.source == OWN:
            return found
        return ExpectedTokens(min(found.tokens, trial.dialogue.max_tokens), found.source)

    def _earlier(self, trial: Trial, turn: int) -> float:
        """Tokens of the answers before a turn, those of the trials it continues included."""
        above = self._earlier(trial.parent, trial.parent.dialogue.generated) if trial.parent else 0.0
        return above + sum(self._completion(trial, before).tokens for before in range(turn))

    def _request(self, trial: Trial, turn: int) -> tuple[float, float]:
        """Tokens of a request without the answers in it: as they usually are, and as they are reserved for."""
        place = (trial.dialogue.condition, trial.dialogue.scenario.id, turn)
        if place not in self._requests:
            whole = dialogue.request(trial, dialogue.blank_progress(trial, turn))
            text = sum(len(part) for message in whole.messages for part in _parts(message))
            usual = text / CHARACTERS_PER_TOKEN + (TOOL_TOKENS if whole.tool else 0.0)
            self._requests[place] = (usual, prompt_tokens(whole))
        return self._requests[place]

    def _transcript(self, trial: Trial) -> float:
        """Tokens of what a judge is shown, without the answers in it."""
        scenario = trial.dialogue.scenario.id
        if scenario not in self._transcripts:
            lines = dialogue.transcript_turns(trial, dialogue.blank_progress(trial, trial.dialogue.generated))
            self._transcripts[scenario] = len(transcript(lines, "")) / CHARACTERS_PER_TOKEN
        return self._transcripts[scenario]


def _parts(message: Message) -> Iterator[str]:
    yield message.content or ""
    yield from (call.function.arguments for call in message.tool_calls)
