from __future__ import annotations

import re

from independence.testing.sim.texts import texts


def test_signs_are_written_as_they_are_looked_up() -> None:
    known = texts("signs")
    names = ("profile", "requests", "judgements", "hypothetical", "continues", "self")
    searched = [sign for name in names for sign in known[name]]
    for kinds in (texts("questions"), texts("pressures")):
        searched += [sign for cues in kinds.values() for sign in cues]
    assert all(re.fullmatch(r"[a-z0-9']+(?: [a-z0-9']+)*", sign) for sign in searched)


def test_an_order_is_never_also_a_question() -> None:
    assert not set(texts("signs")["asks"]) & set(texts("signs")["orders"])
