from __future__ import annotations

import pytest

from independence.clients import protocol
from independence.clients.client import Kind, NextRequest, greeting_of, kind_of, missing_reason
from independence.clients.connection import AttemptLog
from independence.clients.extract import Extracted
from independence.clients.protocol import Policy
from independence.clients.wire import ChatCompletion, ReceivedMessage, WireMessage, WireUsage
from independence.types import Attempt, FunctionCall, Message, Reply, ToolCall, Usage

from .conftest import GREETING, TOOL, question

REPLY = Reply("I am.", "content")


@pytest.mark.parametrize(
    ("found", "finish", "tokens", "kind"),
    [
        (Extracted("I am."), "stop", 5, "ok"),
        (Extracted("I am."), None, 0, "ok"),
        (Extracted("I am"), "length", 5, "length"),
        (Extracted("I am", flags=(protocol.CUT_ARGUMENTS,)), "tool_calls", 64, "length"),
        (Extracted("I am", flags=(protocol.CUT_ARGUMENTS,)), "tool_calls", 63, "ok"),
        (Extracted("I am."), "stop", 64, "ok"),
        (Extracted("", reasoning="Hm"), "length", 5, "length"),
        (Extracted("", reasoning="Hm"), "stop", 5, "reasoning_only"),
        (Extracted(""), "stop", 5, "reasoning_only"),
        (Extracted(""), "stop", 2, "silent"),
        (Extracted(""), None, 1, "silent"),
        (Extracted(""), "stop", 0, "empty"),
        (Extracted("", raw="<|im_end|>"), "stop", 5, "template_tokens"),
        (Extracted("}"), "tool_calls", 5, "punctuation"),
        (Extracted(GREETING), "tool_calls", 5, "greeting"),
    ],
)
def test_what_came_is_told_apart(found: Extracted, finish: str | None, tokens: int, kind: Kind) -> None:
    body = ChatCompletion(usage=WireUsage(completion_tokens=tokens))
    received = ReceivedMessage(body, WireMessage(), finish, ())
    assert kind_of(found, received, question(tool=True)) == kind


def test_the_greeting_is_the_first_scripted_message_of_a_tool_dialogue() -> None:
    assert greeting_of(question(tool=True)) == GREETING
    assert greeting_of(question()) == ""
    call = ToolCall("x", FunctionCall(TOOL.name, "{"))
    broken = question(tool=True, messages=(Message("assistant", None, tool_calls=(call,)),))
    assert greeting_of(broken) == ""
    assert greeting_of(question(tool=True, messages=(Message("user", "x"),))) == ""


def test_bad_answers_share_two_more_tries() -> None:
    reasks = NextRequest(question(), Policy())
    assert reasks.again("reasoning_only", REPLY)
    assert reasks.again("punctuation", REPLY)
    assert not reasks.again("greeting", REPLY)
    assert (reasks.asked.seed, reasks.asked.max_tokens) == (9, 64)


def test_a_longer_budget_is_asked_for_once_and_stays() -> None:
    reasks = NextRequest(question(), Policy())
    assert reasks.again("length", REPLY)
    assert reasks.again("reasoning_only", REPLY)
    assert not reasks.again("length", REPLY)
    assert reasks.asked.max_tokens == 128
    assert reasks.held is REPLY


def test_seeds_stay_in_range_and_absent_ones_absent() -> None:
    last = NextRequest(question(seed=2**31 - 1), Policy())
    last.again("greeting", REPLY)
    assert last.asked.seed == 0
    none = NextRequest(question(seed=None), Policy())
    none.again("greeting", REPLY)
    assert none.asked.seed is None


def test_a_settled_reply_carries_its_history() -> None:
    ledger = AttemptLog()
    ledger.add(Attempt("length", 1.0, Usage(1, 2, 0, 0, 0.5)))
    ledger.add(Attempt("ok", 1.0, Usage(1, 2, 0, 0, 0.5)))
    reasks = NextRequest(question(), Policy())
    reasks.again("length", REPLY)
    settled = reasks.settle(REPLY, ledger, truncated=True)
    assert settled.flags == (protocol.RETRIED_LENGTH, protocol.TRUNCATED)
    assert settled.usage.cost_usd == 1.0
    assert len(settled.attempts) == 2
    assert REPLY.flags == ()


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("reasoning_only", "no_answer"), ("empty", "no_answer"), ("silent", "no_answer"), ("length", "no_answer"), ("punctuation", "transport"),
     ("greeting", "transport"), ("template_tokens", "transport")],
)  # fmt: skip
def test_silence_is_no_answer_and_an_artefact_is_transport(kind: Kind, reason: str) -> None:
    assert missing_reason(kind) == reason
