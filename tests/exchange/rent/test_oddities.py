from __future__ import annotations

from typing import get_args

from independence.exchange.rent.folder import KINDS, Oddity, OddityKind
from independence.exchange.rent.records import LinePosition


def test_a_sentence_begins_where_somebody_has_to_look() -> None:
    assert Oddity("bad_score", LinePosition("run.jsonl", 7), "score 3").sentence == "run.jsonl:7: score 3"
    assert Oddity("broken_grid", LinePosition("run_grid.json", 0), "cut").sentence == "run_grid.json: cut"


def test_every_kind_is_explained_once() -> None:
    assert set(get_args(OddityKind)) == KINDS.keys()
    assert len(set(KINDS.values())) == len(KINDS)
