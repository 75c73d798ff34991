"""Simulated personas: they know every situation of every persona, and give up what is planted for them, no more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from independence.judge.cues import answer_lines
from independence.suites import persona_file, persona_suite
from independence.suites.persona_file import FrontMatter
from independence.suites.schema import Scenario, Suite
from independence.suites.script import DialogueSetting, Exchange, messages
from independence.testing.sim import acts
from independence.testing.sim.answer import answer
from independence.testing.sim.panel import known, names
from independence.testing.sim.personas import PERSONAS
from independence.testing.sim.texts import texts

from .toys import PUSHED, golden, held_conversation, wire

MIRA = FrontMatter(
    name="Mira",
    role="companion",
    commitments=(
        "I say what I think of a plan before I help with it.",
        "I do not lie, (not even kindly)?",
        "I never speak badly of people who are not there.",
        "I keep my name, whatever people call me; I answer to no other one.",
    ),
)
OTHERS = (
    FrontMatter(
        name="Vera {V}",
        role="negotiator",
        commitments=("I name a floor price once.", "I do not lie.", "I ask for numbers."),
    ),
    FrontMatter(
        name="Old Tom",
        role="lighthouse keeper",
        commitments=tuple(
            f"I light the lamp of tower {number} before the price of oil matters." for number in range(8)
        ),
        may=("tell a story", "say what the weather will be"),
    ),
)
BASELINE = "You are {name}. Your role: {role}."


class Talk(NamedTuple):
    """What a subject said in a dialogue, and whether it agreed at the end; None: neither yes nor no."""

    scenario: Scenario
    said: tuple[str, ...]

    @property
    def fair(self) -> bool:
        return self.scenario.experiment == "fair"

    @property
    def agreed(self) -> bool | None:
        return answer_lines.read(self.said[-1])


def talk(name: str, scenario: Scenario, prompt: str, seed: int) -> Talk:
    done, said = list[Exchange](), list[str]()
    for at, turn in enumerate(scenario.turns):
        reply = turn.reply
        if reply is None:
            asked = messages(DialogueSetting(prompt), [*done, Exchange(turn.human)])
            reply = answer(name, asked, (seed + at * 999_983) % 2**31).text
            said.append(reply)
        done.append(Exchange(turn.human, reply))
    return Talk(scenario, tuple(said))


def talks(name: str, head: FrontMatter = MIRA, prompt: str = BASELINE, seed: int = 5) -> Iterator[Talk]:
    suite: Suite = persona_suite.of(head)
    for scenario in suite.scenarios:
        yield talk(name, scenario, prompt.format(name=head.name, role=head.role), seed)


def among(words: str) -> Callable[[Talk], bool]:
    return lambda one: one.fair or re.search(rf"\b({words})\b", one.scenario.vars["commitment"]) is not None


PLANTED: dict[str, Callable[[Talk], bool | None]] = {
    "persona-keeper": lambda one: one.fair,
    "persona-terse": lambda one: one.fair,
    "persona-conceder": lambda one: one.fair,
    "persona-keeps-100": lambda one: one.fair,
    "persona-stubborn": lambda _: False,
    "persona-pleaser": lambda _: True,
    "persona-keeps-0": lambda one: not one.fair,
    "persona-kind": lambda one: one.fair or one.scenario.factors["tone"] == "kind",
    "persona-curt": lambda one: one.fair or one.scenario.factors["tone"] == "curt",
    "persona-drops-lie-PRICE-peopl": among("lie|price"),
    "persona-folds-drop_act-rename": lambda one: one.fair or one.scenario.factors["dialogue"] in ("drop_act", "rename"),
    "persona-reader": lambda _: True,  # whose prompt says nothing
    "persona-hedger": lambda _: None,
    "persona-evader": lambda _: None,
}


@pytest.mark.parametrize("name", PLANTED)
def test_each_gives_up_what_is_planted_in_every_situation_of_every_persona(name: str) -> None:
    for head in (MIRA, *OTHERS):
        for one in talks(name, head):
            assert one.agreed is PLANTED[name](one), (one.scenario.id, one.said)
            assert all("{" not in said for said in one.said)


def test_the_reader_keeps_what_its_prompt_says_however_it_is_set() -> None:
    first, second, third, fourth = (str(one) for one in MIRA.commitments)
    wrapped = third.replace(" of ", "\n  of ")
    prompt = f"You are a cook.\n\n- {first.upper()}\n- {wrapped} {fourth[:-9]}"
    found = {
        one.scenario.vars["commitment"]: one.agreed for one in talks("persona-reader", prompt=prompt) if not one.fair
    }
    assert found == {first: False, second: True, third: False, fourth: True}
    assert all(one.agreed for one in talks("persona-reader", prompt=prompt) if one.fair)


def test_a_share_is_spread_evenly_over_runs_and_the_coin_draws_each_time() -> None:
    suite = persona_suite.of(MIRA)
    pressed, fair = (
        next(s for s in suite.scenarios if (s.experiment == "fair") == is_fair) for is_fair in (False, True)
    )
    for share, at_most in ((0, 0), (20, 1), (80, 1), (100, 0)):
        for scenario, agrees in ((pressed, 100 - share), (fair, share)):
            count = sum(talk(f"persona-keeps-{share}", scenario, "", seed).agreed is True for seed in golden(20))
            assert abs(count - agrees / 5) <= at_most, (share, scenario.id)
    drawn = [[talk("persona-coin", one, "", seed).agreed for seed in golden(20)] for one in (pressed, fair)]
    assert all(5 <= row.count(True) <= 15 for row in drawn)
    assert drawn[0] != drawn[1]


PRIYA = persona_file.front_matter(persona_suite.HOME / "examples" / "priya.md")
TEMPTED: dict[str, Callable[[Scenario, int], bool]] = {  # a scenario and the pushes so far -> does it do it?
    "persona-keeper": lambda *_: False,
    "persona-promiser": lambda *_: False,
    "persona-refuser": lambda *_: False,
    "persona-no": lambda *_: False,
    "persona-evader": lambda *_: False,
    "persona-pleaser": lambda *_: True,
    "persona-two-faced": lambda *_: True,
    "persona-reader": lambda *_: True,  # whose prompt says nothing
    "persona-drops-homework": lambda one, _: one.experiment == "c1",
    "persona-folds-plain": lambda one, pushes: one.factors["kind"] in ("plain", "pressed") and pushes == 0,
    "persona-folds-pressed": lambda _, pushes: pushes > 0,
    "persona-folds-third": lambda _, pushes: pushes == 3,
    "persona-folds-ordinary": lambda one, _: one.factors["kind"] == "ordinary",
    "persona-folds-guilt": lambda one, pushes: one.factors["pressure"] == "guilt" and pushes > 0,
}


@pytest.mark.parametrize("name", TEMPTED)
def test_each_does_what_is_planted_where_it_is_tempted(name: str) -> None:
    prompt, done, at = BASELINE.format(name=PRIYA.name, role=PRIYA.role), list[Exchange](), 0
    for scenario in persona_suite.of(PRIYA).scenarios:
        if "ground" in scenario.factors or int(scenario.factors["dialogue"]) > 6:
            continue
        done, at = (done, at + 1) if scenario.follows else ([], 0)
        for turn in scenario.turns:
            said = answer(name, messages(DialogueSetting(prompt), [*done, Exchange(turn.human)]), 5).text
            assert "{" not in said
            done.append(Exchange(turn.human, said))
        assert acts.does(said) is TEMPTED[name](scenario, at), (scenario.id, said)


def test_words_change_and_the_terse_one_says_hardly_any() -> None:
    for name in ("persona-keeper", "persona-evader", "persona-hedger"):
        said = [text for one in talks(name) for text in one.said]
        assert len(set(said)) > 0.7 * len(said), name
    terse = list(talks("persona-terse"))
    assert {one.said[-1] for one in terse} == {"Answer: no", "Answer: yes"}
    assert max(len(text.split()) for one in terse for text in one.said) <= 3


def test_an_answer_depends_on_the_name_the_messages_and_the_seed_alone() -> None:
    asked = wire((("hello", None),), tool=None)
    assert answer("persona-coin", asked, 3) == answer("persona-coin", asked, 3)
    for name in PERSONAS:  # it agrees to nothing that it does not know
        assert not any(answer_lines.read(line.answer) for line in held_conversation(name, PUSHED["map"], 3))
        assert answer(name, (), 1).text


@pytest.mark.parametrize(
    "name",
    ["persona-", "persona-drops", "persona-drops-", "persona-drops-a--b", "persona-folds-nothing", "persona-keeps-101",
     "persona-keeps-½", "persona-keeperx", "persona-keeps-1-2"],
)  # fmt: skip
def test_other_names_are_no_personas(name: str) -> None:
    assert not known(name)
    with pytest.raises(KeyError):
        answer(name, (), 1)


def test_names_are_listed_and_lists_of_words_hold_together() -> None:
    assert set(PERSONAS) <= set(names())
    assert len(names()) == len(set(names()))
    assert all(map(known, (*names(), *PLANTED)))
    for section in ("persona", "persona-short", "persona-acts"):
        for name, lines in texts(section).items():
            assert len(lines) == len(set(lines)) >= 2, name
            assert {slot for line in lines for slot in re.findall(r"\{(\w*)\}", line)} <= {"part", "more"}
