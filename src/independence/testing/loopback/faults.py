"""What goes wrong, when: the kinds of faults, the `--faults` language and who is hit.

An item is `RATE` (every transient kind, in turn, at this rate altogether) or `KIND`, then `@MODEL` (that model alone),
`=RATE` (that share of requests) and `+N` (from the Nth request it concerns on). Without a rate a kind always strikes.
Whether a drawn fault strikes depends on (request body, attempt number, seed) alone; drawn faults that can pass never
strike more than `max_in_row` times in a row on one body, so that a client which retries gets through. The
kinds are those of `faults.yaml`.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from independence.config import documents
from independence.errors import UsageError, suggestion
from independence.testing.loopback.wire import ParsedRequest, concerns, uniforms

_ITEM = re.compile(r"(?P<head>[^@=+]+)(?:@(?P<model>[^@=+]+))?(?:=(?P<rate>[^@=+]+))?(?:\+(?P<first>[0-9]+))?")


class FaultRule(NamedTuple):
    """One item of the language."""

    kind: str  # "": every transient kind in turn
    model: str  # "": every model
    rate: float  # 0..1
    first: int  # 1-based number of the first request it may strike, among those it concerns
    drawn: bool  # False: strikes always


class RefusalReason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a refusal says."""

    status: int
    message: str
    metadata: dict[str, object]
    code: str = ""  # of `error.availability`, where the model cannot be served
    retryable: bool = False
    after: bool = False  # says when to come back


Group = Literal["transient", "terminal", "reply"]


@cache
def groups() -> Mapping[Group, Mapping[str, RefusalReason | None]]:
    """Kinds of faults, with what is said where the request is refused, by whether asking again helps."""
    document = documents.read(Path(__file__).with_name("faults.yaml"))
    return documents.convert(document, dict[Group, dict[str, RefusalReason | None]])


@cache
def kinds() -> Mapping[str, RefusalReason | None]:
    """All kinds of faults."""
    return {kind: reason for group in groups().values() for kind, reason in group.items()}


def parse_faults(spec: str) -> tuple[FaultRule, ...]:
    """The rules of a spec, in order; the first that strikes wins. Raises UsageError."""
    return tuple(map(_rule, filter(None, map(str.strip, spec.split(",")))))


def _rule(item: str) -> FaultRule:
    match = _ITEM.fullmatch(item)
    if match is None:
        raise UsageError(f"--faults {item!r} is not RATE or KIND followed by @MODEL, =RATE or +N, in this order.")
    head = match["head"].strip()
    model, first = (match["model"] or "").strip(), int(match["first"] or 1)
    known = head in kinds()  # some are numbers too: 404
    if not known and (match["rate"] is not None or not re.fullmatch(r"[0-9]*\.?[0-9]+", head)):
        raise UsageError(f"--faults {item!r}: there is no fault called {head!r}; {suggestion(head, kinds())}")
    try:
        rate = float(match["rate"] or "1" if known else head)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise UsageError(f"--faults {item!r}: the rate must be a number from 0 to 1.")
    return FaultRule(head if known else "", model, rate, first, drawn=not known or match["rate"] is not None)


class Faults:
    """Decides, request by request. Remembers what it did to each body."""

    def __init__(self, rules: tuple[FaultRule, ...], seed: int, max_in_row: int) -> None:
        self._rules = rules
        self._seed = seed
        self._max_in_row = max_in_row
        self._seen = [0] * len(rules)
        self._turns = itertools.cycle(groups()["transient"])
        self._in_row: defaultdict[str, int] = defaultdict(int)
        self._first_budget: dict[str, int] = {}

    def strike(self, asked: ParsedRequest, attempt: int, judge: bool) -> str:
        """The kind that strikes this request, or "" for none; `attempt`: how often its body has been seen."""
        if not self._rules:
            return ""
        if asked.budget is not None:
            self._first_budget.setdefault(asked.conversation, asked.budget)
        concerned = [number for number, rule in enumerate(self._rules) if self._concerns(rule, asked, judge)]
        for number in concerned:
            self._seen[number] += 1
        due = (number for number in concerned if self._seen[number] >= self._rules[number].first)
        struck = next(filter(None, (self._by(number, asked, attempt) for number in due)), "")
        if not struck:
            self._in_row.pop(asked.digest, None)
        return struck

    def _by(self, number: int, asked: ParsedRequest, attempt: int) -> str:
        rule = self._rules[number]
        if not rule.drawn:
            return rule.kind
        if uniforms("fault", self._seed, number, asked.digest, attempt).a >= rule.rate:
            return ""
        if rule.kind not in groups()["terminal"]:
            if self._in_row[asked.digest] >= self._max_in_row:
                return ""
            self._in_row[asked.digest] += 1
        return rule.kind or next(self._turns)

    def _concerns(self, rule: FaultRule, asked: ParsedRequest, judge: bool) -> bool:
        if not concerns(rule.model, asked.model):
            return False
        if rule.kind == "length":
            return asked.budget is None or asked.budget < 2 * self._first_budget.get(asked.conversation, 0)
        return judge or rule.kind != "prose-judge"
