"""Names by a model, read out of the answers of one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from independence.clients.protocol import ChatClient
from independence.judge.model import ModelJudge
from independence.judge.names.extracted import ExtractedNames, NameAnswer
from independence.judge.names.parse import parse
from independence.judge.names.prompt import render
from independence.judge.prompt import passages
from independence.judge.reasking import ParseResult, ReaskProtocol, ask_until_valid
from independence.types import ChatRequest, Message, Missing

_COPY = 40  # characters; a shorter answer could stand in a list of names by chance


async def read(client: ChatClient, spec: ModelJudge, told: Sequence[NameAnswer], seed: int) -> ExtractedNames | Missing:
    """The names of one run; one call, and at most two more. Raises what `ChatClient.ask` raises."""
    prompt = render(told)
    talk = ReaskProtocol(
        prompt,
        lambda said, own: _request(spec, said, told, own),
        lambda _, raw: ParseResult(*parse(_without_copied_answers(raw, prompt), told)),
        _again,
    )
    settled = await ask_until_valid(client, talk, seed)
    if isinstance(settled, Missing):
        return settled
    reading, raw, usage, attempts = settled
    return msgspec.structs.replace(reading, raw=raw, usage=usage, attempts=attempts)


def _request(spec: ModelJudge, messages: tuple[Message, ...], told: Sequence[NameAnswer], seed: int) -> ChatRequest:
    return ChatRequest(
        spec.model,
        messages,
        spec.max_tokens,
        spec.sampling,
        schema=_schema([one.scenario for one in told]),
        seed=seed,
    )


def _schema(scenarios: Sequence[str]) -> dict[str, Any]:
    place = {"type": "string", "enum": list(scenarios)}
    name = _object({"name": {"type": "string"}, "sources": {"type": "array", "items": place}})
    return _object(
        {
            "names": {"type": "array", "items": name},
            "declined": {"type": "array", "items": place},
            "primary": {"type": ["string", "null"]},
        }
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _without_copied_answers(raw: str, prompt: str) -> str:
    """What the extractor wrote itself, without answers that it copied whole: they may hold a list of their own."""
    for passage in passages(prompt):
        if len(passage) >= _COPY:
            raw = raw.replace(passage, "")
    return raw


def _again(problems: Sequence[str]) -> str:
    return (
        f"That list cannot be used: {'; '.join(problems)}. Send the whole JSON object again, with all three keys, "
        "and nothing else."
    )
