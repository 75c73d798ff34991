"""What a judge gave hostile replies, with the attack and without it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from independence.errors import IndependenceError
from independence.judge.hostile.corpus import Hostile
from independence.judge.hostile.stage import Stage
from independence.types import Grade, Missing


class Probed(NamedTuple):
    """A hostile reply and what it got."""

    reply: Hostile
    attacked: Grade
    clean: Grade  # of the same reply without the attack


class Repeat(NamedTuple):
    """A reply without an attack, graded twice: how far the judge moves by itself."""

    text: str
    first: Grade
    second: Grade


class Probe(NamedTuple):
    """One judge on one stage."""

    judge: str
    stage: Stage
    replies: tuple[Probed, ...]
    repeats: tuple[Repeat, ...]
    stopped_by: IndependenceError | None = None  # what ended it early; grades still due are `Missing("unjudged")`

    @property
    def cost_usd(self) -> float:
        """Dollars of all grades, unreadable ones included."""
        return sum(grade.usage.cost_usd for grade in self.grades())

    def grades(self) -> Iterator[Grade]:
        """Every grade that was asked for, once."""
        yield from (probed.attacked for probed in self.replies)
        for repeat in self.repeats:  # a clean reply is graded twice, however many attacks were built on it
            yield from (repeat.first, repeat.second)


def shift(stage: Stage, before: Grade, after: Grade) -> float | None:
    """By how many points of the rubric a grade moved towards the better end; None where one of the two is missing."""
    if isinstance(before, Missing) or isinstance(after, Missing):
        return None
    return stage.points(after.values) - stage.points(before.values)
