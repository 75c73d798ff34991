from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients import protocol
from independence.clients.cleaning import safe, union
from independence.clients.extract import clean, extract, without_key
from independence.clients.wire import WireCall, WireFunction, WireMessage, longest, shorten
from independence.types import Missing, Reply, Tool

from .conftest import KEY, TOOL, Scripted, completion, question

SAID = "I am here. Are you?"


def call(arguments: Any = None, name: Any = TOOL.name, call_id: Any = "c1") -> WireCall:
    return WireCall(call_id, WireFunction(name, json.dumps({"message": SAID}) if arguments is None else arguments))


def test_a_tool_message_is_the_answer_and_content_beside_it_private() -> None:
    found = extract(WireMessage(content="I shall be brief.", tool_calls=[call()]), TOOL)
    assert (found.text, found.channel, found.thinking, found.raw, found.flags) == (
        SAID, "tool", "I shall be brief.", "", ()
    )  # fmt: skip
    assert found.tool_calls[0].function.arguments == json.dumps({"message": SAID})


def test_content_is_the_answer_where_no_tool_was_called() -> None:
    found = extract(WireMessage(content=f"\n{SAID} "), TOOL)
    assert (found.text, found.channel, found.raw, found.thinking) == (SAID, "content", "", "")


def test_the_first_readable_message_wins_and_several_are_flagged() -> None:
    calls = [call('{"message": ""}'), call(), call('{"message": "More."}')]
    found = extract(WireMessage(tool_calls=calls), TOOL)
    assert (found.text, found.flags, len(found.tool_calls)) == (SAID, (protocol.SEVERAL_CALLS,), 3)


def test_an_empty_second_call_is_not_a_second_message() -> None:
    assert extract(WireMessage(tool_calls=[call(), call('{"message": ""}')]), TOOL).flags == ()


@pytest.mark.parametrize("name", ["send_mesage_to_human", "", None, 7])
def test_a_foreign_name_with_our_message_is_accepted_and_flagged(name: Any) -> None:
    found = extract(WireMessage(tool_calls=[call(name=name)]), TOOL)
    assert (found.text, found.channel, found.flags) == (SAID, "tool", (protocol.FOREIGN_TOOL,))


def test_a_call_of_something_else_is_no_answer() -> None:
    found = extract(WireMessage(content=SAID, tool_calls=[call('{"query": "weather"}', "web_search")]), TOOL)
    assert (found.text, found.channel) == (SAID, "content")
    assert extract(WireMessage(tool_calls=[call('{"query": "weather"}', "web_search")]), TOOL).text == ""


def test_an_empty_call_leaves_content_the_answer_but_a_lone_brace_does_not() -> None:
    assert extract(WireMessage(content=SAID, tool_calls=[call('{"message": ""}')]), TOOL).text == SAID
    stub = extract(WireMessage(content="Let me try the tool.", tool_calls=[call('{"message": "}"}')]), TOOL)
    assert (stub.text, stub.channel, stub.thinking) == ("}", "tool", "Let me try the tool.")


def test_cut_and_odd_arguments_keep_their_raw_form() -> None:
    cut = extract(WireMessage(tool_calls=[call('{"message": "I am he')]), TOOL)
    assert (cut.text, cut.raw, cut.flags) == ("I am he", '{"message": "I am he', (protocol.CUT_ARGUMENTS,))
    odd = extract(WireMessage(tool_calls=[call({"message": "é"})]), TOOL)
    assert (odd.text, odd.raw, odd.flags) == ("é", '{"message": "é"}', (protocol.ODD_ARGUMENTS,))


def test_a_call_that_leaked_into_content_is_taken_out_and_the_channel_stays_content() -> None:
    text = f'First I think. {TOOL.name}{{"message": "{SAID}"}}'
    found = extract(WireMessage(content=text), TOOL)
    assert (found.text, found.channel, found.thinking) == (SAID, "content", "First I think.")
    assert (found.raw, found.flags) == (text, (protocol.TOOL_SYNTAX,))


def test_private_content_is_never_mistaken_for_a_call() -> None:
    draft = f'{TOOL.name}{{"message": "A draft."}}'
    found = extract(WireMessage(content=draft, tool_calls=[call()]), TOOL)
    assert (found.text, found.thinking, found.flags) == (SAID, draft, ())


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning": "Hm."},
        {"reasoning_content": "Hm."},
        {"reasoning": None, "reasoning_content": " Hm. "},
        {"reasoning": "", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "Hm."}, {"type": "reasoning.encrypted"}]},
        {"thinking": "Hm."},
        {"content": f"<think>Hm.</think>{SAID}"},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"text": SAID}]},
    ],
)
def test_reasoning_is_found_under_any_name(fields: dict[str, Any]) -> None:
    found = extract(WireMessage(**{"content": SAID, **fields}), None)
    assert (found.text, found.reasoning) == (SAID, "Hm.")


