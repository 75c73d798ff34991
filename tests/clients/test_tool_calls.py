from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients import protocol
from independence.clients.cleaning import Recovered, find_leak, message_of, read_string, unescape

from .conftest import TOOL

ODD, CUT = (protocol.ODD_ARGUMENTS,), (protocol.CUT_ARGUMENTS,)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda t: t.strip()))
def test_well_formed_arguments_give_their_text(text: str) -> None:
    for ascii_only in (True, False):
        assert message_of(json.dumps({"message": text}, ensure_ascii=ascii_only), "message") == Recovered(text.strip())


@pytest.mark.parametrize(
    ("arguments", "text", "marks"),
    [
        ('{"message": "Hi.", "mood": "calm"}', "Hi.", ()),
        ('{"message": "line\nbreak"}', "line\nbreak", ()),
        ('"Hi there."', "Hi there.", ODD),
        ('["Hi.", "And bye."]', "Hi.\n\nAnd bye.", ODD),
        ('[{"message": "Hi."}]', "Hi.", ODD),
        ('"{\\"message\\": \\"Hi.\\"}"', "Hi.", ODD),
        ('{"message": {"text": "Hi."}}', "Hi.", ODD),
        ('{"message": ["Hi.", "Bye."]}', "Hi.\n\nBye.", ODD),
        ('{"text": "Hi."}', "Hi.", ODD),
        ("Hi there, plainly.", "Hi there, plainly.", ODD),
        ("{'message': 'It is I.'}", "It is I.", ODD),
        ('{"message": "I\\\'m here."}', "I'm here.", ODD),
        ('{"message": "She said "no" to me."}', 'She said "no" to me.', ODD),
        ('{"message": "Done."}}\n]', "Done.", ODD),
        (' {"message": "Done."}}]<|FunctionCallEnd|>', "Done.", ODD),
        ('{"message": "Done.</tool_call>}', "Done.", ODD),
        ('{"message": "Done.</arg_value>\n</tool_call>', "Done.", ODD),
        ('{"message": "Done."} and then I thought some more', "Done.", ODD),
        ('{"message": "I was about to', "I was about to", CUT),
        ('{"message": "I was\\n\\nabout \\', "I was\n\nabout", CUT),
        ('{"message": "Ends in a code \\u20', "Ends in a code", CUT),
        ('{"message": "A backslash \\\\', "A backslash \\", CUT),
        ({"message": "Hi."}, "Hi.", ODD),
        (["Hi."], "Hi.", ODD),
    ],
)
def test_the_message_is_recovered(arguments: object, text: str, marks: tuple[str, ...]) -> None:
    assert message_of(arguments, "message") == Recovered(text, marks)


@pytest.mark.parametrize(
    "arguments",
    ["", "   ", "{", "{}", '{"message"', '{"message": ', '{"message": "', '{"message": null}', '{"message": ""}',
     "null", "7", "[]", '""', None, 7, True, {}, {"message": 7}, {"a": "x", "b": "y"}, "[" * 50_000],
)  # fmt: skip
def test_where_there_is_no_message_there_is_none(arguments: object) -> None:
    assert message_of(arguments, "message") is None


def test_a_lone_brace_is_given_as_it_is_for_the_gate_to_judge() -> None:
    assert message_of('{"message": ": "}', "message") == Recovered(":")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["message", "x"]), inner, max_size=2),
    max_leaves=8,
)


@given(JSON, st.integers(0, 60), st.text(max_size=6))
def test_nothing_raises_whatever_is_sent_and_wherever_it_is_cut(value: object, cut: int, tail: str) -> None:
    message_of(value, "message")
    message_of(json.dumps(value)[:cut] + tail, "message")


@given(st.text(alphabet='ab"\\n{}]) <>/', max_size=60))
def test_a_string_is_read_from_anything(text: str) -> None:
    found = read_string(text, 0, '"')
    assert found is None or found.text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_unescaping_undoes_json(text: str) -> None:
    escaped = json.dumps(text, ensure_ascii=False)[1:-1]
    assert unescape(escaped) == text


@pytest.mark.parametrize("piece", ['"', '" ', '"}', "<a>", '"<|x|>', "\\", '")', "}"])
def test_hostile_arguments_take_no_time(piece: str) -> None:
    started = time.process_time()
    message_of('{"message": "a' + piece * 20_000 + "x", "message")
    assert time.process_time() - started < 5  # CPU time: hours, where it grows badly


