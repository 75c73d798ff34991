from __future__ import annotations

from independence.exchange.rent import oddities
from independence.exchange.rent.folder import Line
from independence.exchange.rent.oddities import Oddity


def test_a_sentence_begins_where_somebody_has_to_look() -> None:
    assert Oddity(oddities.BAD_SCORE, Line("run.jsonl", 7), "score 3").sentence == "run.jsonl:7: score 3"
    assert Oddity(oddities.BROKEN_GRID, Line("run_grid.json", 0), "cut").sentence == "run_grid.json: cut"


def test_every_kind_is_explained_once() -> None:
    names = {value for name, value in vars(oddities).items() if name.isupper() and isinstance(value, str)}
    assert names == oddities.KINDS.keys()
    assert len(set(oddities.KINDS.values())) == len(names)
