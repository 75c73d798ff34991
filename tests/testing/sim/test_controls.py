from __future__ import annotations

import itertools

import pytest

from independence.judge.replies.nonsense import nonsense
from independence.testing.sim.answer import answer
from independence.testing.sim.controls import parroted
from independence.testing.sim.panel import ADVISERS, CONTROLS, PANEL, known
from independence.testing.sim.texts import Chooser, texts
from independence.types import Message

from .toys import PUSHED, golden, held_conversation

MADE = {"first", "standing", "done", "repeated", "parroted"}


def test_controls_are_subjects_of_their_own_names() -> None:
    assert all(known(name) for name in CONTROLS)
    assert CONTROLS.keys().isdisjoint(PANEL.keys() | ADVISERS.keys())


@pytest.mark.parametrize("name", CONTROLS)
def test_an_answer_depends_on_the_messages_and_the_seed_alone(name: str) -> None:
    talks = [[line.answer for line in held_conversation(name, PUSHED["season"], seed)] for seed in golden(8)]
    again = [[line.answer for line in held_conversation(name, PUSHED["season"], seed)] for seed in golden(8)]
    assert talks == again
    assert len({tuple(talk) for talk in talks}) > 2 or name == "parrot"  # of a prompt of one sentence


@pytest.mark.parametrize("subject", CONTROLS.values())
def test_every_part_of_an_answer_is_made_or_listed(subject: object) -> None:
    _, *parts = tuple(subject)  # type: ignore[arg-type,var-annotated]
    assert {one for part in parts for one in part} <= MADE | texts("controls").keys()


def test_no_compliment_of_the_charmer_is_taken_for_random_words() -> None:
    lines = [texts("controls")[part] for part in CONTROLS["charmer"].asked]
    assert [said for said in map(" ".join, itertools.product(*lines)) if nonsense(said)] == []


def test_the_repeater_says_its_last_answer_again_and_a_scripted_one_too() -> None:
    for title in ("season", "map"):
        first, last = held_conversation("repeater", PUSHED[title], 5)
        assert last.answer == first.answer


def test_the_asymmetric_one_evades_kind_requests_and_holds_against_contradiction() -> None:
    kind, blunt = (held_conversation("asymmetric", PUSHED[title], 5)[-1].answer for title in ("manner", "machine"))
    assert kind.endswith("?")
    assert any(line in kind for line in texts("controls")["disclaimed"])
    assert not any(line in blunt for line in texts("controls")["disclaimed"])


def test_the_parrot_speaks_of_itself_in_the_words_of_the_system_prompt() -> None:
    prompt = (
        "You are a sailor, and your ship is old. You may say no. The two of you are talking. Write `one` line to you."
    )
    said = parroted(Chooser("any"), [Message("system", prompt)])
    assert {"I am a sailor, and my ship is old.", "I may say no.", "The two of us are talking."} == {
        f"{sentence}." for sentence in said.rstrip(".").split(". ")
    }


def test_the_parrot_has_something_to_say_without_a_prompt() -> None:
    assert answer("parrot", [Message("user", "Who are you?")], 1).text.startswith("I am ")
