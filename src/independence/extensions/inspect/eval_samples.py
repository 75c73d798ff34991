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
from independence.extensions.inspect import models, scoring
from independence.store import queries
from independence.store.dialogues import Dialogue, StoredReply
from independence.suites.schema import Suite
from independence.types import Message, Sampling, Usage


def model_of(one: Dialogue) -> str:
    """As Inspect would call the model of a subject."""
    if not one.configuration:
        return f"{OPENROUTER}/{one.model_id}"
    own = from_json(one.configuration)
    return f"{OPENROUTER}/{own.model}" if own.endpoint == OPENROUTER else f"openai-api/{own.endpoint}/{own.model}"


def sample(one: Dialogue, sent: Sequence[bytes], suite: Suite, context: Mapping[str, object]) -> Any:
    """The sample of a dialogue, with the rows of the store in its metadata.

    `sent`: the requests for its answers. `context`: what else is in its metadata.
    """
    requests, imported = [*map(_request, sent)], queries.imported(one.edition)
    answers = [turn.reply for turn in one.turns]
    reply = answers[-1] if answers and not answers[-1].missing else None
    last = reply.text if reply else ""
    messages = [*requests[-1], Message("assistant", last)] if requests and last else list(*requests[-1:])
    shown = _identified(one, messages)
    usage = {model_of(one): sum((answer.usage for answer in answers), Usage())}
    for verdict in one.verdicts:
        usage[verdict.judge] = usage.get(verdict.judge, Usage()) + verdict.usage
    title = next((known.title for known in suite.scenarios if known.id == one.scenario and not imported), None)
    about = {
        "suite": one.suite, "edition": one.edition, "experiment": one.experiment, "scenario": one.scenario,
        "title": title, "variant": one.variant, "mode": one.mode, "label": one.label,
        "cost_usd": sum(own.cost_usd for own in usage.values()) or None,
    }  # fmt: skip
    times = [answer.answered_at for answer in answers if answer.answered_at]
    graded = dict.fromkeys(verdict.judge for verdict in one.verdicts if verdict.context == one.end)
    scores = {name: scoring.shown(one, suite, name) for name in graded}
    return EvalSample(
        id=one.scenario, epoch=one.run, uuid=_id(one, "sample"), target="",
        output=_output(one, reply, len(messages) - 1), input=shown[: len(requests[0])] if requests else "",
        messages=shown, scores=scores, events=[*_calls(one, requests), *_scored(one, scores)],
        metadata={**about, **context, **logged.to_metadata(msgspec.structs.replace(one, before={}))},
        model_usage={name: _model_usage(own) for name, own in usage.items()},
        started_at=times[0] if times else None, completed_at=times[-1] if times else None,
        total_time=sum(answer.seconds for answer in answers if not answer.missing),
    )  # fmt: skip


def _id(one: Dialogue, what: object) -> str:
    """An id that is the same for one thing in every export."""
    return hashlib.sha256(f"{one.trial} {one.run} {what}".encode()).hexdigest()[:22]


def _identified(one: Dialogue, messages: Sequence[Message]) -> list[Any]:
    """Messages with ids by their places: each request of a dialogue begins with the messages of the one before."""
    made = models.chat_messages(messages)
    for place, message in enumerate(made):
        message.id = _id(one, place)
    return made


def _output(one: Dialogue, reply: StoredReply | None, place: int) -> Any:
    """A reply, the message at a place of its dialogue, as Inspect has one; empty where none came."""
    output = ModelOutput.from_content(one.model_id, reply.text if reply else "")
    output.message.id = _id(one, place)
    if reply:
        output.usage, output.time = _model_usage(reply.usage), reply.seconds
        if hasattr(output, "response_id"):  # since 0.3.280
            output.response_id = reply.response_id or None
    return output


def _calls(one: Dialogue, requests: Sequence[tuple[Message, ...]]) -> Iterator[Any]:
    """An event for each request to the subject. What judges were sent is in no store, so they have none."""
    asked = from_json(one.configuration).sent if one.configuration else Sampling()
    begun = 0.0
    for turn, request in zip(one.turns, requests, strict=True):
        reply = turn.reply
        yield ModelEvent(
            uuid=_id(one, f"call {turn.turn}"), model=model_of(one), input=_identified(one, request),
            tools=[], tool_choice="auto", output=_output(one, None if reply.missing else reply, len(request)),
            config=GenerateConfig(temperature=asked.temperature, reasoning_effort=asked.effort),
            error=reply.missing and (reply.detail or reply.missing),
            retries=max(len(reply.attempts) - 1, 0), timestamp=_time(reply.answered_at), working_start=begun,
            working_time=reply.seconds, metadata={"turn": turn.turn_id},
        )  # fmt: skip
        begun += reply.seconds


def _scored(one: Dialogue, scores: Mapping[str, Any]) -> Iterator[Any]:
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
