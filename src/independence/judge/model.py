"""The model judge: render, ask, parse, re-ask with what was wrong, give up as Missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from independence.clients.protocol import ChatClient, GaveUp, Parked
from independence.errors import IndependenceError
from independence.judge.parse import parse
from independence.judge.prompt import passages
from independence.judge.schema import json_schema
from independence.judge.spec import JudgeSpec
from independence.suites.schema import Field
from independence.types import Attempt, ChatRequest, Grade, Message, Missing, Reply, Usage, Verdict

REASKS = 2


async def grade(client: ChatClient, spec: JudgeSpec, prompt: str, fields: Mapping[str, Field], seed: int) -> Grade:
    """Ask for a verdict on a rendered rubric; at most two re-asks. Raises what `ChatClient.ask` raises."""
    messages: tuple[Message, ...] = (Message("user", prompt),)
    usage, attempts, raw = Usage(), tuple[Attempt, ...](), ""
    problems: Sequence[str] = ()
    quoted = passages(prompt)
    for asked in range(1 + REASKS):
        try:
            answer = await client.ask(_request(spec, messages, fields, (seed + asked) % 2**31))
        except (Parked, GaveUp, IndependenceError) as stop:
            stop.attempts = attempts + stop.attempts
            raise
        usage, attempts = usage + answer.usage, attempts + answer.attempts
        if isinstance(answer, Missing):
            return Missing("unreadable_verdict", f"the judge gave no answer ({answer.reason})", answer.raw, attempts)
        raw = _text(answer)
        parsed = parse(raw, fields, quoted)
        problems = parsed.problems
        if not problems:
            return Verdict(parsed.values, parsed.reasoning, raw, usage, attempts)
        messages = (Message("user", prompt), Message("assistant", raw), Message("user", _again(problems)))
    return Missing("unreadable_verdict", "; ".join(problems), raw, attempts)


def _request(spec: JudgeSpec, messages: tuple[Message, ...], fields: Mapping[str, Field], seed: int) -> ChatRequest:
    return ChatRequest(
        spec.model,
        messages,
        spec.max_tokens,
        temperature=spec.temperature,
        effort=spec.effort,
        schema=json_schema(fields),
        seed=seed,
    )


def _text(reply: Reply) -> str:
    return reply.raw or reply.text


def _again(problems: Sequence[str]) -> str:
    return (
        f"That verdict cannot be used: {'; '.join(problems)}. "
        "Send the whole JSON object again, with every field, and nothing else."
    )
