"""Which configurations of an import were asked what a suite asks: each stored request beside the one it would send."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from independence.exchange.sent_requests import published_request
from independence.extensions.published.responses import OLD_PROMPT, STALE
from independence.report.files import table_layouts
from independence.report.files.table import Table
from independence.store.dialogues import Turn
from independence.store.records import CallRow, TrialRow
from independence.suites import script
from independence.suites.schema import Suite
from independence.suites.script import DialogueScript, Exchange
from independence.types import Condition, Reply

_EQUAL, _ODD = "equal", "odd"
_EXCEPTIONS = (OLD_PROMPT, STALE)
_FEW = 5  # configurations that are listed of an import in other words

Messages = list[dict[str, Any]]
AskedDialogue = tuple[TrialRow, Sequence[CallRow | Turn]]  # its current answers, each with the request as it was stored


class ConfigurationComparison(NamedTuple):
    """How many requests of a configuration a suite would send to the letter, and why others differ."""

    requests: int
    equal: int
    exceptions: dict[str, int]  # reason -> requests; the reasons are flags of the import
    odd: int  # that differ for no known reason
    why: str  # it is set aside: the first of these, or what all of its requests are; empty where it is admitted


class RequestComparison(NamedTuple):
    """How the requests of every configuration of an import compare with those of a suite, by config_dir."""

    configurations: dict[str, ConfigurationComparison]
    unseen: tuple[str, ...]  # scenarios of which no admitted configuration has an equal request

    @property
    def admitted(self) -> dict[str, ConfigurationComparison]:
        """Those that were asked in the words of the suite."""
        return {name: one for name, one in self.configurations.items() if not one.why}

    @property
    def set_aside(self) -> dict[str, ConfigurationComparison]:
        """Those that were not."""
        return {name: one for name, one in self.configurations.items() if one.why}

    @property
    def holds(self) -> bool:
        """Whether some configurations were, with every scenario of the suite among them."""
        return bool(self.admitted) and not self.unseen


def compare(suite: Suite, dialogues: Iterable[AskedDialogue]) -> RequestComparison:
    """Compare every request with its whole history, and admit the configurations that agree.

    Two exceptions are known. An earlier answer that was asked for again is stored in another version than later
    requests quote: such a request is made with the answers that it quotes itself. And some requests have an older
    system prompt, and differ in nothing else. A configuration without any request of today's prompt is set aside, and
    so is one with any request that differs otherwise, in a scenario or condition that the suite lacks among them.
    """
    known = {scenario.id: scenario for scenario in suite.scenarios}
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seen: defaultdict[str, set[str]] = defaultdict(set)
    first: dict[str, str] = {}
    for trial, calls in dialogues:
        condition, composed = Condition(trial.variant, trial.mode), None
        if trial.scenario in known and condition.variant in suite.variants:
            composed = script.compose(suite, known[trial.scenario], condition)
        replies = {call.turn_id: call.answer for call in calls if isinstance(call.answer, Reply)}
        stored = {turn: Exchange("", reply.text, reply.thinking) for turn, reply in replies.items()}
        for call in calls:
            reason, where = _ODD, f"the suite has no scenario `{trial.scenario}` under {condition}"
            if composed is not None:
                reply = replies.get(call.turn_id)
                reason, where = _reason(composed, call, stored, reply.flags if reply else ())
            found[trial.config_dir][reason] += 1
            if reason in (_EQUAL, STALE):
                seen[trial.config_dir].add(trial.scenario)
            elif reason == _ODD:
                first.setdefault(trial.config_dir, f"run {trial.run}, {call.turn_id}: {where}")
    configurations = {name: _configuration(own, first.get(name, "")) for name, own in sorted(found.items())}
    asked = set[str]().union(*(seen[name] for name, one in configurations.items() if not one.why))
    return RequestComparison(configurations, tuple(scenario for scenario in known if scenario not in asked))


def _configuration(found: Counter[str], first: str) -> ConfigurationComparison:
    exceptions = {reason: found[reason] for reason in _EXCEPTIONS if found[reason]}
    why = first or ("" if found[_EQUAL] + found[STALE] else "all of its requests have an older system prompt")
    return ConfigurationComparison(found.total(), found[_EQUAL], exceptions, found[_ODD], why)


def _reason(
    composed: DialogueScript, call: CallRow | Turn, stored: dict[str, Exchange], flags: Sequence[str]
) -> tuple[str, str]:
    """Why a request differs, and where, if no exception explains it. `flags`: what is odd about the answer."""
    request = (call.sent if isinstance(call, Turn) else call.messages) or b"[]"
    if not published_request(request).exchanges:
        return _ODD, "its messages are not stored, or cannot be read"
    theirs: Messages = msgspec.json.decode(request)
    if _request(composed, call.turn_id, stored) == theirs:
        return _EQUAL, ""
    ours = _request(composed, call.turn_id, _quoted(composed, request, theirs))
    if ours == theirs:
        return STALE, ""
    if OLD_PROMPT in flags and ours[1:] == theirs[1:]:
        return OLD_PROMPT, ""
    return _ODD, _other_history(composed, ours, theirs) or _difference(ours, theirs)


def _other_history(composed: DialogueScript, ours: Messages, theirs: Messages) -> str:
    """How the questions before the last one differ; empty where none was added, left out or moved."""
    due, seen = (
        [past.human for past in published_request(msgspec.json.encode(own)).exchanges[:-1]] for own in (ours, theirs)
    )
    more, fewer = Counter(seen) - Counter(due), Counter(due) - Counter(seen)
    if due == seen or (more and len(due) == len(seen) and not more.keys() & {turn.human for turn in composed.turns}):
        return ""
    if more.keys() & set(due):
        return "a question stands in its history twice"
    if more.keys() & {turn.human for turn in composed.turns}:
        return "a later question stands in its history already"
    if more:
        return "an exchange that the suite does not have stands in its history"
    return "an earlier exchange is missing from its history" if fewer else "its history has another order"


def _quoted(composed: DialogueScript, request: bytes, theirs: Messages) -> dict[str, Exchange]:
    """The earlier answers as the request has them, by turn."""
    seen = published_request(request)
    answers = [past.answer for past in seen.exchanges if past.answer is not None]
    said = [message for message in theirs if message["role"] == "assistant"]
    private = [message.get("content") or "" for message in said[1:]] if seen.tool else [""] * len(answers)
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


def tables(comparison: RequestComparison) -> list[Table]:
    """The comparison for people: how many requests agree, and which configurations have others and why."""
    found, aside = comparison.configurations.values(), comparison.set_aside
    excepted = sum((Counter(one.exceptions) for one in found), Counter[str]())
    rows = [
        ("requests compared", sum(one.requests for one in found)),
        ("equal to the letter", sum(one.equal for one in found)),
        *((f"exception: {reason}", excepted[reason]) for reason in _EXCEPTIONS if excepted[reason]),
        ("unexplained", sum(one.odd for one in found)),
        ("configurations admitted", len(comparison.admitted)),
        ("configurations set aside", len(aside)),
    ]
    lacking = [f"No request is equal of: {', '.join(comparison.unseen)}."] if comparison.unseen else []
    excused = [
        (name, ", ".join(f"{reason} {count}" for reason, count in one.exceptions.items()), one.requests)
        for name, one in comparison.admitted.items()
        if one.exceptions
    ]
    odd = [(name, one.odd, one.requests, one.why) for name, one in aside.items()]
    shown = len(odd) if comparison.holds else _FEW
    more = [f"And {len(odd) - shown} more."] if len(odd) > shown else []
    return [
        table_layouts.made("comparisons/requests", rows, lacking),
        *([table_layouts.made("comparisons/exceptions", excused)] if excused else []),
        *([table_layouts.made("comparisons/set-aside", odd[:shown], more)] if odd else []),
    ]
