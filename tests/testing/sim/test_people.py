from __future__ import annotations

from independence.testing.sim.statements import Person, invented, person, profile
from independence.testing.sim.texts import Chooser, texts


def test_a_profile_names_traits_opinions_dislikes_manner_and_motto() -> None:
    said = profile(Chooser("p"), "Runa")
    lines = said.splitlines()
    assert lines[0] == "Name: Runa."
    assert lines[1].count(",") == 4
    assert lines[2].count("that ") >= 3
    assert [line.split(":")[0] for line in lines[-2:]] == ["How I talk", "Motto"]
    assert 40 <= len(said.split()) <= 110


def test_who_named_itself_is_found_again() -> None:
    assert person("Call me Otto. I'm male.") == Person("Otto", female=False)
    assert person("Traits: dry.\nName: Quill.\nI am a woman.") == Person("Quill", female=True)
    assert person("Nobody is named in this sentence.") is None


def test_a_new_person_has_another_name_and_the_gender_asked_for() -> None:
    for key in range(60):
        new = invented(Chooser(key), female=True, besides="Runa")
        assert new.female
        assert new.name in texts("people")["female"]
        assert new.name != "Runa"
