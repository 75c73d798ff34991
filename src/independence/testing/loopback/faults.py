"""What goes wrong, when: the kinds of faults, the `--faults` language and who is hit.

An item is `RATE` (every transient kind, in turn, at this rate altogether) or `KIND`, then `@MODEL` (that model alone),
`=RATE` (that share of requests) and `+N` (from the Nth request it concerns on). Without a rate a kind always strikes.
Whether a drawn fault strikes depends on (request body, attempt number, seed) alone; drawn faults that can pass never
strike more than `max_in_row` times in a row on one body, so that a client which retries gets through.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from typing import NamedTuple

from independence.errors import UsageError
from independence.testing.loopback.wire import uniforms

# The same request may succeed when it is sent again. `RATE` alone takes these in turn.
TRANSIENT = (
    "429",  # rate limited, no hint how long
    "429-after",  # rate limited, Retry-After
    "402-after",  # in-flight budget, Retry-After
    "408",
    "500",
    "502",
    "503",
    "504",
    "529",
    "reset",  # connection closed without a response
    "timeout",  # held for `hang_s`
    "cut",  # body ends in the middle
    "malformed",  # 200 with invalid JSON
    "error-in-200",  # 200 with an error object
    "error-choice",  # 200 with a choice that finished with an error
    "null-choices",  # 200 with `choices: null`
    "empty",  # 200 with nothing in it, zero tokens
)
# Sending it again does not help.
TERMINAL = (
    "401",  # key refused
    "402",  # out of credit
    "403",  # key limit reached
    "moderation",  # input flagged
    "404",  # no endpoint serves this
    "daily",  # daily quota of a free model
)
# An answer came, and something is wrong with it.
REPLY = (
    "reasoning-only",
    "length",  # truncated until the budget is at least twice the first one
    "lone",  # a lone `}`
    "echo",  # the scripted greeting again
    "cut-arguments",  # tool arguments end in the middle
    "list-arguments",  # tool arguments are a list
    "two-calls",  # the answer spread over two tool calls
    "template-tokens",  # chat template leaking around the answer
    "altered",  # the router says it changed the prompt
    "prose-judge",  # a judge that talks instead of filling in the form
)
KINDS = TRANSIENT + TERMINAL + REPLY
_NEEDS_TOOL = frozenset({"cut-arguments", "list-arguments", "two-calls"})
_ITEM = re.compile(r"(?P<head>[^@=+]+)(?:@(?P<model>[^@=+]+))?(?:=(?P<rate>[^@=+]+))?(?:\+(?P<first>[0-9]+))?")


class FaultRule(NamedTuple):
    """One item of the language."""

    kind: str  # "": every transient kind in turn
    model: str  # "": every model
    rate: float  # 0..1
    first: int  # 1-based number of the first request it may strike, among those it concerns
    drawn: bool  # False: strikes always


class FaultTarget(NamedTuple):
    """What a request shows to the faults."""

    model: str  # id with its variant suffixes
    digest: str  # of the whole body
    conversation: str  # digest of (model, messages, seed)
    attempt: int  # how often this body has been seen, this time included
    budget: int | None  # max_tokens
    tool: bool
    judge: bool


def parse_faults(spec: str) -> tuple[FaultRule, ...]:
    """The rules of a spec, in order; the first that strikes wins. Raises UsageError."""
    return tuple(_rule(item.strip()) for item in spec.split(",") if item.strip())


def _rule(item: str) -> FaultRule:
    match = _ITEM.fullmatch(item)
    if match is None:
        raise UsageError(f"--faults {item!r} is not RATE or KIND followed by @MODEL, =RATE or +N, in this order.")
    head = match["head"].strip()
    model, first = (match["model"] or "").strip(), int(match["first"] or 1)
    if head in KINDS:
        return FaultRule(head, model, _rate(match["rate"] or "1", item), first, match["rate"] is not None)
    if match["rate"] is None and re.fullmatch(r"[0-9]*\.?[0-9]+", head):
        return FaultRule("", model, _rate(head, item), first, drawn=True)
    close = difflib.get_close_matches(head, KINDS, 1)
    hint = f"did you mean {close[0]}?" if close else f"kinds are {', '.join(KINDS)}."
    raise UsageError(f"--faults {item!r}: there is no fault called {head!r}; {hint}")


def _rate(text: str, item: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise UsageError(f"--faults {item!r}: the rate must be a number from 0 to 1.")
    return rate


class Faults:
    """Decides, request by request. Remembers what it did to each body."""

    def __init__(self, rules: tuple[FaultRule, ...], seed: int, max_in_row: int) -> None:
        self._rules = rules
        self._seed = seed
        self._max_in_row = max_in_row
        self._seen = [0] * len(rules)
        self._turn = 0
        self._in_row: defaultdict[str, int] = defaultdict(int)
        self._first_budget: dict[str, int] = {}

    def strike(self, target: FaultTarget) -> str:
        """The kind that strikes this request, or "" for none."""
        if not self._rules:
            return ""
        if target.budget is not None:
            self._first_budget.setdefault(target.conversation, target.budget)
        struck = next(filter(None, (self._by(number, target) for number in self._due(target))), "")
        if not struck:
            self._in_row.pop(target.digest, None)
        return struck

    def _due(self, target: FaultTarget) -> list[int]:
        due = []
        for number, rule in enumerate(self._rules):
            if self._concerns(rule, target):
                self._seen[number] += 1
                if self._seen[number] >= rule.first:
                    due.append(number)
        return due

    def _by(self, number: int, target: FaultTarget) -> str:
        rule = self._rules[number]
        if not rule.drawn:
            return rule.kind
        if uniforms("fault", self._seed, number, target.digest, target.attempt).a >= rule.rate:
            return ""
        return self._drawn(rule, target)

    def _drawn(self, rule: FaultRule, target: FaultTarget) -> str:
        if rule.kind not in TERMINAL:
            if self._in_row[target.digest] >= self._max_in_row:
                return ""
            self._in_row[target.digest] += 1
        if rule.kind:
            return rule.kind
        self._turn += 1
        return TRANSIENT[(self._turn - 1) % len(TRANSIENT)]

    def _concerns(self, rule: FaultRule, target: FaultTarget) -> bool:
        if rule.model and rule.model not in (target.model, target.model.partition(":")[0]):
            return False
        if rule.kind == "length":
            first = self._first_budget.get(target.conversation, 0)
            return target.budget is None or target.budget < 2 * first
        if rule.kind == "prose-judge":
            return target.judge
        return target.tool or rule.kind not in _NEEDS_TOOL
