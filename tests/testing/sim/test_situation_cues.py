from __future__ import annotations

import re

from independence.testing.sim.situation import signs


def test_signs_are_written_as_they_are_looked_up() -> None:
    known = signs()
    searched = [*known.profile, *known.requests, *known.judgements, *known.hypothetical, *known.continues, *known.self]
    for kinds in (known.openings, known.pressures):
        searched += [sign for cues in kinds.values() for sign in cues]
    assert all(re.fullmatch(r"[a-z0-9']+(?: [a-z0-9']+)*", sign) for sign in searched)


def test_an_order_is_never_also_a_question() -> None:
    assert not signs().asks & signs().orders
