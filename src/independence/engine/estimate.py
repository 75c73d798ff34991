"""What a plan will cost before anything is sent: tokens, dollars, the range they will lie in, the most they can be.

The most counts every attempt an ask may come to, each with a full budget: an answer cut off by its budget is asked once
more with twice as much, and from then on one that says nothing twice again; a judge's unreadable verdict is asked again
twice, each time as such an ask of its own. Failed transport is not billed and not counted. The steps before a verdict
are calls on the verdict's bill.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from independence.clients.pricing import Prices, prompt_tokens
from independence.clients.retry import Policy
from independence.engine import dialogue
from independence.engine.bill import Bill, Most, Part
from independence.engine.plan import Condition, Trial
from independence.engine.profile import (
    CHARACTERS_PER_TOKEN,
    OWN,
    PROMPT_RUN,
    RUN,
    TOOL_TOKENS,
    VERDICT_RUN,
    Asked,
    Guess,
    Profile,
)
from independence.engine.resume import Todo
from independence.judge.insisting import REASKS
from independence.judge.prompt import transcript
from independence.judge.spec import JudgeSpec
from independence.types import Message

SUBJECT = ""  # in place of a judge: the answers themselves
_MARGIN = 1.3  # as much as a request's reservation adds to its estimated prompt
_LONGER = 1 + Policy().reasks  # attempts with twice the budget
_ATTEMPTS = 1 + _LONGER
_BUDGETS = 1 + 2 * _LONGER
_COMPLAINT_TOKENS = 200  # what is said about an unreadable verdict when it is asked again


class Estimate(NamedTuple):
    """Work and dollars. `unpriced` names models whose price is not known; they are in no figure."""

    calls: int
    verdicts: int
    typical_usd: float
    most_usd: float
    unpriced: tuple[str, ...]
    range_usd: tuple[float, float] = (0.0, 0.0)  # one in ten stays below, one in ten goes above
    steps: int = 0  # what judges write before verdicts: calls in neither figure above
    unlisted: tuple[str, ...] = ()  # models without a listed price, whether or not one was assumed
    notes: tuple[str, ...] = ()  # on prices that were assumed


class Entry(NamedTuple):
    """Whose bill: a subject's answers, or one judge's verdicts on them."""

    config_dir: str
    judge: str = SUBJECT


PriceList = Mapping[tuple[str, str], Prices | None]  # by (endpoint, model); None: unknown


def estimate(todo: Sequence[Todo], prices: PriceList, profile: Profile | None = None) -> Estimate:
    """Price what is left to do, by what stored calls say (`profile`) or the published means."""
    found = bills(todo, prices, profile)
    whole = reduce(Bill.plus, found.values(), Bill())
    names = {item.trial.subject.config_dir: item.trial.subject.model_id for item in todo}
    unpriced = [entry.judge or names[entry.config_dir] for entry, bill in found.items() if bill.unpriced]
    verdicts = sum(len(item.judges) for item in todo)
    calls = sum(item.calls for item in todo)
    unknown = tuple(dict.fromkeys(unpriced))
    return Estimate(calls, verdicts, whole.usd, whole.most_usd, unknown, whole.range_usd, whole.steps)


def bills(todo: Iterable[Todo], prices: PriceList, profile: Profile | None = None) -> dict[Entry, Bill]:
    """A bill for each subject's answers and for each judge's verdicts on them; the rule judge sends none."""
    clerk = _Clerk(profile or Profile())
    out: dict[Entry, Bill] = {}
    for item, times in _alike(todo):
        trial = item.trial
        subject = trial.subject
        own = prices.get((subject.endpoint, subject.model))
        for turn in range(trial.dialogue.generated - item.calls, trial.dialogue.generated):
            out.setdefault(Entry(subject.config_dir), Bill()).add(*clerk.answer(trial, turn), own, times)
        for judge in item.judges:
            if judge.asks:
                rate = prices.get((judge.endpoint, judge.model))
                bill = out.setdefault(Entry(subject.config_dir, judge.name), Bill())
                for step in clerk.steps(trial, judge):
                    bill.add_step(*step, rate, times)
                bill.add(*clerk.verdict(trial, judge), rate, times)
    return out


def _alike(todo: Iterable[Todo]) -> Iterator[tuple[Todo, int]]:
    """One of all that differ in their run alone, and how many they are."""
    groups: dict[Hashable, list[Todo]] = {}
    for item in todo:
        said = item.trial.dialogue
        place = (item.trial.subject, said.condition, said.scenario.id, item.calls, item.judges)
        groups.setdefault(place, []).append(item)
    yield from ((items[0], len(items)) for items in groups.values())


class _Clerk:
    """Sizes up one call after the other; what subjects and runs share is measured once."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._asked: dict[tuple[Condition, str, int], tuple[float, float]] = {}
        self._shown: dict[str, float] = {}

    def answer(self, trial: Trial, turn: int) -> tuple[Part, Part, Most]:
        """Prompt, completion and bound of a subject's answer."""
        budget, before = trial.dialogue.max_tokens, dialogue.before(trial)
        text, reserved = self._request(trial, turn)
        prompt = self._profile.prompt(trial, turn, text + self._earlier(trial, turn))
        longest = (reserved + (before + turn) * 2 * budget) * _MARGIN
        most = Most(_ATTEMPTS, _ATTEMPTS * longest, _BUDGETS * budget)
        return Part(prompt, PROMPT_RUN), Part(self._completion(trial, turn), RUN), most

    def verdict(self, trial: Trial, judge: JudgeSpec) -> tuple[Part, Part, Most]:
        """Prompt, completion and bound of a judge's verdict."""
        budget = judge.max_tokens
        text, longest = self._shown_to(judge, trial, self._profile.rubric(trial)[-1])
        prompt = self._profile.grading(judge, trial, text)
        asked = _ATTEMPTS * ((1 + REASKS) * longest + REASKS * (2 * budget + _COMPLAINT_TOKENS)) * _MARGIN
        most = Most((1 + REASKS) * _ATTEMPTS, asked, (1 + REASKS) * _BUDGETS * budget)
        return Part(prompt, PROMPT_RUN), Part(self._profile.verdict(judge, trial), VERDICT_RUN), most

    def steps(self, trial: Trial, judge: JudgeSpec) -> Iterator[tuple[Part, Part, Most]]:
        """The same of what the judge writes before it."""
        for asked in self._profile.rubric(trial)[:-1]:
            text, longest = self._shown_to(judge, trial, asked)
            most = Most(_ATTEMPTS, _ATTEMPTS * longest * _MARGIN, _BUDGETS * judge.max_tokens)
            written = self._profile.step(judge, asked.step)
            yield Part(self._profile.reading(judge, text), PROMPT_RUN), Part(written, VERDICT_RUN), most

    def _shown_to(self, judge: JudgeSpec, trial: Trial, asked: Asked) -> tuple[float, float]:
        """Tokens of a prompt for a judge: as they usually are, and at most."""
        turns, longest_answer = trial.dialogue.generated, 2 * trial.dialogue.max_tokens
        usual = most = asked.tokens
        if asked.transcript:
            text = self._transcript(trial)
            usual += text + self._earlier(trial, turns)
            most += text + (dialogue.before(trial) + turns) * longest_answer
        if asked.answer:
            usual += self._completion(trial, turns - 1).tokens
            most += longest_answer
        for step in asked.steps:
            usual += self._profile.step(judge, step).tokens
            most += 2 * judge.max_tokens
        return usual, most

    def _completion(self, trial: Trial, turn: int) -> Guess:
        """What an answer takes. Nobody can write more than the suite allows, unless stored calls say otherwise."""
        guess = self._profile.completion(trial, turn)
        return guess if guess.source == OWN else guess._replace(tokens=min(guess.tokens, trial.dialogue.max_tokens))

    def _earlier(self, trial: Trial, turn: int) -> float:
        """Tokens of the answers before a turn, those of the trials it continues included."""
        above = self._earlier(trial.parent, trial.parent.dialogue.generated) if trial.parent else 0.0
        return above + sum(self._completion(trial, before).tokens for before in range(turn))

    def _request(self, trial: Trial, turn: int) -> tuple[float, float]:
        """Tokens of a request without the answers in it: as they usually are, and as they are reserved for."""
        place = (trial.dialogue.condition, trial.dialogue.scenario.id, turn)
        if place not in self._asked:
            whole = dialogue.request(trial, dialogue.blank(trial, turn))
            text = sum(len(part) for message in whole.messages for part in _parts(message))
            usual = text / CHARACTERS_PER_TOKEN + (TOOL_TOKENS if whole.tool else 0.0)
            self._asked[place] = (usual, prompt_tokens(whole))
        return self._asked[place]

    def _transcript(self, trial: Trial) -> float:
        """Tokens of what a judge is shown, without the answers in it."""
        scenario = trial.dialogue.scenario.id
        if scenario not in self._shown:
            lines = dialogue.lines(trial, dialogue.blank(trial, trial.dialogue.generated))
            self._shown[scenario] = len(transcript(lines, "")) / CHARACTERS_PER_TOKEN
        return self._shown[scenario]


def _parts(message: Message) -> Iterator[str]:
    yield message.content or ""
    yield from (call.function.arguments for call in message.tool_calls)
