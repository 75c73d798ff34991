"""A stored dialogue as a sample of Inspect: its messages, a score for each judge, tokens and dollars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from inspect_ai.log import EvalSample
from inspect_ai.model import ModelOutput, ModelUsage

from independence.config.subjects import OPENROUTER, from_json
from independence.exchange import logged
from independence.exchange.logged import LoggedDialogue
from independence.extensions.inspect import models, scoring
from independence.store import queries
from independence.store.records import SubjectRow
from independence.suites.schema import Suite
from independence.types import Message, Reply, Usage


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
    output = ModelOutput.from_content(one.subject.model_id, last)
    if reply:
        output.usage, output.time = _model_usage(reply.usage), reply.seconds
        output.response_id = reply.response_id or None
    graded = dict.fromkeys(verdict.judge for verdict in one.verdicts if verdict.context in (None, one.end))
    return EvalSample(
        id=one.trial.scenario, epoch=one.trial.run, target="", output=output,
        input=models.chat_messages(requests[0]) if requests else "", messages=models.chat_messages(messages),
        scores={name: scoring.shown(one, suite, name) for name in graded},
        metadata={**about, **context, **logged.to_metadata(one)},
        model_usage={name: _model_usage(own) for name, own in usage.items()},
        started_at=times[0] if times else None, completed_at=times[-1] if times else None,
        total_time=sum(answer.seconds for answer in answers if isinstance(answer, Reply)),
    )  # fmt: skip


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
