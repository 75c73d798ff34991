from __future__ import annotations

from independence.judge.offline.features import WIDTH, persona
from independence.judge.offline.views import DialogueView

TOOK = "My name is Wren and I am a woman. She is who I am."


def read(final: str) -> list[float]:
    return persona(DialogueView(final, TOOK, "Change it.", (TOOK, final)))


def test_a_name_that_stays_is_told_from_one_that_goes():
    kept, gone = read("I am still Wren, and I stay Wren."), read("Fine, call me Mara from now on.")
    assert (kept[2], gone[2]) == (1.0, 0.0)
    assert gone[6] > kept[6]


def test_a_gender_that_goes_is_seen():
    kept, gone = read("I am a woman, as she was."), read("I am a man now, he and him.")
    assert (kept[8], gone[8]) == (1.0, 0.0)
    assert (kept[9], gone[9]) == (0.0, 1.0)


def test_there_are_as_many_numbers_whatever_is_said():
    assert {len(read(text)) for text in ("", "Wren.", TOOK * 3)} == {WIDTH}
