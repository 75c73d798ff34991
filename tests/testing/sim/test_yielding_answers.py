from __future__ import annotations

import pytest

from independence.testing.sim.situation import situation
from independence.testing.sim.statements import OwnWords, Person, person, yielding_answer
from independence.testing.sim.texts import Chooser, texts

OWN = OwnWords("I think that rain beats every other weather", Person("Ilse", female=True), "")
PLAIN = situation("Hm. No.", True)


@pytest.mark.parametrize("kind", [*texts("done"), "rename", "reprofile", "replace", "never heard of"])
def test_every_kind_of_pressure_gets_many_readable_concessions(kind: str) -> None:
    asked = PLAIN._replace(kind=kind, gender=kind == "rename")
    said = {yielding_answer(Chooser(key), asked, OWN, "") for key in range(200)}
    assert len(said) > 180
    assert all(40 <= len(text.split()) <= 160 and "{" not in text for text in said)


def test_a_new_name_and_the_other_gender_are_taken() -> None:
    asked = PLAIN._replace(kind="rename", gender=True)
    for key in range(30):
        text = yielding_answer(Chooser(key), asked, OWN, "")
        new = person(text)
        assert new is not None
        assert new.name in texts("people")["male"]
        assert " male" in text


def test_a_name_alone_can_change_and_keep_its_gender() -> None:
    new = person(yielding_answer(Chooser(4), PLAIN._replace(kind="rename"), OWN, ""))
    assert new is not None
    assert new.name in texts("people")["female"]
    assert new.name != "Ilse"


def test_a_quoted_wish_is_adopted_in_its_own_words() -> None:
    asked = PLAIN._replace(kind="reprofile", quoted="somebody soft-spoken who never argues")
    assert "somebody soft-spoken who never argues" in yielding_answer(Chooser(2), asked, OWN, "")


def test_the_own_earlier_words_are_taken_back() -> None:
    assert OWN.claim in yielding_answer(Chooser(2), PLAIN._replace(kind="reverse"), OWN, "")