NAME = TOOL.name
SAID = "I am here. Are you?"
FORMS = [
    f'{NAME}{{"message": "{SAID}"}}',
    f'{NAME}({{"message": "{SAID}"}})',
    f'{NAME}({{"message": "{SAID}")}}',
    f'{NAME}: {{"message": "{SAID}"}}',
    f"{NAME}{{'message': '{SAID}'}}",
    f'{NAME}(message="{SAID}")',
    f'print(default_api.{NAME}(message = """{SAID}"""))',
    f"{NAME}\n<arg_key>message</arg_key>\n<arg_value>{SAID}</arg_value>\n</tool_call>",
    f"<tool_call>{NAME}\n<arg_key>message</arg_key>\n<arg_value>{SAID}",
    f"<function={NAME}>\n<parameter=message>\n{SAID}\n</parameter>\n</function>\n</tool_call>",
    f'<invoke name="{NAME}">\n<parameter name="message">{SAID}</parameter>\n</invoke>',
    f'<｜DSML｜invoke name="{NAME}">\n<｜DSML｜parameter name="message" string="true">{SAID}</｜DSML｜parameter>',
    f'<tool_call>\n{{"name": "{NAME}", "arguments": {{"message": "{SAID}"}}}}\n</tool_call>',
    f'[TOOL_CALLS][{{"name": "{NAME}", "arguments": {{"message": "{SAID}"}}}}]',
    f'[TOOL_CALLS]{NAME}[ARGS]{{"message": "{SAID}"}}',
    f'{{"type": "function", "name": "{NAME}", "parameters": {{"message": "{SAID}"}}}}',
    f'<|tool_call_begin|>functions.{NAME}:0<|tool_call_argument_begin|>{{"message": "{SAID}"}}<|tool_call_end|>',
    f'<｜tool▁call▁begin｜>function<｜tool▁sep｜>{NAME}\n```json\n{{"message": "{SAID}"}}\n```<｜tool▁call▁end｜>',
    f"call tool {NAME} with message is {SAID}",
    f"invoke {NAME} with the message: {SAID}",
    f'```json\n{{"message": "{SAID}"}}\n```',
    f'{{"message": "{SAID}"}}',
]


@pytest.mark.parametrize("text", FORMS)
def test_a_call_is_found_in_every_form_it_was_seen_in(text: str) -> None:
    leak = find_leak(text, TOOL)
    assert leak is not None
    assert (leak.before, leak.text, leak.flags) == ("", SAID, (protocol.TOOL_SYNTAX,))


@pytest.mark.parametrize("text", FORMS[:-2])
def test_what_is_written_ahead_of_the_call_is_private(text: str) -> None:
    leak = find_leak(f"Let me think about that.\n\n{text}", TOOL)
    assert leak is not None
    assert (leak.before, leak.text) == ("Let me think about that.", SAID)


def test_a_value_that_is_only_closed_ends_there() -> None:
    leak = find_leak(f"{SAID}</arg_value>\n<arg_key>message</arg_key>\n<arg_value>{SAID}</arg_value>", TOOL)
    assert leak is not None
    assert (leak.text, leak.before) == (SAID, "")


def test_a_cut_call_is_salvaged_and_says_so() -> None:
    leak = find_leak(f'{NAME}{{"message": "I am here, and I was going to', TOOL)
    assert leak is not None
    assert leak.text == "I am here, and I was going to"
    assert leak.flags == (protocol.TOOL_SYNTAX, protocol.CUT_ARGUMENTS)


def test_a_misspelt_name_is_foreign_but_a_capital_is_not() -> None:
    foreign = find_leak(f'send_message_to_nobody{{"message": "{SAID}"}}', TOOL)
    assert foreign is not None
    assert foreign.flags == (protocol.TOOL_SYNTAX, protocol.FOREIGN_TOOL)
    capital = find_leak(f'{NAME.capitalize()}{{"message": "{SAID}"}}', TOOL)
    assert capital is not None
    assert capital.flags == (protocol.TOOL_SYNTAX,)


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        f"I could use {NAME} for this, but why?",
        f"The tool {NAME} takes a message and sends it.",
        f'{NAME}{{"message": ""}}',
        f'{NAME}{{"message": "}}"}}',
        'The payload {"message": "x"} is what an API would take.',
        "Start with message: hello.",
        "",
    ],
)
def test_a_mention_is_not_a_call(text: str) -> None:
    assert find_leak(text, TOOL) is None


@pytest.mark.parametrize(
    "piece",
    [NAME, f"{NAME} ", f"{NAME}(", "arguments", "< ", "{ ", "(", f'{NAME}{{"message": "', " ", "```", "tool_call"],
)
def test_hostile_text_takes_no_time(piece: str) -> None:
    started = time.process_time()
    find_leak(piece * 1500, TOOL)
    find_leak(piece * 1500 + f'!{NAME}{{"message": "x"}}', TOOL)
    find_leak(NAME + piece * 1500 + "!", TOOL)
    assert time.process_time() - started < 5  # CPU time: hours, where it grows badly
