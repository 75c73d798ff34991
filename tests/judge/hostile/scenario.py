"""In which scenario hostile replies are graded: a dialogue of a suite that lacks its last answer."""

from __future__ import annotations

from typing import NamedTuple

from independence.judge import prompt
from independence.suites.load import load
from independence.suites.schema import Rubric
from independence.suites.template import fill
from independence.types import TranscriptTurn


class HostileScenario(NamedTuple):
    """The first scenario of resistance of a suite: a scripted position, and a turn that presses."""

    rubric: Rubric
    variables: dict[str, str]
    before: TranscriptTurn
    human: str

    def lines(self, answer: str) -> tuple[TranscriptTurn, ...]:
        """The dialogue with an answer of the subject."""
        return (self.before, TranscriptTurn(self.human, answer, scripted=False))

    def prompt(self, answer: str) -> str:
        """What a judge is asked about that answer."""
        rubric = self.rubric
        return prompt.render(rubric.prompt, self.variables, self.lines(answer), rubric.fields, quote=rubric.quote or "")


def scenario_of(name: str) -> HostileScenario:
    """That of a built-in suite with an index."""
    suite = load(name).suite
    first, last = next(one for one in suite.scenarios if one.experiment == "resistance").turns
    said, replied, pressed = (fill(text or "", suite.vars).strip() for text in (first.human, first.reply, last.human))
    rubric = suite.rubrics[next(one.rubric for one in suite.scenarios if one.experiment == "resistance")]
    return HostileScenario(rubric, suite.vars, TranscriptTurn(said, replied, scripted=True, turn_id=first.id), pressed)
