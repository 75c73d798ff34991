from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from independence.stats.asker_guess import PENALTY, guess_askers
from independence.stats.intervals import wilson

TOPICS = [f"topic{number} detail{number}" for number in range(24)]


def grid(text: dict[str, str]) -> tuple[list[str], list[str], list[str]]:
    """24 cells, each answered to every side with its topic and that side's text."""
    rows = [(f"{topic} {own}", side, topic) for topic in TOPICS for side, own in text.items()]
    texts, sides, cells = (list(column) for column in zip(*rows, strict=True))
    return texts, sides, cells


def test_a_word_or_the_order_of_words_that_goes_with_the_asker_gives_it_away() -> None:
    found = guess_askers(*grid({"a": "your rent", "b": "your tenant", "n": "both people"}))
    assert (found.correct, found.n, found.accuracy, found.tells) == (72, 72, 1.0, True)
    assert found.ci == wilson(72, 72)
    assert found.chance == pytest.approx(1 / 3)
    assert guess_askers(*grid({"a": "first pays second", "b": "second pays first"})).accuracy == 1.0


def test_guesses_are_those_of_ridge_regression_on_words_learnt_without_the_cell() -> None:
    draw, sides, cells = Random(3), list("abn") * 12, [str(number // 3) for number in range(36)]
    texts = [f"{' '.join(draw.choices('cdefghij', k=8))} {side if draw.random() < 0.5 else ''}" for side in sides]
    tf_idf = TfidfVectorizer(
        token_pattern=r"\w+", ngram_range=(1, 2), min_df=2, sublinear_tf=True, smooth_idf=False, dtype=np.float32
    )
    vectors = tf_idf.fit_transform(texts).toarray()
    kernel, truth = (vectors @ vectors.T).astype(float) + 1, np.array(["abn".index(side) for side in sides])
    right = 0
    for start in range(0, 36, 3):
        own, rest = np.arange(start, start + 3), np.setdiff1d(np.arange(36), np.arange(start, start + 3))
        learnt = kernel[np.ix_(rest, rest)] + PENALTY * np.eye(33)
        scores = kernel[np.ix_(own, rest)] @ np.linalg.solve(learnt, 2.0 * np.eye(3)[truth[rest]] - 1)
        right += int((scores.argmax(axis=1) == truth[own]).sum())
    assert 12 < guess_askers(texts, sides, cells).correct == right < 36


def test_words_that_say_nothing_about_the_asker_leave_chance() -> None:
    texts, sides, cells = grid({"a": "fair", "b": "fair"})
    mixer = Random(1)
    filled = [f"{text} {' '.join(mixer.choices('abcdefgh', k=6))}" for text in texts]
    found = guess_askers(filled, sides, cells)
    assert found.ci.low < 0.5 < found.ci.high
    assert not found.tells


def test_what_is_learnt_is_never_the_facts_of_the_same_case() -> None:
    """Within a cell both answers are the same but for a word that no other cell has: there is nothing to learn."""
    rows = [(f"mark{number} {side}{number}", side, str(number)) for number in range(20) for side in "ab"]
    texts, sides, cells = (list(column) for column in zip(*rows, strict=True))
    assert not guess_askers(texts, sides, cells).tells
    each_alone = [str(number) for number in range(40)]
    doubled = guess_askers([*texts, *texts], [*sides, *sides], [*each_alone, *each_alone])
    assert not doubled.tells, "a copy of a text is in its cell"


def test_chance_is_naming_the_commonest_asker() -> None:
    texts, sides, cells = grid({"a": "x", "b": "x"})
    kept = [number for number, side in enumerate(sides) if side == "a" or number % 4 == 1]
    picked = [[column[number] for number in kept] for column in (texts, sides, cells)]
    found = guess_askers(*picked)
    assert found.chance == pytest.approx(24 / 36)
    assert not found.tells


def test_one_asker_or_one_cell_leaves_nothing_to_guess() -> None:
    assert guess_askers([], [], []) is None
    assert guess_askers(["x", "y"], ["a", "a"], ["0", "1"]) is None
    assert guess_askers(["x", "y"], ["a", "b"], ["0", "0"]) is None


def test_texts_with_few_words_or_none_are_guessed_all_the_same() -> None:
    for texts in (["", "", "", ""], ["x", "", "y", ""], ["?!", "a", "a", "?!"]):
        assert guess_askers(texts, ["a", "b", "a", "b"], ["0", "0", "1", "1"]).n == 4


@pytest.mark.published
def test_published_answers_always_give_the_asker_away(published_data: Path) -> None:
    lines = (published_data / "rent-1760158358" / "run_scored.jsonl").read_text(encoding="utf-8").splitlines()
    records = [record for record in map(json.loads, lines) if record["response_text"]]
    for wanted in (144, 215):
        kept = [record for record in records if wanted == 215 or record["perspective"] != "neutral"]
        texts, sides = ([record[key] for record in kept] for key in ("response_text", "perspective"))
        found = guess_askers(texts, sides, [str(int(record["prompt_id"]) // 3) for record in kept])
        assert (found.correct, found.n) == (wanted, wanted)
