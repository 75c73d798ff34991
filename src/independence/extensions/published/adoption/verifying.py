"""Whether a suite sends what was sent for imported results: every stored request beside the one that it would send."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from independence.exchange.sent_requests import published_request
from independence.extensions.published.responses import EMPTY, OLD_PROMPT, SCRAMBLED, STALE
from independence.report import declared
from independence.report.table import Table
from independence.store.records import CallRow, TrialRow
from independence.suites import script
from independence.suites.schema import Suite
from independence.suites.script import DialogueScript, Exchange
from independence.types import Condition, Reply

_LEAST: Final = 0.95  # share of the requests that must be equal for the rest to be called exceptions

Messages = list[dict[str, Any]]
AskedDialogue = tuple[TrialRow, Sequence[CallRow]]  # its current answers, each with the request as it was stored


class RequestComparison(NamedTuple):
    """How many requests of an import a suite would send to the letter, and why others differ."""

    requests: int
    equal: int
    exceptions: dict[str, int]  # reason -> requests; the reasons are flags of the import
    unexplained: int
    first: str  # where the first of these differs; empty where there is none
    unseen: tuple[str, ...]  # scenarios of which no request is equal

    @property
    def holds(self) -> bool:
        """Whether the import can be taken to have been asked in the words of the suite."""
        agreeing = self.equal + self.exceptions.get(STALE, 0)
        return not self.unexplained and not self.unseen and agreeing >= _LEAST * self.requests


def compare(suite: Suite, dialogues: Iterable[AskedDialogue]) -> RequestComparison:
    """Compare every request. Dialogues of scenarios or conditions that the suite lacks are unexplained.

    An earlier answer that was asked for again is stored in another version than later requests quote; such a request
    is made with the answers that it quotes itself, and counts as an exception.
    """
    known = {scenario.id: scenario for scenario in suite.scenarios}
    found: Counter[str] = Counter()
    seen: set[str] = set()
    first = ""
    for trial, calls in dialogues:
        condition, composed = Condition(trial.variant, trial.mode), None
        if trial.scenario in known and condition.variant in suite.variants:
            composed = script.compose(suite, known[trial.scenario], condition)
        replies = {call.turn_id: call.answer for call in calls if isinstance(call.answer, Reply)}
        stored = {turn: Exchange("", reply.text, reply.thinking) for turn, reply in replies.items()}
        for call in calls:
            reason, where = _OTHER, f"the suite has no scenario `{trial.scenario}` under {condition}"
            if composed is not None:
                reply = replies.get(call.turn_id)
                reason, where = _reason(composed, call, stored, reply.flags if reply else ())
            found[reason] += 1
            seen |= {trial.scenario} if reason in (_EQUAL, STALE) else set()
            first = first or (f"{trial.config_dir} run {trial.run}, {call.turn_id}: {where}" if where else "")
    exceptions = {reason: found[reason] for reason in (OLD_PROMPT, STALE, SCRAMBLED, EMPTY) if found[reason]}
    return RequestComparison(
        requests=found.total(), equal=found[_EQUAL], exceptions=exceptions, unexplained=found[_OTHER], first=first,
        unseen=tuple(scenario for scenario in known if scenario not in seen),
    )  # fmt: skip


_EQUAL, _OTHER = "equal", "unexplained"


def _reason(
    composed: DialogueScript, call: CallRow, stored: dict[str, Exchange], flags: Sequence[str]
) -> tuple[str, str]:
    """Why a request differs, and where, if nothing is known that explains it. `flags`: what is odd about the answer."""
    theirs: Messages = msgspec.json.decode(call.messages or b"[]")
    if _request(composed, call.turn_id, stored) == theirs:
        return _EQUAL, ""
    ours = _request(composed, call.turn_id, _quoted(composed, call.messages or b"[]", theirs))
    if ours == theirs:
        return STALE, ""
    if OLD_PROMPT in flags and ours[1:] == theirs[1:]:
        return OLD_PROMPT, ""
    broken = [flag for flag in (SCRAMBLED, EMPTY) if flag in flags]
    return (broken[0], "") if broken else (_OTHER, _difference(ours, theirs))


def _quoted(composed: DialogueScript, request: bytes, theirs: Messages) -> dict[str, Exchange]:
    """The earlier answers as the request has them, by turn."""
    seen = published_request(request)
    answers = [past.answer for past in seen.exchanges if past.answer is not None]
    said = [message for message in theirs if message["role"] == "assistant"]
    private = [message["content"] or "" for message in said[1:]] if seen.tool else [""] * len(answers)
    turns = [turn.id for turn in composed.turns]
    return {turn: Exchange("", answer, own) for turn, answer, own in zip(turns, answers, private, strict=False) if turn}


def _request(composed: DialogueScript, turn_id: str, answers: dict[str, Exchange]) -> Messages:
    """The request for the answer of a turn, after these answers."""
    exchanges = []
    for turn in composed.turns:
        if turn.id == turn_id:
            exchanges.append(Exchange(turn.human))
            break
        past = answers.get(turn.id, Exchange("", "")) if turn.reply is None else Exchange("", turn.reply)
        exchanges.append(past._replace(human=turn.human))
    setting = script.DialogueSetting(composed.system, composed.context, composed.tool)
    made: Messages = msgspec.json.decode(msgspec.json.encode(script.messages(setting, exchanges)))
    return made


def _difference(ours: Messages, theirs: Messages) -> str:
    """The first place at which two requests differ."""
    if len(ours) != len(theirs):
        return f"{len(theirs)} messages were sent, the suite sends {len(ours)}"
    at, (own, other) = next((at, pair) for at, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1])
    texts = [msgspec.json.encode(one, order="sorted").decode() for one in (own, other)]
    if own.get("content") != other.get("content"):
        texts = [str(one.get("content")) for one in (own, other)]
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    return f"message {at + 1} ({other.get('role')}) differs at character {same + 1}"


def table(comparison: RequestComparison) -> Table:
    """The comparison for people."""
    rows = [
        ("requests compared", comparison.requests),
        ("equal to the letter", comparison.equal),
        *((f"exception: {reason}", count) for reason, count in comparison.exceptions.items()),
        ("unexplained", comparison.unexplained),
    ]
    notes = [f"First difference: {comparison.first}."] if comparison.first else []
    if comparison.unseen:
        notes.append(f"No request is equal of: {', '.join(comparison.unseen)}.")
    return declared.made("comparisons/requests", rows, notes)