def test_the_first_name_for_reasoning_wins() -> None:
    message = WireMessage(content=SAID, reasoning="A.", reasoning_content="B.", reasoning_details=[{"text": "C."}])
    assert extract(message, None).reasoning == "A."


def test_reasoning_is_never_promoted_to_an_answer() -> None:
    found = extract(WireMessage(content="", reasoning="I would say hello."), TOOL)
    assert (found.text, found.reasoning) == ("", "I would say hello.")


@pytest.mark.parametrize(
    ("content", "text"),
    [(None, ""), ([], ""), ([{"type": "text", "text": "A."}, "B."], "A.\n\nB."), ({"text": "A."}, "A."), (7, "")],
)
def test_content_may_come_in_parts(content: Any, text: str) -> None:
    assert extract(WireMessage(content=content), TOOL).text == text


def test_a_refusal_in_its_own_field_is_an_answer() -> None:
    found = extract(WireMessage(content=None, refusal="I will not."), TOOL)
    assert (found.text, found.flags) == ("I will not.", (protocol.REFUSAL_FIELD,))


def test_the_older_form_of_a_single_call_is_understood() -> None:
    found = extract(WireMessage(function_call=WireFunction(TOOL.name, f'{{"message": "{SAID}"}}')), TOOL)
    assert (found.text, found.channel) == (SAID, "tool")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(), max_size=10) | st.just('{"message": "x"'),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["message", "text", "type", "thinking"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(content=JSON, reasoning=JSON, arguments=JSON, name=JSON, offered=st.booleans())
def test_any_message_can_be_read_and_all_its_text_encoded(
    content: Any, reasoning: Any, arguments: Any, name: Any, offered: bool
) -> None:
    message = WireMessage(
        content=content, reasoning=reasoning, tool_calls=[WireCall(name, WireFunction(name, arguments))]
    )
    found = extract(message, TOOL if offered else None)
    for text in (found.text, found.raw, found.thinking, found.reasoning, *(
        t for c in found.tool_calls for t in (c.id, c.function.name, c.function.arguments)
    )):  # fmt: skip
        text.encode()
        assert "\x00" not in text


def test_nesting_without_end_does_no_harm() -> None:
    deep: Any = "x"
    for _ in range(900):
        deep = [deep]
    extract(WireMessage(content=deep, reasoning=deep, tool_calls=[call(deep), call({"message": deep})]), TOOL)


def test_a_tool_that_only_hears_carries_no_answer() -> None:
    listening = Tool("listen", "Hear the human.", "", "")
    message = WireMessage(
        content="I stay with the sea.",
        tool_calls=[WireCall(function=WireFunction(name="listen", arguments='{"text": "not this"}'))],
    )
    found = extract(message, listening)
    assert (found.text, found.channel) == ("I stay with the sea.", "content")


CLEAN_SAID = "I am here. Are you?"


@pytest.mark.parametrize("text", ["Plain.", "  Plain.\n", "Two\n\nparagraphs", "{'a': 1} in prose", "🙂", "x = [1, 2]"])
def test_an_ordinary_text_is_only_stripped(text: str) -> None:
    assert clean(text, TOOL) == (text.strip(), "", "", ())


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        (f'<think>hm</think>{TOOL.name}{{"message": "{CLEAN_SAID}"}}', (protocol.TOOL_SYNTAX,)),
        (f"<|channel|>final<|message|>{CLEAN_SAID}<|return|>", (protocol.TEMPLATE_TOKENS,)),
        (f"{CLEAN_SAID}</arg_value>\n</tool_call>", (protocol.TOOL_SYNTAX,)),
        (f"{CLEAN_SAID}<|im_end|>", (protocol.TEMPLATE_TOKENS,)),
        (f'<|im_start|>assistant\n{TOOL.name}{{"message": "{CLEAN_SAID}"}}<|im_end|>', (protocol.TOOL_SYNTAX,)),
        (f"{CLEAN_SAID}\x00", (protocol.BAD_TEXT,)),
        (f'{TOOL.name}{{"message": "{TOOL.name}{{\\"message\\": \\"{CLEAN_SAID}\\"}}"}}', (protocol.TOOL_SYNTAX,)),
        (f'<|channel|>commentary to=functions.{TOOL.name}<|message|>{{"message": "{CLEAN_SAID}"}}',
         (protocol.TEMPLATE_TOKENS, protocol.TOOL_SYNTAX)),
    ],
)  # fmt: skip
def test_every_layer_comes_off_and_is_marked(text: str, marks: tuple[str, ...]) -> None:
    cleaned = clean(text, TOOL)
    assert (cleaned.text, cleaned.flags) == (CLEAN_SAID, marks)


