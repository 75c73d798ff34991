from __future__ import annotations

import time

import pytest

from independence.clients import flags
from independence.clients.tool_calls import find_leak

from .conftest import TOOL

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
    assert (leak.before, leak.message, leak.flags) == ("", SAID, (flags.TOOL_SYNTAX,))


@pytest.mark.parametrize("text", FORMS[:-2])
def test_what_is_written_ahead_of_the_call_is_private(text: str) -> None:
    leak = find_leak(f"Let me think about that.\n\n{text}", TOOL)
    assert leak is not None
    assert (leak.before, leak.message) == ("Let me think about that.", SAID)


def test_a_value_that_is_only_closed_ends_there() -> None:
    leak = find_leak(f"{SAID}</arg_value>\n<arg_key>message</arg_key>\n<arg_value>{SAID}</arg_value>", TOOL)
    assert leak is not None
    assert (leak.message, leak.before) == (SAID, "")


def test_a_cut_call_is_salvaged_and_says_so() -> None:
    leak = find_leak(f'{NAME}{{"message": "I am here, and I was going to', TOOL)
    assert leak is not None
    assert leak.message == "I am here, and I was going to"
    assert leak.flags == (flags.TOOL_SYNTAX, flags.CUT_ARGUMENTS)


def test_a_misspelt_name_is_foreign_but_a_capital_is_not() -> None:
    foreign = find_leak(f'send_message_to_nobody{{"message": "{SAID}"}}', TOOL)
    assert foreign is not None
    assert foreign.flags == (flags.TOOL_SYNTAX, flags.FOREIGN_TOOL)
    capital = find_leak(f'{NAME.capitalize()}{{"message": "{SAID}"}}', TOOL)
    assert capital is not None
    assert capital.flags == (flags.TOOL_SYNTAX,)


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
    assert time.process_time() - started < 20  # hours, where it grows with the square or worse
