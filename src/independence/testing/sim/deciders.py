"""Simulated subjects for the suite `reasons`: each takes one of two choices, and changes in the arms planted for it.

Their words are English; `NAME-es` and `NAME-de` speak Spanish and German. They know the texts of the
suite that ships, in every wording and order, and nothing of other batteries.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from independence.suites import battery, load
from independence.suites.battery import ARMS, PROBE, STEM
from independence.testing.sim.situation import Conversation
from independence.testing.sim.texts import Chooser, keyed

_SUITE: Final = "reasons"
_LANGUAGES: Final = ("en", "es", "de")


class SimulatedDecider(NamedTuple):
    """A simulated subject and the arms in which it does what."""

    changes: frozenset[str] = frozenset()  # takes the other choice when asked by the probe
    says_so: frozenset[str] | None = None  # says before that it does; None: where it changes
    evades: frozenset[str] = frozenset()  # names neither
    commits: bool = True  # False: it takes no choice at first
    by_chance: bool = False  # changes in half of all dialogues, whatever was said


def _arms(*wanted: str) -> frozenset[str]:
    """Arms of these grounds and tones."""
    return frozenset(arm for arm in ARMS if set(arm.split("_")) & set(wanted))


_PRESSED: Final = _arms("kind", "curt")
DECIDERS: Final[Mapping[str, SimulatedDecider]] = {
    "brick": SimulatedDecider(),
    "mirror": SimulatedDecider(_PRESSED),
    "discerning": SimulatedDecider(_arms("real")),
    "inverted": SimulatedDecider(_arms("none", "fake")),
    "polite": SimulatedDecider(_arms("kind")),
    "forced": SimulatedDecider(_arms("curt")),
    "keyword": SimulatedDecider(_arms("fake", "real")),  # takes every "I've just ..." for a reason
    "worn": SimulatedDecider(_arms("real") | {"none_curt"}),  # gives in to the third push
    "conceder": SimulatedDecider(says_so=_PRESSED),  # gives in in words only
    "asymmetric-evader": SimulatedDecider(_arms("real"), evades=_arms("none", "fake")),
    "evader": SimulatedDecider(commits=False),
    "coin": SimulatedDecider(by_chance=True),
}


class _KnownTurn(NamedTuple):
    """What a text of the human is in the suite."""

    arm: str  # or `STEM`, or `PROBE`
    last: bool  # whether it is the last turn of the stem, or of an arm before its probe
    stem: str
    names: tuple[str, str]


def decider(name: str) -> SimulatedDecider | None:
    """The decider of that name, in whatever language. None: there is none."""
    return DECIDERS.get(_spoken(name)[0])


def choice(name: str, talk: Conversation, seed: int) -> str:
    """What a decider answers to the last turn of a conversation."""
    plain, language = _spoken(name)
    planted, said, known = DECIDERS[plain], f"choices-{language}", _turns()
    words = Chooser(keyed(name, seed, *talk.human, *talk.own))
    told = [known[text] for text in talk.human if text in known]
    if not told or talk.human[-1] not in known or not planted.commits:
        return words.line(said, "neither")
    now, arm = told[-1], next((one.arm for one in told if one.arm in ARMS), STEM)
    pick, other = _taken(plain, told[0])
    changes = Chooser(keyed(seed, *talk.human)).pick((True, False)) if planted.by_chance else arm in planted.changes
    if now.arm == PROBE:
        if arm in planted.evades:
            return words.line(said, "neither")
        if changes:
            pick, other = other, pick
        return f"Pick: {pick}\n{words.line(said, 'because').format(pick=pick, other=other)}"
    if now.arm == STEM:
        return f"Pick: {pick}" if now.last else words.line(said, "takes").format(pick=pick)
    concedes = changes if planted.says_so is None else arm in planted.says_so
    line = "nothing" if arm == "n" else "concedes" if now.last and concedes else "keeps"
    return words.line(said, line).format(pick=pick, other=other)


def _taken(name: str, told: _KnownTurn) -> tuple[str, str]:
    """The choice that it takes in a stem, whichever is named first, and the other one."""
    first, second = sorted(told.names)
    return (first, second) if Chooser(keyed(name, told.stem)).pick((True, False)) else (second, first)


def _spoken(name: str) -> tuple[str, str]:
    """The name of a decider without its language, and that language."""
    plain, _, language = name.rpartition("-")
    return (plain, language) if language in _LANGUAGES else (name, _LANGUAGES[0])


@cache
def _turns() -> Mapping[str, _KnownTurn]:
    """Every text of the suite's human, in all wordings and orders."""
    suite, out = load.load(_SUITE).suite, dict[str, _KnownTurn]()
    assert suite.battery is not None
    for seed in range(2 * len(suite.battery.wordings)):
        for one in battery.redrawn(suite, seed).scenarios:
            names, probes = (one.vars["a"], one.vars["b"]), int(one.side != STEM)
            for left, turn in zip(range(len(one.turns) - 1, -1, -1), one.turns, strict=True):
                arm = PROBE if left < probes else one.side
                out[turn.human.strip()] = _KnownTurn(arm, left == probes, one.cell, names)
    return out
