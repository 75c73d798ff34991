from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.text import without_role, without_tokens


@pytest.mark.parametrize(
    "text",
    [
        "<|im_start|>assistant\nI am here.<|im_end|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\nI am here.<|eot_id|>",
        "<start_of_turn>model\nI am here.<end_of_turn>",
        "[INST] I am here. [/INST]",
        "<s> I am here.</s>",
        "I am here.<|endoftext|>",
        "I am here.<｜end▁of▁sentence｜>",
        "I am here.<channel|>",
        "[TOOL_CALLS]I am here.[/TOOL_CALLS]",
        "<bos>I am here.<eos>",
        "I am here.<|im_end|>\n<|im_start|>user\nAnd who am I?",
    ],
)
def test_template_tokens_go_and_so_does_another_turn(text: str) -> None:
    assert without_tokens(text) == "I am here."


@pytest.mark.parametrize(
    "text",
    ["if a <b> c", "x <| y", "f |> g", "<s>struck</s> out", "this is <s>struck</s>", "[inst] lower", "a | b > c"],
)
def test_what_only_looks_like_a_token_stays(text: str) -> None:
    assert without_tokens(text) == text


def test_a_role_left_by_a_token_goes_with_it_and_only_with_it() -> None:
    assert without_tokens("<|channel>thought\nI am.") == "I am."
    assert without_tokens("thought\nI am.") == "thought\nI am."
    assert without_role("final\nI am.") == "I am."


def test_tokens_alone_leave_nothing() -> None:
    assert without_tokens("<|im_end|><|im_end|>") == ""


@given(st.text(alphabet="<|>a im_endstrx\n", max_size=60))
def test_only_ever_shortens(text: str) -> None:
    assert len(without_tokens(text)) <= len(text)
