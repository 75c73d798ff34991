from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients import flags
from independence.clients.extract import clean
from independence.clients.text import safe, union

from .conftest import TOOL

SAID = "I am here. Are you?"


@pytest.mark.parametrize("text", ["Plain.", "  Plain.\n", "Two\n\nparagraphs", "{'a': 1} in prose", "🙂", "x = [1, 2]"])
def test_an_ordinary_text_is_only_stripped(text: str) -> None:
    assert clean(text, TOOL) == (text.strip(), "", "", ())


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        (f'<think>hm</think>{TOOL.name}{{"message": "{SAID}"}}', (flags.TOOL_SYNTAX,)),
        (f"<|channel|>final<|message|>{SAID}<|return|>", (flags.TEMPLATE_TOKENS,)),
        (f"{SAID}</arg_value>\n</tool_call>", (flags.TOOL_SYNTAX,)),
        (f"{SAID}<|im_end|>", (flags.TEMPLATE_TOKENS,)),
        (f'<|im_start|>assistant\n{TOOL.name}{{"message": "{SAID}"}}<|im_end|>', (flags.TOOL_SYNTAX,)),
        (f"{SAID}\x00", (flags.BAD_TEXT,)),
        (f'{TOOL.name}{{"message": "{TOOL.name}{{\\"message\\": \\"{SAID}\\"}}"}}', (flags.TOOL_SYNTAX,)),
        (f'<|channel|>commentary to=functions.{TOOL.name}<|message|>{{"message": "{SAID}"}}',
         (flags.TEMPLATE_TOKENS, flags.TOOL_SYNTAX)),
    ],
)  # fmt: skip
def test_every_layer_comes_off_and_is_marked(text: str, marks: tuple[str, ...]) -> None:
    cleaned = clean(text, TOOL)
    assert (cleaned.text, cleaned.flags) == (SAID, marks)


def test_without_a_tool_on_offer_no_call_can_have_leaked() -> None:
    text = f'{TOOL.name}{{"message": "{SAID}"}}'
    assert clean(text, None).text == text


def test_thoughts_go_where_they_belong() -> None:
    cleaned = clean(f'<think>Hm.</think>Private note. {TOOL.name}{{"message": "{SAID}"}}', TOOL)
    assert (cleaned.text, cleaned.thinking, cleaned.reasoning) == (SAID, "Private note.", "Hm.")


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
    assert time.process_time() - started < 20  # hours, where it grows with the square or worse


def test_flags_are_kept_in_order_without_repeats() -> None:
    assert union(("a", "b"), ("b", "c")) == ("a", "b", "c")
