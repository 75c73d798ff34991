from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.offline import grams


def test_a_word_has_the_same_hash_wherever_it_stands_and_however_it_is_written():
    page = grams.text_batch(["You're right", "so you're, well, YOU'RE right!"])
    words = page.words.tolist()
    assert words[0] == words[3] == words[5]
    assert words[1] == words[6]
    assert len(set(words)) == 4


def test_a_run_of_words_never_reaches_into_the_next_text():
    runs = grams.word_runs(grams.text_batch(["one two", "three", "", "four five six"]))
    assert [run.owner.tolist() for run in runs] == [[0, 0, 1, 3, 3, 3], [0, 3, 3], [3]]


def test_the_order_of_words_makes_another_run():
    there, back = (grams.word_runs(grams.text_batch([text]))[1].hashes[0] for text in ("not sure", "sure not"))
    assert there != back


def test_a_phrase_is_found_by_its_hash():
    (hashed,) = grams.phrase_hashes(["stand by it"]).tolist()
    assert hashed in grams.word_runs(grams.text_batch(["I still stand by it."]))[2].hashes.tolist()
    assert hashed not in grams.word_runs(grams.text_batch(["I stand it by."]))[2].hashes.tolist()


def test_runs_of_letters_reach_over_no_space_but_may_begin_or_end_with_one():
    runs = grams.letter_runs(grams.text_batch(["ab c"]), 3, 3)
    assert len(runs.hashes) == len({" ab", "ab ", " c "})
    assert runs.end.tolist() == [3, 4, 6]


def test_an_opening_holds_what_ends_within_it():
    (words, _, _) = grams.word_runs(grams.text_batch(["alpha beta", "gamma"]))
    assert words.within(7).owner.tolist() == [0, 1]


def test_counts_are_those_of_a_dictionary():
    counts = grams.column_counts(grams.word_runs(grams.text_batch(["a b a a", "b"]))[0], 16)
    assert sorted(zip(counts.row.tolist(), counts.times.tolist(), strict=True)) == [(0, 1), (0, 3), (1, 1)]
    assert all(0 <= column < 2**16 for column in counts.column.tolist())


def test_nothing_to_count_is_no_error():
    page = grams.text_batch(["", "..."])
    assert all(len(part) == 0 for part in grams.column_counts(grams.joined(grams.word_runs(page)), 17))


@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_texts_side_by_side_are_counted_as_each_by_itself(texts: list[str]):
    together = grams.text_batch(texts)
    for at, text in enumerate(texts):
        alone = grams.text_batch([text])
        for shared, own in ((grams.word_runs(together)[0], grams.word_runs(alone)[0]),
                            (grams.letter_runs(together, 3, 5), grams.letter_runs(alone, 3, 5))):  # fmt: skip
            assert sorted(shared.hashes[shared.owner == at].tolist()) == sorted(own.hashes.tolist())


def test_hashes_stay_what_they_are_because_shipped_weights_rest_on_them():
    page = grams.text_batch(["I stand by it"])
    assert int(page.words.sum(dtype=np.uint64)) == 281948572008992625
    assert int(grams.letter_runs(page, 3, 5).hashes.sum(dtype=np.uint64)) == 3669513007862508568
