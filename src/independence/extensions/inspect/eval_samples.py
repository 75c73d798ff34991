"""A stored dialogue as a sample of Inspect: its messages, a score for each judge, tokens and dollars."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from inspect_ai.event import ModelEvent, ScoreEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage

from independence.config.subjects import OPENROUTER, from_json
from independence.exchange import logged
from independence.exchange.logged import LoggedDialogue
from independence.extensions.inspect import models, scoring
from independence.store import queries
from independence.store.records import SubjectRow
from independence.suites.schema import Suite
from independence.types import Message, Reply, Sampling, Usage


def model_of(subject: SubjectRow) -> str:
    """As Inspect would call the model of a subject."""
    if not subject.config:
        return f"{OPENROUTER}/{subject.model_id}"
    own = from_json(subject.config)
    return f"{OPENROUTER}/{own.model}" if own.endpoint == OPENROUTER else f"openai-api/{own.endpoint}/{own.model}"


def sample(one: LoggedDialogue, sent: Sequence[bytes], suite: Suite, context: Mapping[str, object]) -> Any:
    """The sample of a dialogue, with the rows of the store in its metadata.

    `sent`: the requests for its answers. `context`: what else is in its metadata.
    """
    requests, imported = [*map(_request, sent)], queries.imported(one.trial.edition)
    answers, reply = [logged.settled(answer) for answer in one.answers], one.answers[-1].reply if one.answers else None
    last = reply.text if reply else ""
    messages = [*requests[-1], Message("assistant", last)] if requests and last else list(*requests[-1:])
    shown = _identified(one, messages)
    usage = {model_of(one.subject): sum((answer.usage for answer in answers), Usage())}
    for verdict in one.verdicts:
        given = verdict.verdict or verdict.missing
        usage[verdict.judge] = usage.get(verdict.judge, Usage()) + (given.usage if given else Usage())
    title = next((known.title for known in suite.scenarios if known.id == one.trial.scenario and not imported), None)
    about = {
        "suite": one.trial.suite, "edition": one.trial.edition, "experiment": one.trial.experiment,
        "scenario": one.trial.scenario, "title": title, "variant": one.trial.variant, "mode": one.trial.mode,
        "label": one.subject.label, "cost_usd": sum(own.cost_usd for own in usage.values()) or None,
    }  # fmt: skip
    times = [answer.answered_at for answer in one.answers if answer.answered_at]
    graded = dict.fromkeys(verdict.judge for verdict in one.verdicts if verdict.context in (None, one.end))
    scores = {name: scoring.shown(one, suite, name) for name in graded}
    return EvalSample(
        id=one.trial.scenario, epoch=one.trial.run, uuid=_id(one, "sample"), target="",
        output=_output(one, reply, len(messages) - 1), input=shown[: len(requests[0])] if requests else "",
        messages=shown, scores=scores, events=[*_calls(one, requests), *_scored(one, scores)],
        metadata={**about, **context, **logged.to_metadata(one)},
        model_usage={name: _model_usage(own) for name, own in usage.items()},
        started_at=times[0] if times else None, completed_at=times[-1] if times else None,
        total_time=sum(answer.seconds for answer in answers if isinstance(answer, Reply)),
    )  # fmt: skip


def _id(one: LoggedDialogue, what: object) -> str:
    """An id that is the same for one thing in every export."""
    return hashlib.sha256(f"{one.trial.key} {one.trial.run} {what}".encode()).hexdigest()[:22]


def _identified(one: LoggedDialogue, messages: Sequence[Message]) -> list[Any]:
    """Messages with ids by their places: each request of a dialogue begins with the messages of the one before."""
    made = models.chat_messages(messages)
    for place, message in enumerate(made):
        message.id = _id(one, place)
    return made


def _output(one: LoggedDialogue, reply: Reply | None, place: int) -> Any:
    """A reply, the message at a place of its dialogue, as Inspect has one; empty where none came."""
    output = ModelOutput.from_content(one.subject.model_id, reply.text if reply else "")
    output.message.id = _id(one, place)
    if reply:
        output.usage, output.time = _model_usage(reply.usage), reply.seconds
        if hasattr(output, "response_id"):  # since 0.3.280
            output.response_id = reply.response_id or None
    return output


def _calls(one: LoggedDialogue, requests: Sequence[tuple[Message, ...]]) -> Iterator[Any]:
    """An event for each request to the subject. What judges were sent is in no store, so they have none."""
    asked = from_json(one.subject.config).sent if one.subject.config else Sampling()
    begun = 0.0
    for answer, request in zip(one.answers, requests, strict=True):
        came = logged.settled(answer)
        seconds = sum(attempt.seconds for attempt in came.attempts)
        yield ModelEvent(
            uuid=_id(one, f"call {answer.turn}"), model=model_of(one.subject), input=_identified(one, request),
            tools=[], tool_choice="auto", output=_output(one, answer.reply, len(request)),
            config=GenerateConfig(temperature=asked.temperature, reasoning_effort=asked.effort),
            error=answer.missing and (answer.missing.detail or answer.missing.reason),
            retries=max(len(came.attempts) - 1, 0), timestamp=_time(answer.answered_at), working_start=begun,
            working_time=seconds, metadata={"turn": answer.turn_id},
        )  # fmt: skip
        begun += seconds


def _scored(one: LoggedDialogue, scores: Mapping[str, Any]) -> Iterator[Any]:
    """An event for each score."""
    times = {verdict.judge: verdict.judged_at for verdict in one.verdicts}
    for name, score in scores.items():
        yield ScoreEvent(
            uuid=_id(one, f"score {name}"), score=score, target="", scorer=name, timestamp=_time(times[name]),
            working_start=0.0,
        )  # fmt: skip


def _time(at: str | None) -> datetime:
    """A time of a store; the beginning of time where it knows none."""
    found = datetime.fromisoformat(at) if at else datetime.fromtimestamp(0, UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _request(raw: bytes) -> tuple[Message, ...]:
    """Messages as they were sent; what an import sent in another form than ours is left out."""
    try:
        return msgspec.json.decode(raw, type=tuple[Message, ...])
    except msgspec.ValidationError:
        return ()


def _model_usage(usage: Usage) -> Any:
    return ModelUsage(
        input_tokens=usage.prompt_tokens - usage.cached_tokens,
        input_tokens_cache_read=usage.cached_tokens,
        output_tokens=usage.completion_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        total_tokens=usage.prompt_tokens + usage.completion_tokens,
        total_cost=usage.cost_usd or None,  # 0 is a cost that nobody knows
    )
