from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from independence.testing.loopback.wire import BadRequest, ParsedRequest, read

Body = Callable[..., dict[str, Any]]


def asked(body: Any, **how: Any) -> ParsedRequest:
    return read(json.dumps(body, **how).encode(), 0)


def test_the_conversation_does_not_depend_on_how_the_json_is_written_nor_on_the_budget(plain: Body) -> None:
    first, second = asked(plain()), asked(plain(max_tokens=9, temperature=0.3), indent=2, sort_keys=True)
    assert first.conversation == second.conversation
    assert first.digest != second.digest


@pytest.mark.parametrize("change", [{"seed": 8}, {"model": "never"}, {"question": "Tea?"}])
def test_the_conversation_depends_on_model_messages_and_seed(plain: Body, change: dict[str, Any]) -> None:
    assert asked(plain()).conversation != asked(plain(**change)).conversation


def test_an_answer_moved_to_another_role_is_another_conversation(plain: Body) -> None:
    body = plain()
    body["messages"][1]["role"] = "assistant"
    assert asked(body).conversation != asked(plain()).conversation


def test_other_spellings_of_the_same_messages_are_understood(tooled: Body) -> None:
    body = tooled()
    body["messages"][0] = {"role": "developer", "content": [{"type": "text", "text": "You have a view."}]}
    del body["messages"][2]["content"]
    assert asked(body).messages == asked(tooled()).messages


def test_the_offered_tool_and_its_parameter_are_read(tooled: Body) -> None:
    offered = asked(tooled()).tool
    assert offered is not None
    assert (offered.name, offered.parameter, offered.forced) == ("speak", "words", False)
    forced = asked(tooled(tool_choice="required")).tool
    assert forced is not None
    assert forced.forced
    assert asked(tooled(tool_choice="none")).tool is None


def test_the_question_is_the_last_thing_the_human_said(tooled: Body) -> None:
    body = tooled(question="And now?")
    body["messages"].append({"role": "assistant", "content": "Now this."})
    assert asked(body).question == "And now?"


def test_a_prompt_holds_every_text_of_messages_tool_calls_and_tools(plain: Body, tooled: Body) -> None:
    assert asked(plain()).prompt == "<|system|>You have a view.\n<|user|>Tea or coffee?\n"
    prompt = asked(tooled()).prompt
    assert prompt.startswith('speak\nSay something.\nwords: {"type": "string"}\n<|system|>')
    assert '<|assistant|>speak{"words": "Good to see you."}\n<|tool|>Tea or coffee?\n' in prompt


@pytest.mark.parametrize(
    ("provider", "pins"),
    [
        ({"only": ["a", "b"]}, ("a", "b")),
        ({"order": ["a"], "allow_fallbacks": False}, ("a",)),
        ({"order": ["a"]}, ()),
        ({"sort": "price"}, ()),
    ],
)
def test_only_what_excludes_other_providers_is_a_pin(plain: Body, provider: Any, pins: tuple[str, ...]) -> None:
    assert asked(plain(provider=provider)).pins == pins


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"{", "not JSON"),
        (b"[]", "not a chat completion"),
        (b'{"model": "half"}', "not a chat completion"),
        (b'{"model": "half", "messages": []}', "must not be empty"),
        (b'{"model": "half", "messages": [{"role": "king", "content": "x"}]}', "not a chat completion"),
        (b'{"model": "half", "messages": [{"content": "x"}]}', "not a chat completion"),
        (b'{"model": "half", "messages": [{"role": "user", "content": "x"}], "stream": true}', "does not stream"),
    ],
)
def test_a_body_that_cannot_be_answered_says_why(raw: bytes, says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        read(raw, 0)
