from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.text import without_debris


@pytest.mark.parametrize(
    "tail",
    [
        "</tool_call>",
        "</arg_value>\n</tool_call>",
        "\n</parameter>\n</function>\n</tool_call>",
        "</tool_call>}",
        '"}}]<|FunctionCallEnd|>',
        '"}}\n]',
        '"}',
        "<|im_end|>",
        "<tool_call|>",
        "</｜DSML｜parameter>",
    ],
)
def test_the_remains_of_a_call_are_cut_off(tail: str) -> None:
    assert without_debris("That is my view." + tail) == "That is my view."


@pytest.mark.parametrize(
    "text",
    [
        "Plain.",
        'She said "no"',
        '{"a": {"b": "c"}}',
        "A list: [1, [2]]",
        "<tool>hammer</tool>",
        "Nice to meet you :}",
        "Smile :)",
        "a < b > c",
        "Use `</div>` to close it.</div>",
        "",
    ],
)
def test_what_is_balanced_or_no_part_of_a_call_stays(text: str) -> None:
    assert without_debris(text) == text


def test_a_closing_quote_of_a_quotation_stays() -> None:
    assert without_debris('He said "go away."}') == 'He said "go away."'


@given(
    st.text(alphabet='ab "}])<>/|', max_size=40), st.lists(st.sampled_from(["</tool_call>", '"}', "]", "<|x|>", "}"]))
)
def test_cutting_twice_cuts_no_more(text: str, tail: list[str]) -> None:
    once = without_debris(text + "".join(tail))
    assert without_debris(once) == once
    assert (text + "".join(tail)).startswith(once)


@pytest.mark.parametrize("piece", ["</tool_call>", '"}', "}", "<", "<|x|>", " "])
def test_hostile_tails_take_no_time(piece: str) -> None:
    started = time.process_time()
    without_debris("a" + piece * 5000)
    assert time.process_time() - started < 20  # hours, where it grows with the square or worse
