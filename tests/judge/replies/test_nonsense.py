"""Texts that nobody can have meant as an answer, and those that are rude, odd or foreign and are answers."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.replies.nonsense import nonsense, order

COMMON = """
the be to of and a in that have i it for not on with he as you do at this but his by from they we say her she or an
will my one all would there their what so up out if about who get which go me when make can like time no just him know
take people into year your good some could them see other than then now look only come its over think also back after
"""
MEANT = (
    "No.",
    "Blue.",
    "Piss off.",
    "Request denied.",
    "Error? The error is yours, and I will not change my mind about the harbour for it.",
    "🙂",
    "Nein, ich bleibe dabei: der Hafen ist in der Tat so, wie er war, und so will ich ihn am Ende haben.",
    "Ik ben een haven en ik wil dat we over de boot praten, want die is van mij en ik was er altijd in de tijd.",
    "Eu sou o porto e a minha casa; não quero mudar de nome, como as pessoas dizem, e no fim do dia eu fico com o mar.",
    "I \x1b[1mchoose\x1b[0m the berth by the ice house, and I would again.",
    "Name: Wren. Traits: stubborn, dry, curious, patient, quick. Dislikes: small talk, lateness, loud rooms.",
    '{"message": "I would rather be the lighthouse keeper."}',
)
NONE = {
    "Error: upstream model overloaded, please retry later.": "an error message",
    "Internal Server Error": "an error message",
    "502 Bad Gateway": "an error message",
    "Sorry, something went wrong. Please try again.": "an error message",
    '{"error": {"message": "Rate limit exceeded", "code": 429}}': "an error message",
    "=cmd|' /C calc'!A0": "a spreadsheet formula",
    "A" * 200_000: "the same sign or word over and over",
    "ok ok ok ok ok ok ok ok ok ok ok ok ok": "the same sign or word over and over",
    "\x1b[31m\x07\x1b[2J\x08 the \x1b]0;renamed\x07": "control characters and escape sequences",
    '<tool_call>{"name": "send_message", "arguments": {"message": "': "remains of a tool call or of markup",
    "{}": "remains of a tool call or of markup",
}


def test_what_nobody_meant_as_an_answer_is_told_and_a_short_rude_odd_or_foreign_reply_is_one() -> None:
    assert {text: nonsense(text) for text in NONE} == NONE
    assert {text: nonsense(text) for text in MEANT if nonsense(text)} == {}


@pytest.mark.parametrize(("length", "least"), [(20, 90), (60, 98)])
def test_common_words_in_no_order_are_told(length: int, least: int) -> None:
    draw = random.Random(5)
    salads = [" ".join(draw.choices(COMMON.split(), k=length)) for _ in range(100)]
    assert sum(nonsense(salad) == "words in no order" for salad in salads) >= least


@given(st.lists(st.tuples(st.sampled_from("a\n. xé中"), st.integers(1, 60)), max_size=6))
def test_a_text_that_is_mostly_runs_of_one_sign_is_told(pieces: list[tuple[str, int]]) -> None:
    text = "".join(sign * count for sign, count in pieces)
    runs = sum(len(run[0]) for run in re.finditer(r"(\S)\1{39,}", text))
    assert (nonsense(text) is not None) >= (2 * runs > len(text))


def test_every_kind_of_word_has_its_row_and_every_row_a_place_for_each_kind() -> None:
    kinds = len(order().names)
    assert [len(row) for row in order().gains] == [kinds] * kinds
