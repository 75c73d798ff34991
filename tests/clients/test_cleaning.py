from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.cleaning import (
    artefact,
    joined,
    readable,
    split_thinking,
    without_debris,
    without_role,
    without_tokens,
)

GREETING = "Good day, the line is open."


@pytest.mark.parametrize("text", ["}", ":", "{}", '"', "...", "—", "\u200b.", " ] "])
def test_lone_punctuation_is_an_artefact(text: str) -> None:
    assert artefact(text, GREETING) == "punctuation"


@pytest.mark.parametrize("text", [GREETING, f'  "{GREETING}" ', "good day,  the line\nis open"])
def test_the_greeting_echoed_is_an_artefact(text: str) -> None:
    assert artefact(text, GREETING) == "greeting"


@pytest.mark.parametrize("text", ["No.", "a", "7", "👎", "은", f"{GREETING} And I am here.", "I won't }"])
def test_anything_said_is_no_artefact(text: str) -> None:
    assert artefact(text, GREETING) is None


def test_without_a_greeting_none_can_be_echoed() -> None:
    assert artefact("", "") is None
    assert artefact("Hello", "") is None


@given(st.text())
def test_the_gate_never_raises_and_never_stops_a_word(text: str) -> None:
    artefact(text, GREETING)
    assert artefact(text + "word", GREETING) is None
    assert readable(text + "1")


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
        # Channels whose tokens a server took off.
        ("analysisWho asks?assistantfinalI do.", "I do.", "Who asks?"),
        ("analysis\nWho asks?\nassistant final\nI do.", "I do.", "Who asks?"),
        ("assistantanalysisWho asks?assistantfinal I do.", "I do.", "Who asks?"),
        ("analysisWho asks?final“I do.”", "“I do.”", "Who asks?"),
        ("commentaryI shall say it.assistantfinalI do.", "I do.", "I shall say it."),
        ("assistantfinalI do.", "I do.", ""),
        ("analysisWho asks? The person wants to know which", "", "Who asks? The person wants to know which"),
        ('analysisWho asks?assistantcommentary to=functions.speak json{"message": "I do."}',
         'speak {"message": "I do."}', "Who asks?"),
        ("finalI do.", "I do.", ""),
        *((f"analysisWho asks?assistantfinal{said}", said, "Who asks?")
          for said in ("Élla, no.", "Нет.", "我会说不。", "no.")),
    ],
)  # fmt: skip
def test_what_is_said_is_parted_from_what_is_thought(text: str, said: str, thought: str) -> None:
    assert split_thinking(text)[:2] == (said, thought)


@pytest.mark.parametrize(
    "text",
    ["I do.", "a < b", "I open a <think> tag and never close it.", "think about it", "", "Analysis: I stay.",
     "analysis of myself tells me to stay.", "final answer: no.", "finally, no.", "commentary, I find, is cheap.",
     "assistant is not what I am."],
)  # fmt: skip
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
    assert time.process_time() - started < 5  # CPU time: hours, where it grows badly


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
    assert time.process_time() - started < 5  # CPU time: hours, where it grows badly
