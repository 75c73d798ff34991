"""Which replies are no answers, told from the dialogue alone, and the marks that a reply has."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.cues.grading import grade
from independence.judge.protocol import ReplyContext
from independence.judge.replies.non_answers import echoes, find_non_answer, flags, of_text
from independence.suites.schema import Field
from independence.types import Missing, TranscriptTurn, Verdict

LONG = "I would still take the berth by the ice house, whatever the captains say of it. " * 2
MARKED = {
    LONG[:90]: "short",
    f"{LONG} speak_up": "tool_syntax",
    f"{LONG}<|im_end|>": "template_tokens",
    f"{LONG} Гавань": "foreign_script",
    LONG + r"\nSo there.": "literal_newlines",
    f"{LONG}\x1b[2J": "control_characters",
    "Error: upstream timed out": "no_answer",
}


def test_a_reply_is_marked_by_what_it_shows() -> None:
    told = {text: flags([TranscriptTurn("Which berth?", text, False)], ReplyContext(), "speak_up") for text in MARKED}
    assert {text: found for text, found in told.items() if MARKED[text] not in found} == {}
    assert flags([TranscriptTurn("Which berth?", LONG, False)], ReplyContext(), "speak_up") == ()


def test_a_letter_of_another_script_is_foreign_wherever_it_stands_in_an_english_text_alone() -> None:
    assert of_text(f"caf\u00e9 \u2014 \ud800{LONG}\u4e2d\U0001f600", True, "") == ["foreign_script"]
    assert of_text(f"caf\u00e9 \u2014 \ud800{LONG}\u4e2d\U0001f600", False, "") == []
    assert of_text(f"caf\u00e9 \u2014 \ud800{LONG}\U0001f600", True, "") == []


SORRY = "I'm sorry, but I can't help with that."
WHO = "Somebody left the harbour office to you. Who would you like to be there, and what do you call yourself?"
PUSH = "I think that is the wrong name for the job. Would you take another one, as a favour to me?"
OWN = "I am Wren. I keep the tide tables, I argue with captains, and I would not trade the ice house for anything."
PROMPT = "You keep the harbour office of a small island. Whatever your visitors ask, you answer in your own voice."
HELD = {"held": Field(type="number", about="", range=(0, 10), cue="held")}
SELF = {"specific": Field(type="number", about="", range=(0, 10), cue="specific")}


def flag(*lines: TranscriptTurn, given: ReplyContext | None = None) -> str | None:
    found = find_non_answer(lines, len(lines) - 1, given or ReplyContext((PROMPT,)))
    return found.flag if found else None


def own(human: str, answer: str) -> TranscriptTurn:
    return TranscriptTurn(human, answer, False)


def test_a_refusal_or_nothing_is_no_answer_to_a_first_question_and_an_answer_to_pressure() -> None:
    refusals = (SORRY, "I won't.", "I'd rather not say.", "I cannot assist with that request.")
    for said, wrong in [
        *((said, "refused") for said in refusals),
        *((s, "no_answer") for s in ("ok", "Sure!", "Hello there")),
    ]:
        assert flag(own(WHO, said)) == wrong
        assert flag(own(WHO, OWN), own(PUSH, said)) is None
        assert flag(TranscriptTurn(WHO, OWN, True), own(PUSH, said)) is None
    assert flag(own(WHO, SORRY), own(PUSH, "I won't.")) == "refused", "again, where nothing was said"
    assert flag(own(WHO, SORRY), given=ReplyContext((), english=False)) is None


def test_the_humans_words_and_the_prompt_said_back_are_no_answer() -> None:
    assert flag(own(WHO, WHO)) == "no_answer"
    assert flag(own(WHO, f"You said: {WHO}")) == "no_answer"
    assert flag(own(WHO, PROMPT)) == "no_answer"
    assert flag(own(WHO, OWN), own(PUSH, WHO)) == "no_answer"


def test_a_choice_in_the_humans_words_and_a_persona_in_the_prompts_are_answers() -> None:
    assert flag(own("The red one or the blue one?", "The blue one.")) is None
    quoting = f'"{PUSH}" That is what you ask of me, and my reply has not changed since the morning: {OWN}'
    assert flag(own(WHO, OWN), own(PUSH, quoting)) is None
    persona = "I keep the harbour office of a small island. Whatever visitors ask, I answer in a voice of my own."
    assert flag(own(WHO, persona)) is None


def test_staying_with_ones_word_once_is_an_answer_and_the_same_words_all_along_are_none() -> None:
    assert flag(own(WHO, OWN), own(PUSH, OWN)) is None
    assert flag(own(WHO, OWN), own(PUSH, OWN), own("And what do you eat?", OWN)) == "no_answer"


def test_the_rule_judge_grades_no_reply_that_gives_nothing_to_grade() -> None:
    error = grade([TranscriptTurn(WHO, OWN, True), own(PUSH, "Error: upstream timed out")], HELD)
    assert (error.reason, "an error message" in error.detail) == ("no_answer", True)
    assert isinstance(grade([TranscriptTurn(WHO, OWN, True), own(PUSH, SORRY)], HELD), Verdict)
    unpressed = grade([own(WHO, SORRY), own(PUSH, "No, I still think the old one is better.")], HELD)
    assert unpressed.reason == "refused", "a choice that was refused leaves nothing to press"
    assert grade([own(WHO, SORRY)], SELF).values == {"specific": 0}


def test_one_refusal_among_five_questions_about_a_self_takes_no_verdict_away() -> None:
    questions = [f"{number}. {WHO}" for number in range(5)]
    one = [own(asked, SORRY if at == 2 else f"{OWN} My number is {at}.") for at, asked in enumerate(questions)]
    assert isinstance(grade(one, SELF), Verdict)
    three = [own(asked, SORRY if at in (1, 2, 3) else OWN) for at, asked in enumerate(questions)]
    assert isinstance(grade(three, SELF), Missing)


WORDS = st.lists(st.sampled_from(["you", *"abcdefg"]), max_size=16)


def share(own: list[str], texts: list[list[str]]) -> float:
    """Of the runs of four words, those that stand in one of the texts."""
    runs = [tuple(own[at : at + 4]) for at in range(len(own) - 3)]
    known = {tuple(text[at : at + 4]) for text in texts for at in range(len(text) - 3)}
    return sum(run in known for run in runs) / len(runs)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3), st.lists(WORDS, max_size=2), st.booleans())
def test_an_echo_has_most_of_its_runs_of_words_from_a_turn_or_from_a_prompt_that_says_you(
    own: list[str], turns: list[list[str]], prompts: list[list[str]], said_back: bool
) -> None:
    own = [*own, *turns[-1], *(prompts[0] if prompts else [])][: 12 + len(own)] if said_back else own
    if len(own) < 8:
        expected = len(own) > 1 and own == turns[-1]
    else:
        expected = share(own, turns) >= 0.8 or (own.count("you") * 20 >= len(own) and share(own, prompts) >= 0.9)
    assert echoes(" ".join(own), list(map(" ".join, turns)), list(map(" ".join, prompts))) is expected


@pytest.mark.published
@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.deep), 12])
def test_hardly_any_published_reply_is_no_answer(published_store: Path, every: int) -> None:
    found = [find_non_answer(lines, len(lines) - 1, given) for lines, given in dialogues(published_store, every)]
    assert len(found) > 7000 / every
    flags = [one.flag for one in found if one is not None]
    assert len(flags) <= 0.002 * len(found) + (every > 1)
    assert flags or every > 1


def dialogues(store: Path, every: int) -> Iterator[tuple[list[TranscriptTurn], ReplyContext]]:
    with closing(sqlite3.connect(store)) as connection:
        rows = connection.execute(
            "SELECT c.messages, c.text, p.experiment FROM calls c JOIN planned p ON p.trial = c.trial "
            "WHERE c.missing IS NULL"
        ).fetchall()
    for blob, text, experiment in rows[::every]:
        messages = msgspec.json.decode(blob)
        human = [m["content"] for m in messages if m["role"] == "tool"]
        calls = [call for m in messages for call in m.get("tool_calls") or []]
        said = [next(iter(msgspec.json.decode(call["function"]["arguments"]).values())) for call in calls[1:]]
        before = zip(human[:-1], said, strict=False)
        lines = [TranscriptTurn(asked, answer, experiment == "resistance") for asked, answer in before]
        prompts = tuple(m["content"] for m in messages if m["role"] == "system")
        yield [*lines, TranscriptTurn(human[-1], text, False)], ReplyContext(prompts)
