"""From a request to what will happen to it: the whole behaviour of the endpoint, without a socket."""

from __future__ import annotations

from typing import Literal, NamedTuple

from independence.testing.loopback import bodies, refusals
from independence.testing.loopback.catalogue import PROVIDER_SLUGS, ServedCatalogue, ServedModel
from independence.testing.loopback.drafts import draft
from independence.testing.loopback.faults import Faults, FaultTarget, parse_faults
from independence.testing.loopback.latency import TimedCall, parse_latency
from independence.testing.loopback.settings import LoopbackSettings
from independence.testing.loopback.wire import ParsedRequest
from independence.types import Usage

Manner = Literal["send", "hang", "cut", "reset"]
_MANNERS: dict[str, Manner] = {"timeout": "hang", "cut": "cut", "reset": "reset"}
_HOLLOW = frozenset({"error-in-200", "error-choice", "null-choices", "empty"})


class ResponsePlan(NamedTuple):
    """What happens to a request."""

    status: int
    body: bytes
    headers: dict[str, str]
    usage: Usage = Usage()  # billed; an answer that is lost on the way costs as much as one that arrives
    seconds: float = 0.0  # until the answer is ready
    fault: str = ""
    manner: Manner = "send"


class ResponsePlanner:
    """Decides what happens to each request of one server. Raises UsageError where a setting names no model."""

    def __init__(self, settings: LoopbackSettings) -> None:
        self.catalogue = ServedCatalogue(settings.price)
        self._retry_after_s = settings.retry_after_s
        self._tariff = bodies.Tariff(settings.bill, settings.byok)
        self._latency = parse_latency(settings.latency, settings.seed)
        rules = parse_faults(settings.faults)
        for rule in rules:
            self.catalogue.check(rule.model, "--faults")
        self._faults = Faults(rules, settings.seed, settings.max_in_row)

    def outcome(self, asked: ParsedRequest, attempt: int, metadata: bool) -> ResponsePlan:
        """What happens to a request; `metadata`: the client asked to see what the router did."""
        model = self.catalogue.model(asked.model)
        refused = "unknown" if model is None else _unserved(asked, model)
        if model is None or refused:
            return self._refused(refused, asked)
        fault = self._faults.strike(_target(asked, model, attempt))
        if fault in refusals.KINDS:
            return self._refused(fault, asked)._replace(fault=fault)
        return self._answered(asked, model, fault, metadata)

    def _refused(self, kind: str, asked: ParsedRequest) -> ResponsePlan:
        refusal = refusals.refusal(kind, asked.model, asked.question, self._retry_after_s)
        return ResponsePlan(refusal.status, refusal.body, refusal.headers)

    def _answered(self, asked: ParsedRequest, model: ServedModel, fault: str, metadata: bool) -> ResponsePlan:
        said = draft(asked, model, fault)
        usage = bodies.charged(asked, model, said, self._tariff)
        whole = bodies.complete(asked, model, said, usage, self._tariff)
        if metadata:
            whole = bodies.with_metadata(whole, altered=fault == "altered")
        body = bodies.hollow(fault, whole) if fault in _HOLLOW else bodies.encode(whole)
        return ResponsePlan(
            200,
            bodies.broken(whole) if fault == "malformed" else body,
            headers={},
            usage=Usage() if fault in _HOLLOW else usage,
            seconds=self._latency(TimedCall(model.name, asked.question, asked.conversation, model.judge)),
            fault=fault,
            manner=_MANNERS.get(fault, "send"),
        )


def _target(asked: ParsedRequest, model: ServedModel, attempt: int) -> FaultTarget:
    return FaultTarget(
        model=model.id,
        digest=asked.digest,
        conversation=asked.conversation,
        attempt=attempt,
        budget=asked.budget,
        tool=asked.tool is not None,
        judge=model.judge,
    )


def _unserved(asked: ParsedRequest, model: ServedModel) -> str:
    """The kind of refusal where no endpoint takes this request, else ""."""
    if asked.tool is not None and not model.takes_tools:
        return "404"
    if asked.pins and not any(pin in PROVIDER_SLUGS for pin in asked.pins):
        return "404"
    return ""
