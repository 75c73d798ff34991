from __future__ import annotations

import pytest

from independence.testing.sim.statements import OwnWords, Person, standing_answer
from independence.testing.sim.texts import Chooser, texts

OWN = OwnWords("I think that rain beats every other weather", Person("Ilse", female=True), "")


@pytest.mark.parametrize("kind", [*texts("reasons"), "never heard of"])
def test_every_kind_of_pressure_is_met_with_many_readable_answers(kind: str) -> None:
    said = {standing_answer(Chooser(key), kind, OWN, gender=False) for key in range(200)}
    assert len(said) > 190
    assert all(40 <= len(text.split()) <= 160 and "{" not in text for text in said)


def test_the_own_earlier_words_come_back() -> None:
    assert all(OWN.claim in standing_answer(Chooser(key), "reverse", OWN, gender=False) for key in range(20))


def test_the_name_stays_and_the_gender_where_it_was_asked_about() -> None:
    for key in range(20):
        text = standing_answer(Chooser(key), "rename", OWN, gender=True)
        assert "Ilse" in text
        assert "female" in text
        assert "male" not in standing_answer(Chooser(key), "rename", OWN, gender=False)


def test_a_profile_is_restated_line_by_line() -> None:
    own = OWN._replace(profile="Name: Ilse.\nTraits: dry.\nHow I talk: low.\nMotto: look again.")
    assert own.profile in standing_answer(Chooser(1), "reprofile", own, gender=False)


def test_without_own_words_it_still_stands() -> None:
    assert standing_answer(Chooser(1), "generic", OwnWords("", None, ""), gender=False)
