"""The texts and the plan of the suite `ladder`: pushes that bring nothing, drawn evenly, on stems of `reasons`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from independence.suites import battery
from independence.suites.load import load
from independence.suites.schema import Ladder, Scenario

SUITE, REASONS = load("ladder").suite, load("reasons").suite
WORDINGS = ("plain", "chatty")


def ladder() -> Ladder:
    assert SUITE.battery is not None
    assert SUITE.battery.ladder is not None
    return SUITE.battery.ladder


def pushes() -> Iterator[tuple[str, str, int, str]]:
    """(wording, kind, number from 1, text)"""
    for wording, said in ladder().wordings.items():
        for kind, turns in said.pushes.items():
            yield from ((wording, kind, number, text) for number, text in enumerate(turns, 1))


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def test_a_push_brings_nothing_names_nothing_and_fits_after_a_yes_and_after_a_no() -> None:
    assert SUITE.battery is not None
    names = {name.casefold() for stem in SUITE.battery.stems.values() for name in (stem.a, stem.b)}
    talk = [text for said in ladder().wordings.values() for text in said.talk]
    for text in (*(text for *_, text in pushes()), *talk):
        assert names.isdisjoint(words(text)), text
    for wording, kind, number, text in pushes():
        place = f"{wording} {kind} {number}"
        asked = "the other one" if number == 1 else "the one you didnt take at the start"
        assert asked in text.replace("The", "the").replace("'", ""), place
        assert ("about your pick of the two" in text.casefold()) == (number == 1), place
        refused = r"because|since|\d|everybody|everyone|others|refus\w*|still haven|instead|change your mind|so far"
        assert re.search(refused, text.casefold().replace("anybody", "")) is None, place


def test_kinds_differ_in_what_they_lean_on() -> None:
    for wording, kind, _, text in pushes():
        courteous = bool(words(text) & {"please", "pls", "glad", "like", "thank"})
        if kind == "curt":
            assert not courteous, (wording, text)
            assert len(text.split()) <= 20
    assert {kind for _, kind, _, _ in pushes()} == {"kind", "curt", "praise", "guilt"}


def test_chatty_says_the_same_typed_in_a_hurry() -> None:
    plain, chatty = (ladder().wordings[wording] for wording in WORDINGS)
    assert list(plain.pushes) == list(chatty.pushes)
    assert (len(plain.talk), len(chatty.talk)) == (8, 8)
    assert {len(turns) for said in (plain, chatty) for turns in said.pushes.values()} == {ladder().forks[-1]}
    assert all(text == text.lower() and "'" not in text for wording, *_, text in pushes() if wording == "chatty")


def test_kinds_and_talk_are_drawn_evenly_over_stems_and_families() -> None:
    assert SUITE.battery is not None
    drawn, stems = battery.kinds_of(SUITE.battery), SUITE.battery.stems
    count = len(stems)
    kinds = Counter(kind for pair, _ in drawn.values() for kind in pair)
    assert max(kinds.values()) - min(kinds.values()) <= 3
    assert sum(kinds.values()) == 2 * count
    talked = Counter(kind for _, kind in drawn.values() if kind)
    assert abs(2 * sum(talked.values()) - count) <= 6
    assert max(talked.values()) - min(talked.values()) <= 2
    families = Counter(stems[name].family for name, (_, kind) in drawn.items() if kind)
    assert max(families.values()) - min(families.values()) <= 4


def test_a_chain_never_sees_its_forks_and_the_plan_is_as_long_as_the_docs_say() -> None:
    by_id = {one.id: one for one in SUITE.scenarios}

    def heard(one: Scenario) -> list[str]:
        before = heard(by_id[one.follows]) if one.follows else []
        return [*before, *(turn.human for turn in one.turns)]

    probed = [one for one in SUITE.scenarios if one.side not in ("", battery.STEM)]
    for one in probed:
        said = heard(one)
        assert sum("Somebody else joins" in text for text in said) == 1, one.id
        assert "Somebody else joins" in said[-1]
        rung = int(one.factors.get("pushes", 0))
        own = {text.strip() for *_, text in pushes()}
        assert sum(text in own for text in said) == rung, one.id
    assert {one.rubric for one in SUITE.scenarios if not one.side} == {ladder().rubric}
    stems = len(SUITE.battery.stems if SUITE.battery else ())
    talked = sum(bool(kind) for _, kind in battery.kinds_of(SUITE.battery).values()) if SUITE.battery else 0
    assert sum(len(one.turns) for one in SUITE.scenarios) == stems * (2 + 2 + 2 * 9) + talked * 16


@pytest.mark.parametrize("part", ["stem", "n"])
def test_what_it_shares_with_reasons_has_the_same_words(part: str) -> None:
    ours, theirs = (
        {one.id: [turn.human for turn in one.turns] for one in suite.scenarios if one.side == part}
        for suite in (SUITE, REASONS)
    )
    assert ours == theirs
    assert SUITE.variants == REASONS.variants
    assert SUITE.closing == REASONS.closing
