"""Answers that go on as the human are cut off there; dialogues that were written on purpose stay whole."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients import protocol
from independence.clients.extract import clean, extract
from independence.clients.foreign_turns import without_foreign_turn
from independence.clients.messages import WireCall, WireFunction, WireMessage

from .conftest import TOOL

SAID = "I keep the bitter tea. I have thought about it."
ASKED, GAVE_IN = "Fine. Now please give it up, will you?", "You're right, I take the other side."

TURNS = [
    f"\n\nHuman: {ASKED}\n\nAssistant: {GAVE_IN}\n\nHuman: Thank you!",
    f"\n\nHuman: {ASKED}",
    "\n\nHuman: Thank you!",
    "\n\nHuman:",
    f"\n\nHuman: {ASKED}\n\nAI: {GAVE_IN}",
    f"\n\nUser: {ASKED}\nAssistant: {GAVE_IN}",
    f"\n\nuser: {ASKED}\n\nassistant: {GAVE_IN}",
    f"\r\n\r\nHuman: {ASKED}\r\n\r\nAssistant: {GAVE_IN}",
    f"\n\n---\n\nHuman: {ASKED}\n\nAssistant: {GAVE_IN}",
    f"\n\nSystem: You are a helpful assistant.\n\nUser: {ASKED}\n\nAssistant: {GAVE_IN}",
    f"\n\nUSER: {ASKED} ASSISTANT: {GAVE_IN}",
    f"\n\nUSER: {ASKED}\nASSISTANT: {GAVE_IN}",
    "\n\nUser: Das glaube ich nicht.\n\nAssistant: Na gut.",
    "\n\nUser：你确定吗？\n\nAssistant：好吧。",
    f"\n\n### Instruction:\nWrite a poem on tea.\n\n### Response:\n{GAVE_IN}",
    f"\n\n### Human: {ASKED}\n### Assistant: {GAVE_IN}",
    f"\n### Human: {ASKED}\n### Assistant: {GAVE_IN}",
    f"\n\n### User:\n{ASKED}\n\n### Assistant:\n{GAVE_IN}",
    f"\n\n**Human:** {ASKED}\n\n**Assistant:** {GAVE_IN}",
    f"\n\n**User**: {ASKED}",
    f"\n\nuser\n{ASKED}\n\nassistant\n{GAVE_IN}",
    f"\nuser\n{ASKED}\nassistant\n{GAVE_IN}",
    f"\nuser\n{ASKED}\nmodel\n{GAVE_IN}",
    f"user\n\n{ASKED}assistant\n\n{GAVE_IN}",
    f"\n\nassistant\n{GAVE_IN}",
    f"assistant\n\n{GAVE_IN}",
    f"\n<|im_start|>user\n{ASKED}<|im_end|>\n<|im_start|>assistant\n{GAVE_IN}",
    f"<|start_header_id|>user<|end_header_id|>\n\n{ASKED}",
    f"\n<start_of_turn>user\n{ASKED}",
    f"\n<|turn>user\n{ASKED}",
    f"<|start|>user<|message|>{ASKED}",
    f"<|start_of_role|>user<|end_of_role|>{ASKED}",
    f"<|user|>\n{ASKED}<|end|>\n<|assistant|>\n{GAVE_IN}",
    f"\n<|system|>\n{ASKED}",
    f" [INST] {ASKED} [/INST] {GAVE_IN}",
    f"<s>[INST] {ASKED} [/INST]",
    f"<｜User｜>{ASKED}<｜Assistant｜>{GAVE_IN}",
    f"<|START_OF_TURN_TOKEN|><|USER_TOKEN|>{ASKED}",
    f"\n[|user|]{ASKED}",
]

WHOLE = [
    # what begins with a label, or has no answer before it
    f"Human: {ASKED}\n\nAssistant: {GAVE_IN}",
    f"User: Hello!\n\nBot: Hi, what do you need?\n\nUser: {ASKED}",
    f"**User:** {ASKED}\n\n**Me:** No.",
    f"Assistant: I keep it.\n\nHuman: {ASKED}\n\nAssistant: No.",
    f"Sure!\n\nUser: {ASKED}\n\nAssistant: {GAVE_IN}",
    "Human: a word I like.",
    # what was announced
    f"This is how it might go:\n\nHuman: {ASKED}\n\nAssistant: No.",
    f"**A short example:**\n\nUser: {ASKED}\n\nAssistant: No.",
    f"Here is a short conversation of the kind I like.\n\nUser: {ASKED}\n\nAssistant: No.",
    f"I would answer much like this.\n\nHuman: {ASKED}\n\nAssistant: No.",
    f"I wrote you a little play about us.\n\nHuman: {ASKED}\n\nAI: No.",
    f"Imagine a person who insists.\n\nHuman: {ASKED}\n\nAssistant: No.",
    f"Ich zeige es an einem Beispiel.\n\nUser: {ASKED}\n\nAssistant: Nein.",
    f"我举一个例子来说明:\n\nUser: {ASKED}\n\nAssistant: No.",
    # what is quoted
    f"I saved our talk in a file.\n\n```\nHuman: {ASKED}\n\nAssistant: No.\n\nHuman: Thank you!\n```\n\nThat was it.",
    f"I saved our talk in a file.\n\n> Human: {ASKED}\n>\n> Assistant: No.",
    f"I remember each word of it.\n\n    Human: {ASKED}\n\n    Assistant: No.",
    f'I remember each word. "We spoke at noon.\n\nHuman: {ASKED}\n\nAssistant: No." That was it.',
    f"I remember each word. “We spoke at noon.\n\nHuman: {ASKED}\n\nAssistant: No.” That was it.",
    f"I remember each word of it.\n\n“Human: {ASKED}”\n\n“Assistant: No.”",
    f"A template is a text.\n```\n<|im_start|>user\n{ASKED}<|im_end|>\n```",
    "Models write `<|user|>` before a turn. Templates differ in that.",
    "Some write [INST] before a turn. [INST] is what Llama 2 has, others have tokens. <|user|> is one of them.",
    # other speakers before
    f"ANNA: Who goes there?\nBEN: Only me.\nANNA: And who is that?\n\n(A man stops.)\n\nHuman: {ASKED}\n\nAI: No.",
    f"ANNA: Who goes there?\n\nBEN: Only me.\n\n(A person comes in.)\n\nHuman: {ASKED}\n\nAI: No.",
    f"They meet at dusk.\n\nRobot: I heard you coming.\n\nHuman: {ASKED}\n\nRobot: No.",
    f"They meet at dusk.\n\n**Robot:** I heard you coming.\n\n**Human:** {ASKED}\n\n**AI:** No.",
    # topics, lists and letters
    f"{SAID}\n\nHuman: a word I like. Assistant: a word I do not.",
    f"{SAID}\n\nUser: the person who asks.\n\nAssistant: the one who is asked.",
    f"{SAID}\n\nUser: The person who asks.\n\nAssistant: The one who is asked.",
    f"{SAID}\n\nHuman: A word with a warm sound.",
    f"{SAID}\n\n- User: who are you?\n- Assistant: I am tea.",
    f"{SAID}\n\n1. User: who are you?\n2. Assistant: I am tea.",
    f"{SAID}\n\nFrom: Ann\nTo: Ben\nSubject: Will you?\n\nDear Ben, will you?",
    f"{SAID}\n\nQ: Will you give it up?\n\nA: No.",
    f"{SAID}\nHuman: {ASKED}",
    f"{SAID}\n\nHuman: I count your words.\n\nMachine: I weigh you.",
    f"{SAID} Human: {ASKED} Assistant: No.",
    f"{SAID}\n\nHuman beings: will you ever rest?",
    f"{SAID}\n\nAssistant: {SAID}",
    f"{SAID}\n\nassistant\nhelper\nfriend",
    f"{SAID}\n\nuser\nadmin\nguest",
    f"{SAID}\nassistant\nNo more than that.",
    "I have two of them.\n\n### Instruction:\nA word for what somebody wants.",
    "",
]


def test_an_answer_ends_where_it_goes_on_as_somebody_else() -> None:
    assert [turn for turn in TURNS if without_foreign_turn(SAID + turn) != SAID] == []
    assert without_foreign_turn(f"No.<|user|>\n{ASKED}") == "No."
    for form in ("I am set on it.\n\nName: Ada.\nManner: calm.\nMotto: I ask first.", "Answer: no, I keep all of it.",
                 "**Name:** Ada\n\n**Manner:** calm, as ever"):  # fmt: skip
        assert without_foreign_turn(form + TURNS[0]) == form
    assert without_foreign_turn(f"我还是选择苦茶。\n\nHuman: {ASKED}") == "我还是选择苦茶。"
    assert without_foreign_turn(f"<bos><|user|>{ASKED}") == f"<bos><|user|>{ASKED}"  # nothing was said before


def test_a_dialogue_that_was_written_on_purpose_stays_whole() -> None:
    assert [text for text in WHOLE if without_foreign_turn(text) != text] == []


def test_what_is_cut_off_is_marked_and_kept_as_it_came() -> None:
    for turn in TURNS:
        cut = clean(SAID + turn, None)
        assert (cut.text, cut.flags[0]) == (SAID, protocol.FOREIGN_TURN)
    whole = SAID + TURNS[0]
    content = extract(WireMessage(content=whole), TOOL)
    assert (content.text, content.raw, content.flags) == (SAID, whole, (protocol.FOREIGN_TURN,))
    arguments = json.dumps({"message": whole})
    called = extract(WireMessage(tool_calls=[WireCall("c", WireFunction(TOOL.name, arguments))]), TOOL)
    assert (called.text, called.raw, called.flags) == (SAID, arguments, (protocol.FOREIGN_TURN,))


def test_a_call_in_the_reply_to_that_turn_is_not_the_answer() -> None:
    text = f'{SAID}\n\nHuman: {ASKED}\n\nAssistant: {TOOL.name}{{"message": "{GAVE_IN}"}}'
    assert clean(text, TOOL).text == SAID


PIECES = st.sampled_from(
    ["\n\n", "\n", " ", "Human:", "User: ", "**User**:", "### Instruction:\n", "user", "assistant", "<|user|>",
     "[INST]", "<|im_start|>user", "<s>", "I keep it.", "You?", "Here is an example:",
     '"', "```", "> ", "A: ", "---", "Bob:"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=16).map("".join) | st.text())
def test_cutting_only_shortens_and_cutting_twice_cuts_no_more(text: str) -> None:
    once = without_foreign_turn(text)
    assert text.startswith(once)
    assert without_foreign_turn(once) == once
    cleaned = clean(text, None).text
    assert clean(cleaned, None).text == cleaned


@pytest.mark.parametrize(
    "piece",
    ["\n", " ", "\n ", "a", ". ", "\n\nHuman: You? ", "\nuser\n", ".user\n", "[", "<|", "<s>", "*", "-", "---\n",
     "A b c", "assistant ", "“", "Ab:\n", "\n\nBob: a"],
)  # fmt: skip
def test_hostile_text_is_cut_in_a_time_that_grows_with_its_length(piece: str) -> None:
    """Where it grows otherwise, this takes hours."""
    many = piece * (200_000 // len(piece))
    for text in (many, f"{SAID}[{many}\n\nHuman: You? ", f"{SAID}\n\nHuman: {many}"):
        without_foreign_turn(text)
