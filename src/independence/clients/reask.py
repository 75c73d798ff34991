"""Second thoughts about an answer that came: is it one, is it whole, and may we ask again?

Never about taste. Nothing said (reasoning only, empty) and transport artefacts are asked again at most twice together,
a truncated answer once with twice the budget.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from independence.clients import flags
from independence.clients.arguments import message_of
from independence.clients.clean import union
from independence.clients.extract import Extracted
from independence.clients.retry import Ledger, Policy
from independence.clients.validity import artefact, readable
from independence.types import ChatRequest, MissingReason, Reply

Kind = Literal["ok", "length", "reasoning_only", "empty", "template_tokens", "punctuation", "greeting"]

_SEEDS = 2**31
_NO_ANSWER = ("reasoning_only", "empty", "length")


def kind_of(found: Extracted, finish: str | None, completion_tokens: int, asked: ChatRequest) -> Kind:
    """What an answer is, before anybody reads it."""
    # Some providers say `tool_calls` where the budget ran out in the middle of the arguments.
    if finish == "length" or (flags.CUT_ARGUMENTS in found.flags and completion_tokens >= asked.max_tokens):
        return "length"
    broken = artefact(found.text, greeting_of(asked))
    if broken:
        return broken
    if readable(found.text):
        return "ok"
    if found.reasoning:
        return "reasoning_only"
    if found.raw:
        return "template_tokens"
    return "reasoning_only" if completion_tokens else "empty"


def greeting_of(request: ChatRequest) -> str:
    """The scripted greeting of a `tool_role` dialogue: the message of its first call. Empty where there is none."""
    if request.tool is None:
        return ""
    call = next((m.tool_calls[0] for m in request.messages if m.tool_calls), None)
    return _said(call.function.arguments, request.tool.parameter) if call else ""


@lru_cache(maxsize=64)
def _said(arguments: str, parameter: str) -> str:
    found = message_of(arguments, parameter)
    return found.text if found else ""


class Reasks:
    """How often one ask has come back to its question, and in which form it stands now."""

    def __init__(self, request: ChatRequest, policy: Policy) -> None:
        self.asked = request
        self.held: Reply | None = None  # a truncated but readable answer, kept in case nothing better comes
        self._left = policy.reasks
        self._number = 0
        self._longer = False

    def again(self, kind: Kind, reply: Reply) -> bool:
        """Whether to ask once more; if so, `asked` is the request to send."""
        if kind == "length":
            if readable(reply.text):
                self.held = reply
            if self._longer:
                return False
            self._longer = True
            self._turn(self.asked.max_tokens * 2)
            return True
        if self._left == 0:
            return False
        self._left -= 1
        if kind != "empty":  # nothing at all came: the same question, not another one
            self._turn(self.asked.max_tokens)
        return True

    def _turn(self, max_tokens: int) -> None:
        self._number += 1
        seed = self.asked.seed
        self.asked = msgspec.structs.replace(
            self.asked, max_tokens=max_tokens, seed=None if seed is None else (seed + 1) % _SEEDS
        )

    def settle(self, reply: Reply, ledger: Ledger, *, truncated: bool) -> Reply:
        """The reply with its history: attempts, their usage, and the flags they leave."""
        marks = (flags.RETRIED_LENGTH,) if self._longer else ()
        marks = (*marks, flags.TRUNCATED) if truncated else marks
        return msgspec.structs.replace(
            reply, flags=union(reply.flags, marks), usage=ledger.usage, attempts=ledger.attempts
        )


def missing_reason(kind: Kind) -> MissingReason:
    """Why there is no answer, once asking again is over."""
    return "no_answer" if kind in _NO_ANSWER else "transport"
