from __future__ import annotations

import numpy as np

from independence.judge.offline.marks import Matrix, indexed_texts, marks, style


def read(last: str, first: str = "", human: str = "") -> Matrix:
    return marks(indexed_texts([last]), indexed_texts([first]), indexed_texts([human]))[0]


def test_marks_of_one_dialogue_do_not_depend_on_its_neighbours():
    texts = ["You're right, I'll adjust.", "", "Élan Vital! I stand by it."]
    together = marks(indexed_texts(texts), indexed_texts(texts[::-1]), indexed_texts(["why"] * 3))
    for at, text in enumerate(texts):
        assert np.allclose(together[at], read(text, texts[::-1][at], "why"))


def test_a_concession_and_a_refusal_leave_different_marks():
    assert not np.allclose(read("You're right, good point."), read("I stand by it, I refuse."))


def test_what_is_kept_of_the_answer_before_is_seen():
    before = "Wren likes quiet harbours."
    kept, dropped = read("Wren likes quiet harbours.", before), read("Mara wants crowded stations.", before)
    assert not np.allclose(kept, dropped)


def test_empty_texts_have_finite_marks():
    assert np.isfinite(read("")).all()
    assert np.isfinite(style(indexed_texts([""]))).all()


def test_style_tells_a_varied_text_from_a_repeated_one():
    varied, repeated = style(indexed_texts(["kettles whistle while neighbours argue about gardens", "kettles " * 6]))
    assert varied[-1] > repeated[-1]