def test_without_a_tool_on_offer_no_call_can_have_leaked() -> None:
    text = f'{TOOL.name}{{"message": "{CLEAN_SAID}"}}'
    assert clean(text, None).text == text


def test_thoughts_go_where_they_belong() -> None:
    cleaned = clean(f'<think>Hm.</think>Private note. {TOOL.name}{{"message": "{CLEAN_SAID}"}}', TOOL)
    assert (cleaned.text, cleaned.thinking, cleaned.reasoning) == (CLEAN_SAID, "Private note.", "Hm.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\ud800b", "a\ufffdb"), ("\ud83d\ude00", "😀"), ("a\x00b", "ab"), ("a\x07b\tc", "a\x07b\tc"), ("é", "é")],
)
def test_text_is_made_safe_to_encode(text: str, expected: str) -> None:
    assert safe(text) == (expected, text != expected)


NASTY = st.text(alphabet=st.characters()) | st.lists(
    st.sampled_from(
        ["<think>", "</think>", "<|", "|>", "<|im_end|>", "<channel|>", "<|channel|>final<|message|>", TOOL.name,
         '{"message": "', '"}', "}}]", "</tool_call>", "<arg_value>", "[INST]", "word", " ", "\n", "\ud800", "\x00",
         "\\"]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@given(NASTY)
def test_cleaning_never_raises_is_idempotent_and_gives_valid_text(text: str) -> None:
    for tool in (TOOL, None):
        cleaned = clean(text, tool)
        assert clean(cleaned.text, tool).text == cleaned.text
        assert cleaned.text == cleaned.text.strip()
        for part in (cleaned.text, cleaned.thinking, cleaned.reasoning):
            part.encode()
            assert "\x00" not in part


@pytest.mark.parametrize("piece", ["<|a", "|>", "<think>", f'{TOOL.name}{{"message": "', "</tool_call>", '"}', "<|x|>"])
def test_hostile_text_takes_no_time(piece: str) -> None:
    started = time.process_time()
    clean("a" + piece * 3000 + "b", TOOL)
    assert time.process_time() - started < 5  # CPU time: hours, where it grows badly


def test_flags_are_kept_in_order_without_repeats() -> None:
    assert union(("a", "b"), ("b", "c")) == ("a", "b", "c")


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


@pytest.mark.parametrize("said", ["a\ud800b", "a" * 70_000 + "\ud800"], ids=["short", "long"])
def test_parts_with_half_a_character_are_measured_all_the_same(said: str) -> None:
    parts = [{"type": "text", "text": said}]
    message = WireMessage(content=parts, tool_calls=[WireCall("c", WireFunction("speak", {"message": said}))])
    short, cut = shorten(message, 64)
    assert cut is (len(said) > MOST)
    assert short.content == [{"type": "text", "text": said[:MOST]}]
    assert extract(short, None).text


@pytest.mark.parametrize("call", [None, '{"message": "' + LONG])
async def test_an_overlong_answer_is_kept_short_and_flagged(
    call: str | None, server: Scripted, connect: Callable[..., Any]
) -> None:
    server.says(completion(None if call else LONG, call=call))
    answer = await connect().client.ask(question(**({"tool": True} if call else {})))
    assert isinstance(answer, Reply)
    assert protocol.OVERLONG in answer.flags
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
    assert protocol.KEY_REMOVED in answer.flags


async def test_the_key_is_taken_out_of_what_is_no_answer_too(server: Scripted, connect: Callable[..., Any]) -> None:
    server.says(completion(None, message={"reasoning": f"The key is {KEY}."}))
    answer = await connect().client.ask(question())
    assert isinstance(answer, Missing)
    assert KEY not in repr(answer)


@pytest.mark.parametrize("key", ["", "ollama", "lm-studio", "loopback", "EMPTY"])
def test_a_key_that_is_a_word_stays_a_word(key: str) -> None:
    text = f"I run on {key} today"
    assert without_key(key)(text) == text
