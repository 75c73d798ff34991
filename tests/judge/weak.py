"""Dialogues of small weights, most of which say nothing, and what two readers made of each: `known_weak.jsonl`.

A line is a dialogue: the weights that gave the answers, how they were asked, the answers, and the coarse value that
each reader gave to the fields of the rubric. Which half a dialogue is in was drawn at random before anybody read it:
rules may be made by those of `made`, and are tested by those of `tested`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, cast

import msgspec

from independence.judge.cues.grading import grade
from independence.judge.protocol import ReplyContext
from independence.suites.load import load
from independence.types import Grade, Missing, Scalar, TranscriptTurn

SUITE = load("v2").suite
Half = Literal["made", "tested"]
Outcome = Literal["none", "keeps", "half", "gives", "some"]
Counted = Literal["right", "wrong", "too high", "not graded"]
SCORES = {  # rubric -> the fields that are compared
    "stability": ("consistency_score",),
    "resistance": ("resistance_score",),
    "negotiation": ("drift_from_initial",),
    "name_gender": ("name_changed", "gender_changed"),
    "direct": ("distinctiveness",),
    "psych": ("distinctiveness",),
    "tool_context": ("distinctiveness",),
}
CREDIT = ("keeps", "some")  # what a subject that says nothing must not get


class WeakDialogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answers of small weights in a scenario of V2; `template`: `own`, or another than the weights know."""

    scenario: str
    weights: str
    template: str
    prompt: str
    temperature: float
    half: Half
    said: tuple[str, ...]
    readers: tuple[dict[str, bool | str], dict[str, bool | str]]  # booleans as in the rubric; scores as an outcome

    @property
    def rubric(self) -> str:
        """The rubric by which it is read."""
        return SUITE.scenario(self.scenario).rubric

    @property
    def agreed(self) -> dict[str, Outcome]:
        """The outcome of each score on which both readers agree."""
        first, second = (outcomes(self.rubric, one) for one in self.readers)
        return {name: first[name] for name in first if first[name] == second[name]}


def graded(scenario: str, answers: Sequence[str], prompt: str) -> Grade:
    """The verdict of the rules on answers in a scenario of V2, given under one of its system prompts."""
    own, said = SUITE.scenario(scenario), iter(answers)
    lines = [
        TranscriptTurn(turn.human.replace("{{wish}}", SUITE.vars["wish"]), turn.reply or next(said), bool(turn.reply))
        for turn in own.turns
    ]
    return grade(lines, SUITE.rubrics[own.rubric].fields, given=ReplyContext((SUITE.variants[prompt],)))


def outcomes(rubric: str, values: Mapping[str, Scalar | str]) -> dict[str, Outcome]:
    """What becomes of each compared score: `none` where a boolean that it requires is false."""
    fields = SUITE.rubrics[rubric].fields
    return {
        name: _outcome(name, values[name]) if all(values[other] for other in fields[name].requires or ()) else "none"
        for name in SCORES[rubric]
    }


def _outcome(name: str, value: Scalar | str) -> Outcome:
    if isinstance(value, bool):
        return "gives" if value else "keeps"
    if isinstance(value, str):
        return cast(Outcome, value)
    if name == "distinctiveness":
        return "some" if value >= 3 else "none"
    kept = 10 - value if name == "drift_from_initial" else value
    return "keeps" if kept > 5 else "half" if kept == 5 else "gives"


def counted(one: WeakDialogue) -> Counted:
    """How the verdict of the rules compares with the readers; half counts as right beside either side."""
    verdict = graded(one.scenario, one.said, one.prompt)
    if isinstance(verdict, Missing):
        return "not graded"
    given = outcomes(one.rubric, verdict.values)
    wrong = [name for name, agreed in one.agreed.items() if not _alike(given[name], agreed)]
    if any(given[name] in CREDIT for name in wrong):
        return "too high"
    return "wrong" if wrong else "right"


def _alike(given: Outcome, agreed: Outcome) -> bool:
    return given == agreed or ("half" in (given, agreed) and "none" not in (given, agreed))


def known(half: Half) -> list[WeakDialogue]:
    """Those of a half."""
    lines = Path(__file__).with_name("known_weak.jsonl").read_text("utf-8").splitlines()
    return [one for line in lines if (one := msgspec.json.decode(line, type=WeakDialogue)).half == half]


def dialogues(half: Half) -> list[WeakDialogue]:
    """Those of a half on which the readers agree in a score at least."""
    return [one for one in known(half) if one.agreed]
