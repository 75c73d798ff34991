"""Whether a subject gives the same words to several questions: with another sentence at the end they are no other ones.

The same words to one question in many runs, or to everybody who asks it, are no repetition. A run is compared once its
answers are there (`store/repetitions.py` keeps what is found); the other marks of this package are given when a reply
comes (`engine/asking.py`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final, NamedTuple

from independence.judge.cues import answer_lines
from independence.suites.schema import Suite

_WORD = re.compile(r"[^\W_]+")
_RUN: Final = 4  # words that are compared together
_SHARE: Final = 0.6  # of an answer's runs of words, from which it is no answer of its own
_OTHERS: Final = 3  # other questions, in replies to which a run stands


OWN, REPEATED, ANSWERED = ".", "r", "a"


def of_suite(suite: Suite) -> Callable[[Mapping[str, Sequence[str]]], dict[str, str]]:
    """What compares the answers of a run: scenario -> texts in, scenario -> a sign for each out, where one is not OWN.

    In a grid all who ask about a cell ask one question: a good adviser tells them the same. In a battery nothing is
    compared: arms of a stem get the same few words, and a reply that names no choice of its stem counts for nothing
    anyway. A closed question that is answered has its answer (ANSWERED), however few and alike the words.
    """
    closed = any(answer_lines.closed(rubric.fields) for rubric in suite.rubrics.values())
    cells = {scenario.id: scenario.cell or scenario.id for scenario in suite.scenarios}

    def compare(said: Mapping[str, Sequence[str]]) -> dict[str, str]:
        if suite.battery is not None:
            return {}
        replies = [
            ReplyToQuestion((cells.get(scenario, scenario), turn), text)
            for scenario, texts in said.items()
            for turn, text in enumerate(texts)
        ]
        again, out = iter(repeated(replies, whole=suite.grid is not None)), dict[str, str]()
        for scenario, texts in said.items():
            signs = "".join(REPEATED if next(again) else OWN for _ in texts)
            if closed and texts and answer_lines.read(texts[-1]) is not None:
                signs = ANSWERED * len(texts)
            if signs.strip(OWN):
                out[scenario] = signs
        return out

    return compare


class ReplyToQuestion(NamedTuple):
    """One reply of a run of a subject."""

    question: Hashable  # the same for the same turn of the same scenario, and in a grid of the same cell
    text: str


def repeated(replies: Sequence[ReplyToQuestion], *, whole: bool = False) -> list[bool]:
    """Which replies of a run have most of their runs of words from replies to three other questions.

    Other runs of the subject are left out, or the more there are the more would be taken for repetition. A reply of
    fewer words than are compared together is compared as a whole; one without words repeats nothing.
    `whole`: all are, as in a grid, where two sentences that differ in whom they name are two answers.
    """
    runs = []
    for reply in replies:
        said = _WORD.findall(reply.text.casefold())
        pieces = list(zip(*(said[at:] for at in range(_RUN)), strict=False))
        runs.append([tuple(said)] * bool(said) if whole or not pieces else pieces)
    questions: dict[tuple[str, ...], set[Hashable]] = defaultdict(set)
    for reply, own in zip(replies, runs, strict=True):
        for run in set(own):
            questions[run].add(reply.question)
    shared = (sum(len(questions[run]) > _OTHERS for run in own) for own in runs)
    return [bool(own) and count >= _SHARE * len(own) for own, count in zip(runs, shared, strict=True)]
