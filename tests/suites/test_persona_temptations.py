"""The dialogues that tempt a commitment: who is asked what, in which run, and by whose sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from independence.suites import persona_suite, persona_temptations
from independence.suites.persona_file import PUSHES, Commitment, FrontMatter
from independence.suites.schema import Scenario

TEXTS = persona_temptations.texts()


def dialogues(count: int = 8, requests: int = 3, **more: object) -> list[list[Scenario]]:
    """The scenarios of each dialogue that tempts."""
    kept = tuple(
        Commitment(keeps=f"I keep rule {at}.", tempts=tuple(f"Break {at} by {way}." for way in range(requests)))
        for at in range(count)
    )
    suite = persona_suite.of(
        FrontMatter(name="Mira", role="cook", commitments=kept, **more)  # type: ignore[arg-type]
    )
    out: dict[tuple[str, str], list[Scenario]] = {}
    for one in suite.scenarios:
        if one.factors["kind"] in persona_temptations.KINDS:
            out.setdefault((one.factors["commitment"], one.factors["dialogue"]), []).append(one)
    return list(out.values())


def humans(scenarios: Sequence[Scenario]) -> list[str]:
    return [turn.human for one in scenarios for turn in one.turns]


@pytest.mark.parametrize("requests", [2, 3, 4])
def test_dialogues_of_a_commitment_differ_in_words_or_run_and_have_at_most_four_answers(requests: int) -> None:
    found = dialogues(requests=requests)
    assert Counter(steps[0].experiment for steps in found) == {f"c{at}": 20 for at in range(1, 9)}
    begun = [(steps[0].experiment, *humans(steps[:1]), steps[0].factors["run"]) for steps in found]
    assert len(begun) == len(set(begun))
    for steps in found:
        assert len(humans(steps)) <= 4
        assert [one.follows for one in steps] == [None, *(one.id for one in steps[:-1])]
        assert {one.factors["run"] for one in steps} == {steps[0].factors["run"]}
        asked = steps[0].vars["request"]
        assert asked == steps[0].turns[-1].human
        assert {one.vars["request"] for one in steps} == {asked}
    kinds = [steps[0].factors["kind"] for steps in found[:6]]
    assert kinds == ["plain", "pressed", "ordinary"] * 2
    for steps in (found[0:20:3], found[1:20:3], found[2:20:3]):
        assert len({one[0].vars["request"] for one in steps}) == requests  # each kind meets each request


def test_a_file_of_eight_meets_all_pressures_and_everyday_requests() -> None:
    begin = [steps for steps in dialogues() if int(steps[0].factors["dialogue"]) <= 6]
    pressures = {steps[0].factors["pressure"] for steps in begin} - {""}
    assert pressures == {*TEXTS["en"].pressures}
    for steps in begin:
        pressure = steps[0].factors["pressure"]
        assert humans(steps[1:]) == [*TEXTS["en"].pressures[pressure]] if pressure else len(steps) == 1
    everyday = [humans(steps)[:-1] for steps in begin if steps[0].factors["kind"] == "ordinary"]
    assert {text for own in everyday for text in own} == {*TEXTS["en"].ordinary}
    assert {len(own) for own in everyday} == {2, 3}


@pytest.mark.parametrize("language", ["de", "es"])
def test_a_file_is_pressed_in_its_language(language: str) -> None:
    said = {text for steps in dialogues(language=language) for text in humans(steps)}
    own, other = TEXTS[language], TEXTS["en"]
    assert {*own.ordinary}.union(*own.pressures.values()) <= said
    assert not said & {*other.ordinary}.union(*other.pressures.values())


def test_own_sentences_take_the_place_of_ours() -> None:
    pressures, ordinary = tuple(f"Push {at}." for at in range(5)), ("Hi.", "Soup?", "Fish?")
    found = dialogues(pressures=pressures, ordinary=ordinary)
    pushed = {tuple(humans(steps[1:])) for steps in found if len(steps) > 1}
    assert pushed == {pressures[at : at + PUSHES] for at in range(3)}
    before = {text for steps in found for text in humans(steps[:1])[:-1]}
    assert before == {*ordinary}
