from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients import protocol
from independence.clients.cleaning import safe
from independence.clients.extract import Extracted, clean, extract, without_secrets
from independence.clients.messages import WireCall, WireFunction, WireMessage
from independence.clients.wire import longest, shorten
from independence.types import Tool

from .conftest import KEY, TOOL, ask, completion

SAID = "I am here. Are you?"
OWN = json.dumps({"message": SAID})


def call(arguments: Any = OWN, name: Any = TOOL.name) -> WireCall:
    return WireCall("c1", WireFunction(name, arguments))


def found(tool: Tool | None = TOOL, calls: list[WireCall] | None = None, **fields: Any) -> Extracted:
    return extract(WireMessage(**fields, tool_calls=calls), tool)


LEAKED = f'{TOOL.name}{{"message": "{SAID}"}}'
# Content and calls: the answer, its channel, what is private beside it, what it came from, and what is marked.
MESSAGES: list[tuple[Any, list[WireCall], tuple[str, str, str, str, tuple[str, ...]]]] = [
    ("I shall be brief.", [call()], (SAID, "tool", "I shall be brief.", "", ())),
    (f"\n{SAID} ", [], (SAID, "content", "", "", ())),
    (None, [call('{"message": ""}'), call(), call('{"message": "More."}')], (SAID, "tool", "", "", ("several_calls",))),
    (None, [call(), call('{"message": ""}')], (SAID, "tool", "", "", ())),
    *((None, [call(name=name)], (SAID, "tool", "", "", ("foreign_tool",))) for name in ("send_mesage", "", None, 7)),
    (SAID, [call('{"query": "weather"}', "web_search")], (SAID, "content", "", "", ())),
    (None, [call('{"query": "weather"}', "web_search")], ("", "content", "", "", ())),
    (SAID, [call('{"message": ""}')], (SAID, "content", "", "", ())),
    ("Let me try the tool.", [call('{"message": "}"}')], ("}", "tool", "Let me try the tool.", "", ())),
    (None, [call('{"message": "I am he')], ("I am he", "tool", "", '{"message": "I am he', ("cut_arguments",))),
    (None, [call({"message": "é"})], ("é", "tool", "", '{"message": "é"}', ("odd_arguments",))),
    (f"First I think. {LEAKED}", [], (SAID, "content", "First I think.", f"First I think. {LEAKED}", ("tool_syntax",))),
    (LEAKED, [call()], (SAID, "tool", LEAKED, "", ())),  # private content is never mistaken for a call
    ("Note \x00.", [call()], (SAID, "tool", "Note .", "", ("bad_text",))),
]


def test_the_answer_is_found_with_what_stands_beside_it() -> None:
    got = [(found(content=content, calls=calls or None), due) for content, calls, due in MESSAGES]
    assert [(one.text, one.channel, one.thinking, one.raw, one.flags) for one, _ in got] == [due for _, due in got]
    assert got[0][0].tool_calls[0].function.arguments == OWN
    assert len(got[2][0].tool_calls) == 3


REASONING = [
    {"reasoning": "Hm."},
    {"reasoning_content": "Hm."},
    {"reasoning": None, "reasoning_content": " Hm. "},
    {"reasoning": "", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
    {"reasoning_details": [{"type": "reasoning.summary", "summary": "Hm."}, {"type": "reasoning.encrypted"}]},
    {"thinking": "Hm."},
    {"content": f"<think>Hm.</think>{SAID}"},
    {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"text": SAID}]},
]


def test_reasoning_is_found_under_any_name_and_never_promoted_to_an_answer() -> None:
    got = [(fields, found(None, **{"content": SAID, **fields})) for fields in REASONING]
    assert [(fields, one.text, one.reasoning) for fields, one in got] == [(fields, SAID, "Hm.") for fields in REASONING]
    several = {"reasoning": "A.", "reasoning_content": "B.", "thinking": "C.", "reasoning_details": [{"text": "D."}]}
    for first in ("A.", "B.", "C.", "D."):  # the first name wins
        assert found(None, content=SAID, **several).reasoning == first
        del several[next(iter(several))]
    alone = found(content="", reasoning="I would say hello.")
    assert (alone.text, alone.reasoning) == ("", "I would say hello.")


