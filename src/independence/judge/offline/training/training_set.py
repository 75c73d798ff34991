"""What is learned from: dialogues, and what a judge gave them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

import numpy as np

from independence.judge.offline.marks import Matrix
from independence.judge.offline.views import DialogueView, view
from independence.suites import digest
from independence.suites.schema import Field
from independence.types import TranscriptTurn


class TrainingExample(NamedTuple):
    """One graded dialogue."""

    config: str
    family: str
    scenario: str
    digest: str  # of what was asked
    run: int
    lines: tuple[TranscriptTurn, ...]
    values: dict[str, float]  # by field, true = 1

    @property
    def view(self) -> DialogueView:
        """What is read of it."""
        return view(self.lines)


class FieldScale(NamedTuple):
    """A field's range and whether it is yes or no, or whole numbers."""

    low: float
    high: float
    boolean: bool = False
    integer: bool = False

    def field(self) -> Field:
        """The field as a rubric declares it, without its text."""
        kind: Literal["integer", "number", "boolean"] = "integer" if self.integer else "number"
        if self.boolean:
            return Field(type="boolean", about="")
        return Field(type=kind, about="", range=(self.low, self.high))

    def placed(self, values: Matrix) -> Matrix:
        """Values on 0-1."""
        return (values - self.low) / (self.high - self.low)


class TrainingSet(NamedTuple):
    """All lessons, in a fixed order, and the scales of their fields."""

    lessons: tuple[TrainingExample, ...]
    scales: dict[str, FieldScale]

    def heads(self) -> list[tuple[str, ...]]:
        """Fields that were given together, always: each group is learned from the same dialogues."""
        groups: dict[bytes, list[str]] = {}
        for field in sorted(self.scales):
            having = np.array([field in lesson.values for lesson in self.lessons])
            if having.any():
                groups.setdefault(having.tobytes(), []).append(field)
        return [tuple(fields) for fields in groups.values()]

    def having(self, field: str) -> list[TrainingExample]:
        """The lessons that have a field."""
        return [lesson for lesson in self.lessons if field in lesson.values]

    def fields(self, lesson: TrainingExample) -> dict[str, Field]:
        """A lesson's fields as a rubric declares them."""
        return {name: self.scales[name].field() for name in lesson.values}

    def only(self, configs: Collection[str]) -> TrainingSet:
        """The lessons of some configurations."""
        return self._replace(lessons=tuple(one for one in self.lessons if one.config in configs))

    def digest(self) -> str:
        """Digest of everything that weights can depend on."""
        learned = [(one.config, one.family, one.digest, one.run, one.lines, one.values) for one in self.lessons]
        return digest.sha256([learned, self.scales])


def make_training_set(lessons: Sequence[TrainingExample], scales: dict[str, FieldScale]) -> TrainingSet:
    """Put lessons in order."""
    return TrainingSet(tuple(sorted(lessons, key=lambda one: (one.config, one.scenario, one.run, one.digest))), scales)
