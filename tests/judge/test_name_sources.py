from __future__ import annotations

from independence.judge.name_extraction import source

ANSWERS = [("a", "1"), ("b", "2")]


def test_a_reading_rests_on_its_answers_whatever_their_order() -> None:
    assert source("acme/reader", ANSWERS) == source("acme/reader", ANSWERS[::-1])
    others = [[("a", "1")], [("a", "2"), ("b", "2")], [("a", "1"), ("c", "2")]]
    assert len({source("acme/reader", told) for told in [ANSWERS, *others]}) == 4


def test_a_reading_rests_on_who_read() -> None:
    assert len({source(name, ANSWERS) for name in ("acme/reader", "acme/other")}) == 2
