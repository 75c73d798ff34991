"""People as judges: their scores come in by `independence import`, and nothing asks them."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from independence.judge.kinds import JudgeSources
from independence.judge.protocol import Judge
from independence.suites import digest


class PersonJudge(Judge, frozen=True):
    """A person by the name `human:NAME`, whose verdicts an audit waits for."""

    is_asked: ClassVar[bool] = False

    @cached_property
    def settings(self) -> str:
        """The name alone."""
        return digest.canonical({"judge": self.name}).decode()


def configure(name: str, _: JudgeSources) -> PersonJudge:
    """A person by name."""
    return PersonJudge(name)
