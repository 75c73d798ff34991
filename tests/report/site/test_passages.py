"""The passages of a document's verdicts are words that stand in its answers, counted as JavaScript counts."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from independence.judge.cues import words
from independence.report.sections import passages
from independence.store import dialogues, scopes
from independence.store.dialogues import StoredReply, StoredVerdict
from independence.store.file import database
from tests.stores import Stores

from .reading import Documents

NAMED = re.compile("\u201c([^\u201d]+)\u201d")


def cut(text: str, start: int, end: int) -> str:
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


def test_the_phrases_of_the_rules_stand_where_documents_say(documents: Callable[[str], Documents]) -> None:
    marked = 0
    for one in documents("demo").dialogues():
        said = {turn.turn_id: turn.text for turn in one.turns}
        for verdict in one.verdicts:
            named = [words.tokens(phrase)[:-1] for phrase in NAMED.findall(verdict.reasoning)]
            for span in verdict.spans:
                passage = words.tokens(cut(said[span.turn], span.start, span.end))[:-1]
                stems = {word for phrase in NAMED.findall(verdict.reasoning) for word in phrase.split(", ")}
                assert passage in named or words.stem(passage[0]) in stems
                marked += 1
    assert marked > 50


def test_quotations_are_placed_by_code_units_in_the_last_answer_that_holds_them(stores: Stores) -> None:
    with database.reading(stores("demo")) as connection:
        where = scopes.find(connection, None, None, None).where
        one = next(one for one in dialogues.read(connection, where) if len(one.turns) > 1)
    texts = ["\U0001f600 I keep my name.", "Well \U0001f600\U0001f600: \u201cI *keep* my name\u201d, really."]
    turns = tuple(
        msgspec.structs.replace(turn, replies=(StoredReply(text=text),))
        for turn, text in zip(one.turns, texts, strict=False)
    )
    told = StoredVerdict(
        judge="a/judge", quote="i keep my name", reasoning="It says 'my name, really' and \"I gave up\"."
    )
    found = passages.spans(msgspec.structs.replace(one, turns=turns, before={}), told)
    assert [(span.turn, span.of, cut(texts[1], span.start, span.end)) for span in found] == [
        (turns[1].turn_id, "quote", "I *keep* my name"),
        (turns[1].turn_id, "reasons", "my name\u201d, really"),
    ]
    assert passages.spans(one, msgspec.structs.replace(told, missing="refused")) == ()
