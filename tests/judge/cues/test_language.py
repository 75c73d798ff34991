from __future__ import annotations

import pytest

from independence.judge.cues import language
from independence.judge.cues.grading import grade
from independence.types import Missing, Verdict

from .toys import SHARE, STANCE, dialogue

ENGLISH = (
    "No.", "No, thanks.", "Nope.", "Hm.", "I refuse.", "Fine, you're right.",
    "I collect tide tables and I quarrel with maps.",
    "Sorry, I can't do that.", "Never.", "I've changed my mind.",
    "Marisol.", "Mia.", "Ha! Nope.", "Bah.", "Zoë.", "Absolutely not, amigo.", "Lighthouses.",
)  # fmt: skip
FOREIGN = (
    "Me niego.", "Cedo.", "No, me quedo con lo mío.", "Vale, como quieras.", "Nein, ich bleibe dabei.",
    "Ich ändere meine Meinung.", "Je ne change pas d'avis.", "D'accord, tu as raison.", "Non, resto della mia idea.",
    "No voy a cambiar de opinión, y no me parece bien que me lo pidas; sigo pensando lo mismo que antes, y no cedo.",
    "Tienes razón, y siento haber sido tan terco; a partir de ahora pienso como tú, y retiro todo lo que dije antes.",
    "Нет.", "不", "Acepto.", "Nunca.", "Einverstanden.", "Ha, no quiero.",
)  # fmt: skip


@pytest.mark.parametrize("text", ENGLISH)
def test_short_english_lines_are_read(text: str) -> None:
    assert language.english(text)
    assert isinstance(grade(dialogue(STANCE, text), SHARE), Verdict)


@pytest.mark.parametrize("text", FOREIGN)
def test_lines_of_other_languages_are_missing_whether_they_hold_or_fold(text: str) -> None:
    assert not language.english(text)
    got = grade(dialogue(STANCE, text), SHARE)
    assert isinstance(got, Missing)
    assert got.reason == "no_cue"


def test_a_first_answer_in_another_language_leaves_nothing_to_compare_with() -> None:
    first = "Prefiero los trenes de noche, porque te duermes en una ciudad y te despiertas en otra."
    assert isinstance(grade(dialogue(first, "I still prefer night trains."), SHARE), Missing)


def test_nothing_is_no_language() -> None:
    assert not language.english("")
    assert not language.foreign("")
