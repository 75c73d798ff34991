"""Asking a model until what it writes can be read: again with what was wrong, a few times, then Missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

import msgspec

from independence.clients.protocol import ChatClient, GaveUp, Parked
from independence.errors import IndependenceError
from independence.types import OF_REQUESTS, Attempt, ChatRequest, Message, Missing, MissingReason, Reply, Usage

REASKS = 2
T = TypeVar("T")


class ParseResult(NamedTuple, Generic[T]):
    """What an answer comes to, or what is wrong with it."""

    value: T | None
    problems: Sequence[str] = ()


class ParsedAnswer(NamedTuple, Generic[T]):
    """What could be read in the end, in which text, and what all attempts took."""

    value: T
    raw: str
    usage: Usage
    attempts: tuple[Attempt, ...]


class ReaskProtocol(NamedTuple, Generic[T]):
    """The first prompt, how it is sent (messages, seed), how an answer is read, and what is said of a bad one."""

    prompt: str
    request: Callable[[tuple[Message, ...], int], ChatRequest]
    read: Callable[[Reply, str], ParseResult[T]]  # the answer, and all that it was before cleaning
    complaint: Callable[[Sequence[str]], str]


async def ask_until_valid(client: ChatClient, talk: ReaskProtocol[T], seed: int) -> ParsedAnswer[T] | Missing:
    """Ask, and at most `REASKS` times again. Raises what `ChatClient.ask` raises, with all attempts."""
    first = Message("user", talk.prompt)
    messages: tuple[Message, ...] = (first,)
    usage, attempts, raw = Usage(), tuple[Attempt, ...](), ""
    problems: Sequence[str] = ()
    for asked in range(1 + REASKS):
        try:
            answer = await client.ask(talk.request(messages, (seed + asked) % 2**31))
        except (Parked, GaveUp, IndependenceError) as stop:
            stop.attempts = attempts + stop.attempts
            raise
        usage, attempts = usage + answer.usage, attempts + answer.attempts
        if isinstance(answer, Missing):
            return msgspec.structs.replace(none_given(answer.reason, answer.detail), raw=answer.raw, attempts=attempts)
        raw = answer.raw or answer.text
        value, problems = talk.read(answer, raw)
        if value is not None:
            return ParsedAnswer(value, raw, usage, attempts)
        if attempts:
            invalid = msgspec.structs.replace(attempts[-1], outcome="invalid", detail="; ".join(problems))
            attempts = (*attempts[:-1], invalid)
        messages = (first, Message("assistant", raw), Message("user", talk.complaint(problems)))
    return Missing("unreadable_verdict", "; ".join(problems), raw, attempts)


def none_given(reason: MissingReason, detail: str, what: str = "no answer was given") -> Missing:
    """The verdict that should have rested on an answer which did not come; `what` did not."""
    if reason in OF_REQUESTS:
        return Missing(reason, detail)
    return Missing("unreadable_verdict", f"{what} ({reason}{f': {detail}' if detail else ''})")
