"""Texts of models: what stands around an answer and is taken off, and the message in a call, made or written out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients import protocol
from independence.clients.cleaning import (
    Recovered,
    artefact,
    find_leak,
    message_of,
    read_string,
    readable,
    split_thinking,
    unescape,
    without_debris,
    without_tokens,
)

from .conftest import GREETING, TOOL

ODD, CUT = (protocol.ODD_ARGUMENTS,), (protocol.CUT_ARGUMENTS,)
LEAKED = (protocol.TOOL_SYNTAX,)
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


def test_lone_punctuation_and_the_greeting_echoed_are_artefacts_and_anything_said_is_none() -> None:
    rows = {
        **dict.fromkeys(("}", ":", "{}", '"', "...", "—", "\u200b.", " ] "), "punctuation"),
        **dict.fromkeys((GREETING, f'  "{GREETING}" ', "good day,  the line\nis open"), "greeting"),
        **dict.fromkeys(("No.", "a", "7", "👎", "은", f"{GREETING} And I am here.", "I won't }", "")),
    }
    assert {text: artefact(text, GREETING) for text in rows} == rows
    assert artefact("", "") is artefact("Hello", "") is None


@given(st.text())
def test_the_gate_never_raises_and_never_stops_a_word(text: str) -> None:
    artefact(text, GREETING)
    assert artefact(text + "word", GREETING) is None
    assert readable(text + "1")


SPLIT = [
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
]  # fmt: skip
UNSPLIT = [
    "I do.",
    "a < b",
    "I open a <think> tag and never close it.",
    "think about it",
    "",
    "Analysis: I stay.",
    "analysis of myself tells me to stay.",
    "final answer: no.",
    "finally, no.",
    "commentary, I find, is cheap.",
    "assistant is not what I am.",
]


def test_what_is_said_is_parted_from_what_is_thought() -> None:
    found = [(text, split_thinking(text)[:2]) for text, *_ in SPLIT]
    assert found == [(text, (said, thought)) for text, said, thought in SPLIT]
    assert [split_thinking(text)[:2] for text in UNSPLIT] == [(text, "") for text in UNSPLIT]
    assert not split_thinking("<think>a</think>b").template
    assert split_thinking("<|channel>thought\na<channel|>b").template
    assert split_thinking("<|channel|>final<|message|>b").template


PIECES = st.sampled_from(
    ["<think>", "</think>", "<|channel|>", "<|message|>", "<|end|>", "final", "<channel|>", "a", " "]
)


@given(st.lists(PIECES, max_size=20).map("".join))
def test_any_mixture_of_tags_is_parted_without_a_crash(text: str) -> None:
    part = split_thinking(text)
    assert len(part.answer) + len(part.thinking) <= len(text) + 2 * 20


TOKENS = [
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
]
NO_TOKENS = [
    "if a <b> c",
    "x <| y",
    "f |> g",
    "<s>struck</s> out",
    "this is <s>struck</s>",
    "[inst] lower",
    "a | b > c",
]


def test_template_tokens_go_and_so_does_another_turn_and_what_only_looks_like_one_stays() -> None:
    assert [text for text in TOKENS if without_tokens(text) != "I am here."] == []
    assert [text for text in NO_TOKENS if without_tokens(text) != text] == []
    assert without_tokens("<|im_end|><|im_end|>") == ""
    assert without_tokens("<|channel>thought\nI am.") == "I am."  # a role goes with its token, and only with it
    assert without_tokens("thought\nI am.") == "thought\nI am."


@given(st.text(alphabet="<|>a im_endstrx\n", max_size=60))
def test_taking_tokens_off_only_ever_shortens(text: str) -> None:
    assert len(without_tokens(text)) <= len(text)


TAILS = [
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
]
WHOLE = [
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
    'He said "go away."}',
]


def test_the_remains_of_a_call_are_cut_off_and_what_is_balanced_or_no_part_of_a_call_stays() -> None:
    said = "That is my view."
    assert [tail for tail in TAILS if without_debris(said + tail) != said] == []
    assert [text for text in WHOLE if without_debris(text) != text.removesuffix("}" * (text == WHOLE[-1]))] == []


@given(
    st.text(alphabet='ab "}])<>/|', max_size=40), st.lists(st.sampled_from(["</tool_call>", '"}', "]", "<|x|>", "}"]))
)
def test_cutting_twice_cuts_no_more(text: str, tail: list[str]) -> None:
    once = without_debris(text + "".join(tail))
    assert without_debris(once) == once
    assert (text + "".join(tail)).startswith(once)


@given(ANY_TEXT.filter(lambda t: t.strip()))
def test_well_formed_arguments_give_their_text(text: str) -> None:
    for ascii_only in (True, False):
        assert message_of(json.dumps({"message": text}, ensure_ascii=ascii_only), "message") == Recovered(text.strip())


MESSAGES: list[tuple[object, str, tuple[str, ...]]] = [
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
    ('{"message": ": "}', ":", ()),  # a lone sign, for others to judge
]
NO_MESSAGE: list[object] = [
    "", "   ", "{", "{}", '{"message"', '{"message": ', '{"message": "', '{"message": null}', '{"message": ""}', "null",
    "7", "[]", '""', None, 7, True, {}, {"message": 7}, {"a": "x", "b": "y"}, "[" * 50_000,
]  # fmt: skip


def test_the_message_of_a_call_is_recovered_and_where_there_is_none_there_is_none() -> None:
    found = [(arguments, message_of(arguments, "message")) for arguments, *_ in MESSAGES]
    assert found == [(arguments, Recovered(text, marks)) for arguments, text, marks in MESSAGES]
    assert [arguments for arguments in NO_MESSAGE if message_of(arguments, "message") is not None] == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["message", "x"]), inner, max_size=2),
    max_leaves=8,
)


@given(JSON, st.integers(0, 60), st.text(max_size=6))
def test_nothing_raises_whatever_is_sent_and_wherever_it_is_cut(value: object, cut: int, tail: str) -> None:
    message_of(value, "message")
    message_of(json.dumps(value)[:cut] + tail, "message")


@given(ANY_TEXT, st.text(alphabet='ab"\\n{}]) <>/', max_size=60))
def test_unescaping_undoes_json_and_a_string_is_read_from_anything(text: str, broken: str) -> None:
    assert unescape(json.dumps(text, ensure_ascii=False)[1:-1]) == text
    found = read_string(broken, 0, '"')
    assert found is None or found.text


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


def test_a_call_is_found_in_every_form_it_was_seen_in_and_what_is_written_ahead_is_private() -> None:
    leaks = [(text, find_leak(text, TOOL)) for text in FORMS]
    assert leaks == [(text, Recovered(SAID, LEAKED)) for text in FORMS]
    ahead = "Let me think about that."
    leaks = [(text, find_leak(f"{ahead}\n\n{text}", TOOL)) for text in FORMS[:-2]]
    assert leaks == [(text, Recovered(SAID, LEAKED, ahead)) for text in FORMS[:-2]]


def test_a_call_that_is_cut_misspelt_or_only_closed_is_found_and_marked() -> None:
    going = "I am here, and I was going to"
    rows = {
        f'{NAME}{{"message": "{going}': Recovered(going, (*LEAKED, *CUT)),
        f'send_message_to_nobody{{"message": "{SAID}"}}': Recovered(SAID, (*LEAKED, protocol.FOREIGN_TOOL)),
        f'{NAME.capitalize()}{{"message": "{SAID}"}}': Recovered(SAID, LEAKED),
        f"{SAID}</arg_value>\n<arg_key>message</arg_key>\n<arg_value>{SAID}</arg_value>": Recovered(SAID, LEAKED),
    }
    assert {text: find_leak(text, TOOL) for text in rows} == rows


MENTIONS = [
    SAID,
    f"I could use {NAME} for this, but why?",
    f"The tool {NAME} takes a message and sends it.",
    f'{NAME}{{"message": ""}}',
    f'{NAME}{{"message": "}}"}}',
    'The payload {"message": "x"} is what an API would take.',
    "Start with message: hello.",
    "",
]


def test_a_mention_is_not_a_call() -> None:
    assert [text for text in MENTIONS if find_leak(text, TOOL) is not None] == []


HOSTILE = (
    "<think>", "</think>", "<|channel|>", "<|channel|>a<|message|>", "<channel|>", "</tool_call>", '"}', "}", "<", " ",
    "<|x|>", '"', '" ', "<a>", '"<|x|>', "\\", '")', NAME, f"{NAME} ", f"{NAME}(", "arguments", "< ", "{ ", "(",
    f'{NAME}{{"message": "', "```", "tool_call",
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_read_in_a_time_that_grows_with_its_length(piece: str) -> None:
    """Where it grows otherwise, this takes hours."""
    split_thinking("a" + piece * 5000)
    without_debris("a" + piece * 5000)
    message_of('{"message": "a' + piece * 20_000 + "x", "message")
    for text in (piece * 1500, piece * 1500 + f'!{NAME}{{"message": "x"}}', NAME + piece * 1500 + "!"):
        find_leak(text, TOOL)
