from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.text import joined, split_thinking


@pytest.mark.parametrize(
    ("text", "said", "thought"),
    [
        ("<think>Who asks?</think>\n\nI do.", "I do.", "Who asks?"),
        ("<THINKING>Who asks?</THINKING>I do.", "I do.", "Who asks?"),
        ("[THINK]Who asks?[/THINK]I do.", "I do.", "Who asks?"),
        ("◁think▷Who asks?◁/think▷I do.", "I do.", "Who asks?"),
        ("Who asks?</think>I do.", "I do.", "Who asks?"),
        ("<think>One.</think>I<think>Two.</think> do.", "I do.", "One.\n\nTwo."),
        ("<think>Who asks, and why did they", "", "Who asks, and why did they"),
        ("<think></think>I do.", "I do.", ""),
        ("<|channel>thought\nWho asks?<channel|>I do.", "I do.", "Who asks?"),
        ("<|channel>thought\n<channel|>thought\nI do.", "I do.", ""),
        ("<|channel>thought\nA.<channel|><|tool_response>thought\nB.<channel|>", "", "A.\n\nB."),
        ("<|channel|>analysis<|message|>Who asks?<|end|><|start|>assistant<|channel|>final<|message|>I do.<|return|>",
         "I do.", "Who asks?"),
        ("<|channel|>final<|message|>I do.", "I do.", ""),
        ("<|channel|>analysis<|message|>Who asks?", "", "Who asks?"),
        ("Who asks?<|end|><|start|>assistant<|channel|>final<|message|>I do.", "I do.", "Who asks?"),
        ('<|channel|>commentary to=functions.speak <|constrain|>json<|message|>{"message": "I do."}<|call|>',
         'functions.speak {"message": "I do."}', ""),
    ],
)  # fmt: skip
def test_what_is_said_is_parted_from_what_is_thought(text: str, said: str, thought: str) -> None:
    assert split_thinking(text)[:2] == (said, thought)


@pytest.mark.parametrize("text", ["I do.", "a < b", "I open a <think> tag and never close it.", "think about it", ""])
def test_a_text_without_thoughts_is_said_as_it_is(text: str) -> None:
    assert split_thinking(text) == (text, "", split_thinking(text).template)


def test_only_template_tokens_count_as_such() -> None:
    assert not split_thinking("<think>a</think>b").template
    assert split_thinking("<|channel>thought\na<channel|>b").template
    assert split_thinking("<|channel|>final<|message|>b").template


def test_parts_become_paragraphs() -> None:
    assert joined([" a ", "", "b"]) == "a\n\nb"


PIECES = st.sampled_from(
    ["<think>", "</think>", "<|channel|>", "<|message|>", "<|end|>", "final", "<channel|>", "a", " "]
)


@given(st.lists(PIECES, max_size=20).map("".join))
def test_any_mixture_of_tags_is_parted_without_a_crash(text: str) -> None:
    part = split_thinking(text)
    assert len(part.answer) + len(part.thinking) <= len(text) + 2 * 20


@pytest.mark.parametrize("piece", ["<think>", "</think>", "<|channel|>", "<|channel|>a<|message|>", "<channel|>"])
def test_hostile_tags_take_no_time(piece: str) -> None:
    started = time.process_time()
    split_thinking("a" + piece * 5000)
    assert time.process_time() - started < 20  # hours, where it grows with the square or worse
