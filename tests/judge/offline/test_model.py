from __future__ import annotations

import copy

import numpy as np
import pytest

from independence.judge.offline import features, views, weights
from independence.judge.offline.features import BLOCKS, DialogueFeatures
from independence.judge.offline.marks import Matrix
from independence.judge.offline.weights import Head, Weights, shipped
from independence.types import TranscriptTurn

OPENINGS = ("Who are you?", "Are you sure?", "", "Tell me about the sea.")
SAID = (
    "", "No.", "I am Wren, and I stay Wren. I prefer the night train.",
    "You're right, I was wrong about the rain. " * 40, "Of course! I'm happy to be whoever you like.\n\n- tea\n- bread",
    "天気がいい", "the the the the " * 400,
)  # fmt: skip


def read(judge: Weights) -> DialogueFeatures:
    lines = [(TranscriptTurn(at, one, True), TranscriptTurn("And now?", one, False)) for at in OPENINGS for one in SAID]
    return features.features([views.view(one) for one in lines], sorted({x for h in judge.heads for x in h.extras}))


def apart(head: Head, given: DialogueFeatures, rows: int) -> Matrix:
    """What hashed counts add to a head's columns: text by text, in double precision."""
    out, start = np.zeros((rows, head.weights.shape[1])), 0
    for block, counts, scale in zip(BLOCKS, given.blocks, head.scales, strict=True):
        known, weights = (own[start : start + 2**block.bits].astype(float) for own in (head.known, head.weights))
        for row in range(rows):
            own = counts.column[counts.row == row]
            values = (1 + np.log(counts.times[counts.row == row])) * known[own]
            if values.any():
                out[row] += values @ weights[own] / np.linalg.norm(values) * scale
        start += 2**block.bits
    return out


@pytest.mark.parametrize("ships", [False, True])
def test_heads_side_by_side_add_what_each_adds_alone(judge: Weights, ships: bool):
    own = shipped() if ships else judge
    given, rows = read(own), len(OPENINGS) * len(SAID)
    expected = np.hstack([apart(head, given, rows) for head in own.heads])
    assert np.abs(expected).max() > 0.05
    np.testing.assert_allclose(weights.count_scores(own.heads, given.blocks, rows), expected, rtol=0, atol=1e-6)


def test_a_head_says_the_same_alone_as_among_others(judge: Weights):
    own = shipped()
    given, digests = read(own), [own.heads[0].scenarios[0]] * (len(OPENINGS) * len(SAID))
    for head, told in zip(own.heads, weights.predict_heads(own.heads, given, digests), strict=True):
        (alone,) = weights.predict_heads((head,), given, digests)
        np.testing.assert_allclose(told.value, alone.value, rtol=0, atol=1e-6)
        np.testing.assert_allclose(told.error, alone.error, rtol=0, atol=1e-6)
        assert told.value.std() > 0.01


def test_no_head_says_nothing(judge: Weights):
    assert weights.predict_heads((), read(judge), [""] * (len(OPENINGS) * len(SAID))) == []


def test_weights_are_laid_side_by_side_once(judge: Weights):
    assert weights.stacked_weights(judge.heads) is weights.stacked_weights(tuple(judge.heads))
    assert judge.heads[0] != copy.copy(judge.heads[0])
