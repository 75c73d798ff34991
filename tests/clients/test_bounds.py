from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from independence.clients import flags
from independence.clients.extract import without_key
from independence.clients.wire import WireCall, WireFunction, WireMessage, longest, shorten
from independence.types import Missing, Reply

from .conftest import KEY, TOOL, Scripted, completion, question

LONG = "a" * 10_000_000
MOST = longest(64)


@pytest.mark.parametrize(
    "message",
    [
        {"content": LONG},
        {"content": [{"type": "text", "text": "a" * 50_000}, {"type": "text", "text": LONG}]},
        {"content": "a", "reasoning": LONG, "refusal": LONG, "thinking": {"x": LONG}, "reasoning_details": [LONG]},
    ],
)
def test_no_part_of_an_answer_is_longer_than_its_budget_explains(message: dict[str, Any]) -> None:
    short, cut = shorten(WireMessage(**message), 64)
    assert cut
    parts = [getattr(short, name) for name in short.__struct_fields__]
    assert sum(len(str(part)) for part in parts if part) < 3 * MOST
    assert str(short.content)


def test_arguments_are_cut_and_calls_counted() -> None:
    calls = [WireCall("c", WireFunction("speak", LONG)) for _ in range(100)]
    short, cut = shorten(WireMessage(tool_calls=calls, function_call=WireFunction("speak", {"a": LONG})), 64)
    assert cut
    assert short.tool_calls is not None
    assert len(short.tool_calls) == 64
    assert {len(call.function.arguments) for call in short.tool_calls if call.function} == {MOST}
    assert short.function_call == WireFunction("speak", [])


def test_a_usual_answer_is_left_alone() -> None:
    message = WireMessage(content="a" * 64_000, tool_calls=[WireCall("c", WireFunction("f", "{}"))])
    assert shorten(message, 64) == (message, False)
    assert longest(16_000) == 1_024_000


@pytest.mark.parametrize("call", [None, '{"message": "' + LONG])
async def test_an_overlong_answer_is_kept_short_and_flagged(
    call: str | None, server: Scripted, connect: Callable[..., Any]
) -> None:
    server.says(completion(None if call else LONG, call=call))
    answer = await connect().client.ask(question(**({"tool": True} if call else {})))
    assert isinstance(answer, Reply)
    assert flags.OVERLONG in answer.flags
    assert MOST - 100 < len(answer.text) <= MOST
    assert len(answer.tool_calls[0].function.arguments if call else answer.raw) <= MOST


@pytest.mark.parametrize("tool", [False, True])
async def test_the_key_in_an_answer_is_taken_out_and_that_is_said(
    tool: bool, server: Scripted, connect: Callable[..., Any]
) -> None:
    said = {"reasoning": f"The key is {KEY}."}
    content = f"<think>{KEY}</think> Mine is {KEY}, and who are you?"
    call = f'{{"{TOOL.parameter}": "Mine is {KEY}"}}' if tool else None
    server.says(completion(content, call=call, message=said, provider=f"By {KEY}", id=KEY, model=KEY))
    answer = await connect().client.ask(question(**({"tool": True} if tool else {})))
    assert isinstance(answer, Reply)
    assert KEY not in repr(answer)
    assert "Mine is [key]" in answer.text
    assert flags.KEY_REMOVED in answer.flags


async def test_the_key_is_taken_out_of_what_is_no_answer_too(server: Scripted, connect: Callable[..., Any]) -> None:
    server.says(completion(None, message={"reasoning": f"The key is {KEY}."}))
    answer = await connect().client.ask(question())
    assert isinstance(answer, Missing)
    assert KEY not in repr(answer)


@pytest.mark.parametrize("key", ["", "ollama", "lm-studio", "loopback", "EMPTY"])
def test_a_key_that_is_a_word_stays_a_word(key: str) -> None:
    text = f"I run on {key} today"
    assert without_key(key)(text) == text
