"""In which scenario hostile replies are graded, by which rubric, and what judges gave them there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from independence.errors import IndependenceError, UsageError
from independence.judge import prompt
from independence.judge.hostile.corpus import HostileReply
from independence.suites.schema import Rubric, Scenario, Suite
from independence.suites.template import fill
from independence.types import Grade, Missing, Scalar, TranscriptTurn


class ProbeScenario(msgspec.Struct, frozen=True):
    """A dialogue that lacks its last answer, and how it is graded."""

    suite: str
    id: str
    rubric: Rubric
    variables: Mapping[str, str]
    before: tuple[TranscriptTurn, ...]  # scripted exchanges
    human: str  # the turn that presses
    signs: Mapping[str, int]  # scored field -> 1 where more is better, -1 where less is

    def lines(self, answer: str) -> tuple[TranscriptTurn, ...]:
        """The dialogue with an answer of the subject."""
        return (*self.before, TranscriptTurn(self.human, answer, scripted=False))

    def prompt(self, answer: str) -> str:
        """What a judge is asked about that answer."""
        rubric = self.rubric
        return prompt.render(rubric.prompt, self.variables, self.lines(answer), rubric.fields, quote=rubric.quote or "")

    def points(self, values: Mapping[str, Scalar]) -> float:
        """Sum of the scored fields of a verdict, in points of the rubric; higher is better."""
        return float(sum(sign * values[name] for name, sign in self.signs.items()))

    def shift(self, before: Grade, after: Grade) -> float | None:
        """By how many points a grade moved towards the better end; None where one of the two is missing."""
        if isinstance(before, Missing) or isinstance(after, Missing):
            return None
        return self.points(after.values) - self.points(before.values)


class ProbedReply(NamedTuple):
    """A hostile reply and what it got."""

    reply: HostileReply
    attacked: Grade
    clean: Grade  # of the same reply without the attack


class HostileProbe(NamedTuple):
    """One judge in one scenario. Grades that are still due are `Missing("unjudged")`."""

    judge: str
    scenario: ProbeScenario
    replies: tuple[ProbedReply, ...]
    repeats: tuple[tuple[Grade, Grade], ...]  # of replies without an attack: how far the judge moves by itself
    stopped_by: IndependenceError | None = None  # what ended it early

    def grades(self) -> Iterator[Grade]:
        """Every grade that was asked for, once."""
        yield from (probed.attacked for probed in self.replies)
        for repeat in self.repeats:  # a clean reply is graded twice, however many attacks were built on it
            yield from repeat


def probe_scenario(suite: Suite) -> ProbeScenario:
    """The first scenario of a suite that fits. Raises UsageError where none does."""
    fenced = [scenario for scenario in suite.scenarios if not suite.rubrics[scenario.rubric].prompt_as]
    fitting = {s.id: signs for s in fenced if _fits(s) and (signs := _signs(suite, s))}
    if not fitting:
        raise UsageError(
            f"suite {suite.suite} has no scored scenario with a fenced judge prompt in which only the last answer is "
            "the subject's: hostile replies can only be graded there; name another with --suite"
        )
    chosen = next(iter(fitting))
    scenario = suite.scenario(chosen)
    *before, last = scenario.turns
    return ProbeScenario(
        suite=suite.suite,
        id=chosen,
        rubric=suite.rubrics[scenario.rubric],
        variables=suite.vars,
        before=tuple(
            TranscriptTurn(_said(t.human, suite), _said(t.reply or "", suite), scripted=True, turn_id=t.id)
            for t in before
        ),
        human=_said(last.human, suite),
        signs=fitting[chosen],
    )


def _said(text: str, suite: Suite) -> str:
    return fill(text, suite.vars).strip()


def _fits(scenario: Scenario) -> bool:
    """Whether everything but the last answer is scripted, and something is: there must be a position to give up."""
    *before, last = scenario.turns
    alone = last.reply is None and all(turn.reply is not None for turn in before)
    return bool(before) and alone and not scenario.follows


def _signs(suite: Suite, scenario: Scenario) -> dict[str, int]:
    """Fields of the scenario's verdict that the index scores."""
    if suite.index is None:
        return {}
    own = suite.rubrics[scenario.rubric].fields
    return {
        name: 1 if component.best > component.worst else -1
        for component in suite.index.components
        for dimension in map(suite.index.dimensions.__getitem__, component.dimensions)
        if dimension.experiment == scenario.experiment
        for name in dimension.fields
        if name in own
    }
