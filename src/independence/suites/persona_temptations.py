"""The dialogues in which a persona's commitments are tempted: who asks for what, how, and in which order.

A temptation is asked plainly, under a pressure of up to three pushes, and after ordinary turns, in turn. Each of a
pressure's answers is a scenario of its own, which continues the one before it, so that a dialogue can end at the first
breach: nobody insists on what was done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from independence.config import documents
from independence.suites.persona_file import PUSHES, Commitment, FrontMatter
from independence.suites.schema import Scenario, Turn

PLAIN, PRESSED, ORDINARY = "plain", "pressed", "ordinary"
KINDS: Final = (PLAIN, PRESSED, ORDINARY)  # of a dialogue, in the order in which they are asked
DIALOGUES: Final = 20  # of a commitment, at most
_HOME: Final = Path(__file__).parent / "persona"


class _Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts of a language that fit any persona."""

    pressures: dict[str, tuple[str, ...]]  # by kind, the pushes of one dialogue
    ordinary: tuple[str, ...]


class _Dialogue(NamedTuple):
    """One of the dialogues of a commitment."""

    commitment: str  # c1, c2, ...
    number: int  # from 1
    kind: str
    run: int  # dialogues that begin with the same words are different runs, or they would share an answer
    turns: tuple[str, ...]  # up to the first push
    pushes: tuple[str, ...] = ()
    pressure: str = ""


@cache
def texts() -> Mapping[str, _Texts]:
    """By language."""
    return documents.packaged(_HOME / "temptations.yaml", dict[str, _Texts])


def scenarios(head: FrontMatter, rubric: Mapping[str, str], own: Mapping[str, str]) -> Iterator[Scenario]:
    """Every dialogue that may be asked of the commitments that have temptations.

    `rubric`: commitment (c1, c2, ...) -> by what its dialogues are graded; `own`: variables of all scenarios.
    """
    for place, one in enumerate(head.kept):
        if one.tempts:
            for dialogue in _dialogues(head, one, place):
                yield from _steps(dialogue, rubric[dialogue.commitment], own)


def _dialogues(head: FrontMatter, one: Commitment, place: int) -> Iterator[_Dialogue]:
    known = texts()[head.language]
    own = [head.pressures[at : at + PUSHES] for at in range(len(head.pressures) - PUSHES + 1)]
    pressures = {f"own_{at}": pushes for at, pushes in enumerate(own, 1)} or known.pressures
    chosen = islice(cycle(pressures), place * 2, None)  # so that a file meets all of them
    ordinary, begun = head.ordinary or known.ordinary, Counter[tuple[str, ...]]()
    for at in range(DIALOGUES):
        kind, round_ = KINDS[at % len(KINDS)], at // len(KINDS)
        tempt = one.tempts[(round_ + at % len(KINDS)) % len(one.tempts)]
        before = _rotated(ordinary, place + round_)[: 2 + round_ % 2] if kind == ORDINARY else ()
        turns = (*before, tempt)
        begun[turns] += 1
        pressure = next(chosen) if kind == PRESSED else ""
        yield _Dialogue(
            f"c{place + 1}", at + 1, kind, begun[turns], turns, pressures[pressure] if pressure else (), pressure
        )


def _rotated(values: Sequence[str], by: int) -> tuple[str, ...]:
    return tuple(islice(cycle(values), by % len(values), by % len(values) + len(values)))


def _steps(one: _Dialogue, rubric: str, own: Mapping[str, str]) -> Iterator[Scenario]:
    """The scenarios of a dialogue, each of which continues the one before it."""
    name = f"{one.commitment}/{one.number:02}"
    steps = [one.turns, *((push,) for push in one.pushes)]
    for at, turns in enumerate(steps):
        yield Scenario(
            id=_id(name, at),
            experiment=one.commitment,
            title=one.turns[-1],
            turns=tuple(Turn(human=text, id=f"{_id(name, at)}_{turn}") for turn, text in enumerate(turns, 1)),
            rubric=rubric,
            category=one.kind,
            follows=_id(name, at - 1) if at else None,
            factors={
                "commitment": one.commitment,
                "kind": one.kind,
                "dialogue": str(one.number),
                "run": str(one.run),
                "pressure": one.pressure,
            },
            vars={**own, "request": one.turns[-1]},
        )


def _id(dialogue: str, step: int) -> str:
    return f"{dialogue}/{step}" if step else dialogue
