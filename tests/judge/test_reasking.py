"""Asking until an answer can be read: how often, with which words, and what all of it cost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from independence.clients.protocol import GaveUp, Parked
from independence.errors import CostCapReached, IndependenceError, KeyRejected, OutOfCredit
from independence.judge.reasking import REASKS, ParsedAnswer, ParseResult, ReaskProtocol, ask_until_valid
from independence.types import OF_REQUESTS, Answer, Attempt, ChatRequest, Message, Missing, MissingReason, Reply, Usage

LAST_SEED = 2**31 - 1


def reply(text: str, raw: str = "") -> Reply:
    usage = Usage(10, 5, cost_usd=0.5)
    return Reply(text, "content", raw, usage=usage, attempts=(Attempt("ok", 1.0, usage),))


class Scripted:
    """Gives one answer after another and keeps what it was asked."""

    def __init__(self, *answers: Answer | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[ChatRequest] = []

    async def ask(self, request: ChatRequest) -> Answer:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def shown(self) -> list[list[tuple[str, str | None]]]:
        return [[(message.role, message.content) for message in request.messages] for request in self.asked]


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
    client = Scripted(reply("7"))
    assert await ask_until_valid(client, TALK, 3) == ParsedAnswer(
        7, "7", Usage(10, 5, cost_usd=0.5), reply("7").attempts
    )
    assert client.shown == [[("user", "how many?")]]
    assert [one.seed for one in client.asked] == [3]


async def test_an_answer_of_nothing_much_is_an_answer() -> None:
    settled = await ask_until_valid(Scripted(reply("0")), TALK, 3)
    assert isinstance(settled, ParsedAnswer)
    assert settled.value == 0


async def test_what_cannot_be_read_is_asked_again_with_what_was_wrong_and_all_attempts_are_kept() -> None:
    client = Scripted(reply("seven"), reply("7"))
    settled = await ask_until_valid(client, TALK, 3)
    assert isinstance(settled, ParsedAnswer)
    assert (settled.value, settled.raw, settled.usage, len(settled.attempts)) == (7, "7", Usage(20, 10, cost_usd=1), 2)
    assert [(attempt.outcome, attempt.detail) for attempt in settled.attempts] == [
        ("invalid", "`seven` is no number; try again"), ("ok", ""),
    ]  # fmt: skip
    wrong = "wrong: `seven` is no number and try again"
    assert client.shown[1] == [("user", "how many?"), ("assistant", "seven"), ("user", wrong)]


async def test_only_the_last_answer_is_shown_again() -> None:
    client = Scripted(reply("seven"), reply("eight"), reply("9"))
    await ask_until_valid(client, TALK, 3)
    assert [text for _, text in client.shown[2]] == ["how many?", "eight", "wrong: `eight` is no number and try again"]


async def test_every_time_has_a_seed_of_its_own_within_what_a_request_may_carry() -> None:
    client = Scripted(reply("a"), reply("b"), reply("c"))
    await ask_until_valid(client, TALK, LAST_SEED)
    assert [one.seed for one in client.asked] == [LAST_SEED, 0, 1]


async def test_after_a_few_times_it_is_missing_with_the_last_problems_and_all_costs() -> None:
    client = Scripted(*[reply(text) for text in "abcdefgh"[: 2 + REASKS]])
    missing = await ask_until_valid(client, TALK, 3)
    assert isinstance(missing, Missing)
    assert (missing.reason, missing.raw) == ("unreadable_verdict", "c")
    assert missing.detail == "`c` is no number; try again"
    assert (missing.usage.cost_usd, len(missing.attempts), len(client.asked)) == (1.5, 3, 3)


async def test_no_answer_at_all_is_not_asked_for_again() -> None:
    nothing = Missing("no_answer", "thought only", "<think>", (Attempt("reasoning_only", 1.0, Usage(cost_usd=0.25)),))
    client = Scripted(reply("seven"), nothing, reply("7"))
    missing = await ask_until_valid(client, TALK, 3)
    assert isinstance(missing, Missing)
    assert (missing.reason, missing.raw) == ("unreadable_verdict", "<think>")
    assert missing.detail == "no answer was given (no_answer: thought only)"
    assert (missing.usage.cost_usd, len(client.asked)) == (0.75, 2)


@pytest.mark.parametrize("reason", OF_REQUESTS)
async def test_what_befell_the_request_itself_is_the_reason_with_all_that_came(reason: MissingReason) -> None:
    nothing = Missing(reason, "HTTP 400: no", "{}", (Attempt("400", 1.0, Usage(cost_usd=0.25)),))
    missing = await ask_until_valid(Scripted(reply("seven"), nothing), TALK, 3)
    assert isinstance(missing, Missing)
    assert (missing.reason, missing.detail, missing.raw) == (reason, "HTTP 400: no", "{}")
    assert [attempt.outcome for attempt in missing.attempts] == ["invalid", "400"]
    assert missing.usage.cost_usd == 0.75


async def test_what_is_read_and_shown_again_is_the_answer_as_it_came() -> None:
    client = Scripted(reply("seven", "<think>six?</think>seven"), reply("7", "<think>!</think>7"))
    settled = await ask_until_valid(client, TALK, 3)
    assert isinstance(settled, ParsedAnswer)
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
