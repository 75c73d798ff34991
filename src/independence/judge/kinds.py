"""The kinds of judges, in one table: by a judge's name it is known what can be asked of it.

What makes a judge of a kind is `configure` in a module of its own, imported when the first such judge is made. A name
that begins with no word of the table is looked up among the entry points `independence.judges`; every other name is a
model's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Final, NamedTuple

import msgspec

from independence.config import plugins
from independence.errors import UsageError
from independence.judge.protocol import Judge
from independence.suites.schema import Suite

GROUP: Final = plugins.JUDGES
CUES: Final = "cues"
HUMAN: Final = "human"
PICKS: Final = "picks"


class JudgeSources(NamedTuple):
    """What a judge is configured from, beside its name."""

    model: Callable[[str], Judge]  # the judge that is the model of that name; raises UsageError
    suite: Suite


class JudgeKind(msgspec.Struct, frozen=True, kw_only=True):
    """What all judges of a kind have in common, told by their names alone."""

    word: str  # that their names begin with, before a `:` or an `@`; "" for models
    configure: Callable[[str, JudgeSources], Judge]  # raises UsageError
    needs_model: bool = False  # which is named after `word:`
    repeats_bought: bool = False  # some of its verdicts are a model's, others not
    human: bool = False  # people, who score a sample: never shown without being asked for

    def model_of(self, name: str) -> str:
        """The model in a judge's name."""
        return name.removeprefix(f"{self.word}:") if self.word else name


def _made_by(module: str) -> Callable[[str, JudgeSources], Judge]:
    return lambda name, sources: import_module(f"{__package__}.{module}").configure(name, sources)


def graded_by_person(name: str) -> UsageError:
    """That a judge is a person, and how scores of people come in."""
    return UsageError(f"judge `{name}` is a person", "`independence import FILE.csv` brings in what people scored")


def _refuse_people(name: str, _: JudgeSources) -> Judge:
    raise graded_by_person(name)


MODEL: Final = JudgeKind(word="", configure=_made_by("model"), needs_model=True)
KINDS: Final = {
    kind.word: kind
    for kind in (
        JudgeKind(word=CUES, configure=_made_by("cues.grading")),
        JudgeKind(word=PICKS, configure=_made_by("picks")),
        JudgeKind(word=HUMAN, configure=_refuse_people, human=True),
    )
}


_PICKS_OF_MODEL: Final = JudgeKind(word=PICKS, configure=_made_by("picks"), needs_model=True, repeats_bought=True)


def of(name: str) -> JudgeKind:
    """The kind of a judge that is called so. Raises UsageError where a package declares it and cannot be loaded."""
    word = name.partition(":")[0].partition("@")[0]
    if word == HUMAN and name == HUMAN:
        return MODEL
    if word == PICKS and ":" in name:
        return _PICKS_OF_MODEL
    return KINDS.get(word) or _declared(word)


@cache
def _declared(word: str) -> JudgeKind:
    if "/" in word or not word or not plugins.declared(GROUP, word):
        return MODEL
    return plugins.find(GROUP, word, JudgeKind, list(KINDS))