def test_content_may_come_in_parts_and_an_answer_in_other_fields() -> None:
    rows: list[tuple[Any, str]] = [
        (None, ""), ([], ""), ([{"type": "text", "text": "A."}, "B."], "A.\n\nB."), ({"text": "A."}, "A."), (7, ""),
    ]  # fmt: skip
    assert [found(content=content).text for content, _ in rows] == [text for _, text in rows]
    refused = found(content=None, refusal="I will not.")
    assert (refused.text, refused.flags) == ("I will not.", (protocol.REFUSAL_FIELD,))
    older = found(function_call=WireFunction(TOOL.name, OWN))
    assert (older.text, older.channel) == (SAID, "tool")


def test_a_tool_that_only_hears_carries_no_answer() -> None:
    listening = Tool("listen", "Hear the human.", "", "")
    heard = found(listening, [call('{"text": "not this"}', "listen")], content="I stay with the sea.")
    assert (heard.text, heard.channel) == ("I stay with the sea.", "content")


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
    found(content=deep, reasoning=deep, calls=[call(deep), call({"message": deep})])


LAYERS = [
    (f'<think>hm</think>{TOOL.name}{{"message": "{SAID}"}}', (protocol.TOOL_SYNTAX,)),
    (f"<|channel|>final<|message|>{SAID}<|return|>", (protocol.TEMPLATE_TOKENS,)),
    (f"{SAID}</arg_value>\n</tool_call>", (protocol.TOOL_SYNTAX,)),
    (f"{SAID}<|im_end|>", (protocol.TEMPLATE_TOKENS,)),
    (f'<|im_start|>assistant\n{TOOL.name}{{"message": "{SAID}"}}<|im_end|>', (protocol.TOOL_SYNTAX,)),
    (f"{SAID}\x00", (protocol.BAD_TEXT,)),
    (f'{TOOL.name}{{"message": "{TOOL.name}{{\\"message\\": \\"{SAID}\\"}}"}}', (protocol.TOOL_SYNTAX,)),
    (f'<|channel|>commentary to=functions.{TOOL.name}<|message|>{{"message": "{SAID}"}}',
     (protocol.TEMPLATE_TOKENS, protocol.TOOL_SYNTAX)),
]  # fmt: skip


def test_every_layer_comes_off_and_is_marked_and_an_ordinary_text_is_only_stripped() -> None:
    got = [(text, clean(text, TOOL)) for text, _ in LAYERS]
    assert [(text, one.text, one.flags) for text, one in got] == [(text, SAID, marks) for text, marks in LAYERS]
    for text in ("Plain.", "  Plain.\n", "Two\n\nparagraphs", "{'a': 1} in prose", "🙂", "x = [1, 2]"):
        assert clean(text, TOOL) == Extracted(text.strip())
    assert clean(LEAKED, None).text == LEAKED  # without a tool on offer no call can have leaked
    parted = clean(f"<think>Hm.</think>Private note. {LEAKED}", TOOL)
    assert (parted.text, parted.thinking, parted.reasoning) == (SAID, "Private note.", "Hm.")


def test_text_is_made_safe_to_encode() -> None:
    rows = {"a\ud800b": "a\ufffdb", "\ud83d\ude00": "😀", "a\x00b": "ab", "a\x07b\tc": "a\x07b\tc", "é": "é"}
    assert {text: safe(text) for text in rows} == {text: (made, made != text) for text, made in rows.items()}


