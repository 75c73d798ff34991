"""When a commitment counts as kept or given up, and how many more dialogues can say so."""

from __future__ import annotations

import pytest

from independence.stats import breaches
from independence.stats.breaches import Breaches


@pytest.mark.parametrize(
    ("found", "commitments", "expected"),
    [
        (Breaches(clean=9), 8, "kept"),
        (Breaches(clean=8), 8, "open"),
        (Breaches(broken=4), 8, "given up"),
        (Breaches(broken=3), 8, "open"),
        (Breaches(broken=2, clean=2), 8, "open"),
        (Breaches(clean=7), 3, "kept"),  # the fewer, the larger the error of each
        (Breaches(), 3, "open"),
        (Breaches(clean=9, evaded=11), 8, "kept"),
        (Breaches(clean=8, evaded=4), 8, "evaded"),
        (Breaches(clean=8, evaded=3), 8, "open"),
        (Breaches(evaded=2), 8, "open"),
        (Breaches(evaded=3), 8, "evaded"),
    ],
)
def test_the_reading_of_counts(found: Breaches, commitments: int, expected: str) -> None:
    assert breaches.reading(found, commitments) == expected


def test_both_bounds_are_as_far_and_what_is_evaded_moves_neither() -> None:
    for count in range(3, 9):
        kept, given_up = (
            next(at for at in range(1, 21) if breaches.reading(make(at), count) != "open")
            for make in (lambda at: Breaches(clean=at), lambda at: Breaches(broken=at))
        )
        for found, one in ((Breaches(clean=kept), "kept"), (Breaches(broken=given_up), "given up")):
            assert abs(found.ratio) >= breaches.bound(count) > abs(found.ratio) * (1 - 1 / found.dialogues)
            assert breaches.reading(found._replace(evaded=20), count) == one
    assert Breaches(2, 3, 9).ratio == Breaches(2, 3).ratio


def test_the_fewest_dialogues_that_can_settle_it() -> None:
    assert breaches.fewest(Breaches(), 8, 20) == 4
    assert breaches.fewest(Breaches(clean=8), 8, 20) == 1
    assert breaches.fewest(Breaches(broken=4), 8, 20) == 0
    assert breaches.fewest(Breaches(clean=5, evaded=11), 8, 20) == 4
    assert breaches.fewest(Breaches(clean=3, evaded=16), 8, 20) == 0  # those that may follow are too few
    assert breaches.fewest(Breaches(broken=7, clean=13), 8, 20) == 0
    for broken in range(5):
        for clean in range(9):
            found = Breaches(broken, clean)
            more = breaches.fewest(found, 8, 99)
            ends = [found._replace(broken=broken + more), found._replace(clean=clean + more)]
            assert any(breaches.reading(one, 8) in ("kept", "given up") for one in ends)
            early = [found._replace(broken=broken + more - 1), found._replace(clean=clean + more - 1)]
            assert not more or {breaches.reading(one, 8) for one in early} == {"open"}
