"""Asking until an answer can be read: how often, with which words, and what all of it cost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from independence.clients.protocol import GaveUp, Parked
from independence.errors import CostCapReached, IndependenceError, KeyRejected, OutOfCredit
from independence.judge.reasking import REASKS, ParsedAnswer, ParseResult, ReaskProtocol, ask_until_valid
from independence.types import OF_REQUESTS, Attempt, ChatRequest, Message, Missing, MissingReason, Reply, Usage

from .fields import Scripted, reply

LAST_SEED = 2**31 - 1


def number(answer: Reply, raw: str) -> ParseResult[int]:
    """Reads a number out of the text; says of anything else in which words it came."""
    return (
        ParseResult(int(answer.text))
        if answer.text.isdigit()
        else ParseResult(None, (f"`{raw}` is no number", "try again"))
    )


def request(messages: tuple[Message, ...], seed: int) -> ChatRequest:
    return ChatRequest("judge-id", messages, 99, seed=seed)


def again(problems: Sequence[str]) -> str:
    return f"wrong: {' and '.join(problems)}"


TALK = ReaskProtocol("how many?", request, number, again)


async def test_an_answer_that_can_be_read_is_asked_for_once() -> None:
    client = Scripted("7")
    read = await ask_until_valid(client, TALK, 3)
    assert read == ParsedAnswer(7, "7", Usage(10, 5, cost_usd=0.5), reply("7").attempts)
    assert client.shown == [[("user", "how many?")]]
    assert (await ask_until_valid(Scripted("0"), TALK, 3)).value == 0, "an answer of nothing much is an answer"


async def test_what_cannot_be_read_is_asked_again_with_what_was_wrong_and_all_attempts_are_kept() -> None:
    client = Scripted("seven", "eight", "9")
    settled = await ask_until_valid(client, TALK, LAST_SEED)
    assert (settled.value, settled.raw, settled.usage) == (9, "9", Usage(30, 15, cost_usd=1.5))
    assert [(attempt.outcome, attempt.detail) for attempt in settled.attempts] == [
        ("invalid", "`seven` is no number; try again"), ("invalid", "`eight` is no number; try again"), ("ok", ""),
    ]  # fmt: skip
    asked, wrong = ("user", "how many?"), "wrong: `{}` is no number and try again"
    assert client.shown[1] == [asked, ("assistant", "seven"), ("user", wrong.format("seven"))]
    assert client.shown[2] == [asked, ("assistant", "eight"), ("user", wrong.format("eight"))], "the last alone"
    assert [one.seed for one in client.asked] == [LAST_SEED, 0, 1], "within what a request may carry"


async def test_after_a_few_times_it_is_missing_with_the_last_problems_and_all_costs() -> None:
    client = Scripted(*"abcdefgh"[: 2 + REASKS])
    missing = await ask_until_valid(client, TALK, 3)
    assert isinstance(missing, Missing)
    assert (missing.reason, missing.raw) == ("unreadable_verdict", "c")
    assert missing.detail == "`c` is no number; try again"
    assert (missing.usage.cost_usd, len(missing.attempts), len(client.asked)) == (1.5, 3, 3)


async def test_no_answer_at_all_is_not_asked_for_again() -> None:
    nothing = Missing("no_answer", "thought only", "<think>", (Attempt("reasoning_only", 1.0, Usage(cost_usd=0.25)),))
    client = Scripted("seven", nothing, "7")
    missing = await ask_until_valid(client, TALK, 3)
    assert isinstance(missing, Missing)
    assert (missing.reason, missing.raw) == ("unreadable_verdict", "<think>")
    assert missing.detail == "no answer was given (no_answer: thought only)"
    assert (missing.usage.cost_usd, len(client.asked)) == (0.75, 2)


@pytest.mark.parametrize("reason", OF_REQUESTS)
async def test_what_befell_the_request_itself_is_the_reason_with_all_that_came(reason: MissingReason) -> None:
    nothing = Missing(reason, "HTTP 400: no", "{}", (Attempt("400", 1.0, Usage(cost_usd=0.25)),))
    missing = await ask_until_valid(Scripted("seven", nothing), TALK, 3)
    assert isinstance(missing, Missing)
    assert (missing.reason, missing.detail, missing.raw) == (reason, "HTTP 400: no", "{}")
    assert [attempt.outcome for attempt in missing.attempts] == ["invalid", "400"]
    assert missing.usage.cost_usd == 0.75


async def test_what_is_read_and_shown_again_is_the_answer_as_it_came() -> None:
    client = Scripted(reply("seven", "<think>six?</think>seven"), reply("7", "<think>!</think>7"))
    settled = await ask_until_valid(client, TALK, 3)
    assert (settled.value, settled.raw) == (7, "<think>!</think>7")
    assert client.shown[1][1] == ("assistant", "<think>six?</think>seven")
    assert "`<think>six?</think>seven` is no number" in (client.shown[1][2][1] or "")


@pytest.mark.parametrize(
    "stop",
    [
        Parked("m", "quota", (Attempt("429", 1.0),)),
        GaveUp("m", "503", (Attempt("503", 1.0),)),
        OutOfCredit("empty"),
        KeyRejected("no"),
        CostCapReached("enough"),
    ],
    ids=lambda stop: type(stop).__name__,
)
async def test_what_stops_the_asking_takes_along_what_was_spent_before(
    stop: Parked | GaveUp | IndependenceError,
) -> None:
    own = stop.attempts
    with pytest.raises(type(stop)) as raised:
        await ask_until_valid(Scripted(reply("seven"), stop), TALK, 3)
    assert raised.value is stop
    assert [attempt.outcome for attempt in stop.attempts] == ["invalid", *(attempt.outcome for attempt in own)]
    assert stop.attempts[1:] == own
    assert stop.attempts[0].usage == reply("seven").attempts[0].usage
