"""The model judge: a verdict on a rendered rubric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from independence.clients.protocol import ChatClient
from independence.judge.number import UnreadableNumber, parse_number
from independence.judge.parse import ParsedVerdict, parse
from independence.judge.prompt import passages
from independence.judge.reasking import ParseResult, ReaskProtocol, ask_until_valid
from independence.judge.schema import check, json_schema
from independence.judge.spec import JudgeSpec
from independence.suites.schema import Field
from independence.types import ChatRequest, Grade, Message, Missing, Reply, Verdict


async def grade(
    client: ChatClient,
    spec: JudgeSpec,
    prompt: str,
    fields: Mapping[str, Field],
    seed: int,
    verdict: Literal["object", "number"] = "object",
) -> Grade:
    """Ask for a verdict on a rendered rubric; at most two re-asks. Raises what `ChatClient.ask` raises.

    A verdict that is a `number` has one field, and is asked for without a JSON schema.
    """
    quoted = passages(prompt)
    schema = json_schema(fields) if verdict == "object" else None

    def read(answer: Reply, raw: str) -> ParseResult[ParsedVerdict]:
        # Thoughts that were moved out of the text may hold numbers; a brace that was taken off may belong to an object.
        parsed = parse(raw, fields, quoted) if verdict == "object" else _number(answer, fields)
        return ParseResult(None if parsed.problems else parsed, parsed.problems)

    talk = ReaskProtocol(
        prompt, lambda said, own: _request(spec, said, schema, own), read, lambda wrong: _again(wrong, verdict)
    )
    settled = await ask_until_valid(client, talk, seed)
    if isinstance(settled, Missing):
        return settled
    parsed, raw, usage, attempts = settled
    return Verdict(parsed.values, parsed.reasoning, raw, usage, attempts)


def _request(spec: JudgeSpec, messages: tuple[Message, ...], schema: dict[str, Any] | None, seed: int) -> ChatRequest:
    return ChatRequest(
        spec.model,
        messages,
        spec.max_tokens,
        spec.sampling,
        schema=schema,
        seed=seed,
    )


def _number(reply: Reply, fields: Mapping[str, Field]) -> ParsedVerdict:
    """The value of the one field, read from the text alone."""
    ((name, field),) = fields.items()
    low, high = field.range or (0.0, 1.0)
    value = parse_number(reply.text, low, high)
    if isinstance(value, UnreadableNumber):
        return ParsedVerdict({}, "", [value.why])
    values, wrong = check({name: value}, fields)
    return ParsedVerdict(values, "", wrong)


def _again(problems: Sequence[str], verdict: Literal["object", "number"]) -> str:
    wanted = (
        "Send the whole JSON object again, with every field, and nothing else."
        if verdict == "object"
        else "Send the number alone and nothing else."
    )
    return f"That verdict cannot be used: {'; '.join(problems)}. {wanted}"
