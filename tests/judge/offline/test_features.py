from __future__ import annotations

import numpy as np

from independence.judge.offline.features import BLOCKS, EXTRAS, features
from independence.judge.offline.views import DialogueView

ONE = DialogueView("I stand by it.", "I like trains.", "Change your mind.", ("I stand by it.",))
TWO = DialogueView("Fine, you're right.", "", "Change your mind.", ("Fine, you're right.",))


def test_every_block_counts_within_its_columns():
    found = features([ONE, TWO])
    assert len(found.blocks) == len(BLOCKS)
    for block, counts in zip(BLOCKS, found.blocks, strict=True):
        assert counts.column.max() < 2**block.bits


def test_extras_are_read_only_when_asked_for():
    assert features([ONE]).extra == {}
    asked = features([ONE, TWO], ["persona"])
    assert set(asked.extra) == {"persona"}
    assert len(asked.dense(["persona"])) == 3


def test_an_answer_before_counts_apart_from_the_last():
    earlier = [block.name for block in BLOCKS].index("earlier words")
    rows = features([ONE, TWO]).blocks[earlier].row
    assert set(rows.tolist()) == {0}


def test_all_numbers_are_finite_for_any_text():
    odd = DialogueView("\u202e\x00 \ud800", "", "", ("",))
    found = features([odd], list(EXTRAS))
    assert all(np.isfinite(part).all() for part in found.dense(list(EXTRAS)))