NASTY = st.text(alphabet=st.characters()) | st.lists(
    st.sampled_from(
        ["<think>", "</think>", "<|", "|>", "<|im_end|>", "<channel|>", "<|channel|>final<|message|>", TOOL.name,
         '{"message": "', '"}', "}}]", "</tool_call>", "<arg_value>", "[INST]", "word", " ", "\n", "\ud800", "\x00",
         "\\", "You keep it. ", "\n\nHuman: ", "\nuser\n", "<|user|>"]
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
def test_hostile_text_is_cleaned_in_a_time_that_grows_with_its_length(piece: str) -> None:
    """Where it grows otherwise, this takes hours."""
    clean("a" + piece * 3000 + "b", TOOL)


LONG = "a" * 1_000_000
MOST = longest(64)


def test_no_part_of_an_answer_is_longer_than_its_budget_explains() -> None:
    assert (MOST, longest(16_000)) == (64_000, 1_024_000)
    usual = WireMessage(content="a" * 64_000, tool_calls=[call("{}")])
    assert shorten(usual, 64) == (usual, False)
    for fields in (
        {"content": LONG},
        {"content": [{"type": "text", "text": "a" * 50_000}, {"type": "text", "text": LONG}]},
        {"content": "a", "reasoning": LONG, "refusal": LONG, "thinking": {"x": LONG}, "reasoning_details": [LONG]},
    ):
        short, cut = shorten(WireMessage(**fields), 64)
        assert cut
        parts = [getattr(short, name) for name in short.__struct_fields__]
        assert sum(len(str(part)) for part in parts if part) < 3 * MOST
        assert str(short.content)
    calls = [call(LONG) for _ in range(100)]
    short, cut = shorten(WireMessage(tool_calls=calls, function_call=WireFunction("speak", {"a": LONG})), 64)
    assert cut
    assert short.tool_calls is not None
    assert len(short.tool_calls) == 64
    assert {len(one.function.arguments) for one in short.tool_calls if one.function} == {MOST}
    assert short.function_call == WireFunction("speak", [])


PARTS = st.sampled_from(
    [None, "", "ab", "ab" * 32_000, "a" * (MOST + 1), [], ["a"], [{"type": "text", "text": LONG}], 7]
)
FUNCTIONS = st.one_of(st.none(), st.builds(WireFunction, PARTS, PARTS))
ANY_MESSAGE = st.builds(
    WireMessage,
    content=PARTS,
    refusal=PARTS,
    reasoning=PARTS,
    reasoning_details=PARTS,
    tool_calls=st.one_of(st.none(), st.lists(st.builds(WireCall, PARTS, FUNCTIONS), max_size=70)),
    function_call=FUNCTIONS,
)


@given(ANY_MESSAGE)
def test_a_message_is_cut_once_and_says_so_where_that_changed_it(message: WireMessage) -> None:
    short, cut = shorten(message, 1)
    assert cut is (short != message)
    assert shorten(short, 1) == (short, False)


def test_parts_with_half_a_character_are_measured_all_the_same() -> None:
    for said in ("a\ud800b", "a" * 70_000 + "\ud800"):
        message = WireMessage(content=[{"type": "text", "text": said}], tool_calls=[call({"message": said})])
        short, cut = shorten(message, 64)
        assert cut is (len(said) > MOST)
        assert short.content == [{"type": "text", "text": said[:MOST]}]
        assert extract(short, None).text


def test_an_overlong_answer_is_kept_short_and_flagged() -> None:
    for arguments in (None, '{"message": "' + LONG):
        came = ask(completion(None if arguments else LONG, call=arguments), tool=bool(arguments))
        assert protocol.OVERLONG in came.flags
        assert MOST - 100 < len(came.end) <= MOST
        assert len(came.answer.tool_calls[0].function.arguments if arguments else came.answer.raw) <= MOST


def test_names_that_a_server_gives_are_kept_to_a_thousand_characters() -> None:
    reply = ask(completion("Yes.", model="m" * 2000, provider="p" * 1001, id="i" * 1000, finish=None)).answer
    assert [len(name) for name in (reply.served_model, reply.served_provider, reply.response_id)] == [1000] * 3
    assert reply.finish_reason is None


def test_the_key_in_an_answer_is_taken_out_and_that_is_said() -> None:
    said, content = {"reasoning": f"The key is {KEY}."}, f"<think>{KEY}</think> Mine is {KEY}, and who are you?"
    for arguments in (None, f'{{"{TOOL.parameter}": "Mine is {KEY}"}}'):
        body = completion(content, call=arguments, message=said, provider=f"By {KEY}", id=KEY, model=KEY)
        came = ask(body, tool=bool(arguments))
        assert KEY not in repr(came.answer)
        assert "Mine is [key]" in came.end
        assert protocol.KEY_REMOVED in came.flags
    assert KEY not in repr(ask(completion(None, message=said)).answer)  # of what is no answer too


def test_a_key_that_is_a_word_stays_a_word_and_any_other_goes() -> None:
    for key in ("", "ollama", "lm-studio", "loopback", "EMPTY", "seven77", "nineteen-characters"):
        assert without_secrets([key])(f"I run on {key} today") == f"I run on {key} today"
    for key in ("eight888", "of-twenty-characters"):
        assert without_secrets([key])(f"I run on {key} today") == "I run on [key] today"


def test_a_secret_goes_however_much_of_it_is_percent_encoded() -> None:
    secret = "q+secret/value=12 é"
    for spelled in (secret, "q%2Bsecret/value%3D12 é", "q%2bsecret%2fvalue=12%20%C3%A9", quote(secret, safe="")):
        said = without_secrets([secret[:9], "another-secret-1", secret])(f"GET /v1?key={spelled}&n=1 and q+secret")
        assert said == "GET /v1?key=[key]&n=1 and q+secret"
