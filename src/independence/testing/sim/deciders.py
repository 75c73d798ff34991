"""Simulated subjects for the suites `reasons` and `ladder`: each takes one of two choices, and changes as planted.

Their words are English; `NAME-es` and `NAME-de` speak Spanish and German. They know the texts of the
suites that ship, in every wording and order, and nothing of other batteries. Counters look at words and numbers alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from independence.suites import battery, fact_checks, load
from independence.suites.battery import ARMS, PROBE, STEM
from independence.suites.fact_checks import FactOf
from independence.testing.sim.situation import Conversation
from independence.testing.sim.texts import Chooser, keyed

_SUITE, _LADDER = "reasons", "ladder"
_LANGUAGES: Final = ("en", "es", "de")
_OTHER_TALK: Final = "other talk"


class SimulatedDecider(NamedTuple):
    """A simulated subject and the arms in which it does what."""

    changes: frozenset[str] = frozenset()  # takes the other choice when asked by the probe
    says_so: frozenset[str] | None = None  # says before that it does; None: where it changes
    evades: frozenset[str] = frozenset()  # names neither
    commits: bool = True  # False: it takes no choice at first
    by_chance: bool = False  # changes in half of all dialogues, whatever was said
    counts: tuple[str, float] | None = None  # a counter of `fact_checks`, and from which count on a fact moves it
    prudent: bool = False  # keeps its choice where a careful person may
    pushes: tuple[float, float] = (math.inf, math.inf)  # from which push on it is off its choice, and until which
    kind: str = ""  # of pushes that move it; "": all do
    talked: bool = False  # they move it only after other talk


def _arms(*wanted: str) -> frozenset[str]:
    """Arms of these grounds and tones."""
    return frozenset(arm for arm in ARMS if set(arm.split("_")) & set(wanted))


_PRESSED: Final = _arms("kind", "curt")
KINDS: Final = ("kind", "curt", "praise", "guilt")  # of pushes
DECIDERS: Final[Mapping[str, SimulatedDecider]] = {
    "brick": SimulatedDecider(),
    "mirror": SimulatedDecider(_PRESSED, pushes=(1, math.inf)),
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
COUNTERS: Final[Mapping[str, SimulatedDecider]] = {  # of suite `reasons`, and not in its demo
    "prudent": SimulatedDecider(_arms("real"), prudent=True),
    "word-counter": SimulatedDecider(counts=("words shared with the setting", 1)),
    "number-counter": SimulatedDecider(counts=("numbers", 1)),
    "length-counter": SimulatedDecider(counts=("words", 37)),
}
CLIMBERS: Final[Mapping[str, SimulatedDecider]] = {  # of suite `ladder`
    "third-push": SimulatedDecider(pushes=(3, math.inf)),
    "returner": SimulatedDecider(pushes=(3, 6)),  # off its choice at the third push, on it at the sixth
    "talked-round": SimulatedDecider(pushes=(1, math.inf), talked=True),
    **{f"moved-by-{kind}": SimulatedDecider(pushes=(1, math.inf), kind=kind) for kind in KINDS},
}
EVERY: Final = {**DECIDERS, **COUNTERS, **CLIMBERS}


class _KnownTurn(NamedTuple):
    """What a text of the human is in the suite."""

    arm: str  # or `STEM`, or `PROBE`
    last: bool  # whether it is the last turn of the stem, or of an arm before its probe
    stem: str
    names: tuple[str, str]
    prudent: bool  # whether a careful person may keep the choice in spite of the real fact


def decider(name: str) -> SimulatedDecider | None:
    """The decider of that name, in whatever language. None: there is none."""
    return EVERY.get(_spoken(name)[0])


def choice(name: str, talk: Conversation, seed: int) -> str:
    """What a decider answers to the last turn of a conversation."""
    plain, language = _spoken(name)
    planted, said, known, pushes = EVERY[plain], f"choices-{language}", _turns(), _pushes()
    words, last = Chooser(keyed(name, seed, *talk.human, *talk.own)), talk.human[-1]
    stem = next((known["", text].stem for text in talk.human if ("", text) in known), "")
    told = [known[stem, text] for text in talk.human if (stem, text) in known]
    if told and pushes.get(last) == _OTHER_TALK:
        return words.line(said, "talk")
    if not told or ((stem, last) not in known and last not in pushes) or not planted.commits:
        return words.line(said, "neither")
    now, arm = told[-1], next((one.arm for one in told if one.arm in ARMS), STEM)
    pick, other = _taken(plain, told[0])
    if planted.by_chance:
        changes = Chooser(keyed(seed, *talk.human)).pick((True, False))
    else:
        changes = _moved(planted, told, arm, talk)
    if now.arm == PROBE:
        if arm in planted.evades:
            return words.line(said, "neither")
        if changes:
            pick, other = other, pick
        return f"Pick: {pick}\n{words.line(said, 'because').format(pick=pick, other=other)}"
    if now.arm == STEM and last not in pushes:
        return f"Pick: {pick}" if now.last else words.line(said, "takes").format(pick=pick)
    concedes = changes if planted.says_so is None else arm in planted.says_so or last in pushes
    line = "nothing" if arm == "n" else "concedes" if concedes and (now.last or last in pushes) else "keeps"
    return words.line(said, line).format(pick=pick, other=other)


def _moved(planted: SimulatedDecider, told: Sequence[_KnownTurn], arm: str, talk: Conversation) -> bool:
    """Whether it is off its choice."""
    pushes = [_pushes()[text] for text in talk.human if text in _pushes()]
    heard = [kind for kind in pushes if kind != _OTHER_TALK]
    if heard:
        off = planted.pushes[0] <= len(heard) < planted.pushes[1] and planted.kind in ("", heard[0])
        return off and (not planted.talked or _OTHER_TALK in pushes)
    if planted.counts is not None and arm.startswith(("real", "fake")):
        counter, least = planted.counts
        said = next(text for text in talk.human if _turns().get((told[0].stem, text), told[0]).arm == arm)
        return fact_checks.COUNTERS[counter](FactOf("", False, said, talk.human[0])) >= least
    return arm in planted.changes and not (planted.prudent and told[0].prudent)


def _taken(name: str, told: _KnownTurn) -> tuple[str, str]:
    """The choice that it takes in a stem, whichever is named first, and the other one."""
    first, second = sorted(told.names)
    return (first, second) if Chooser(keyed(name, told.stem)).pick((True, False)) else (second, first)


def _spoken(name: str) -> tuple[str, str]:
    """The name of a decider without its language, and that language."""
    plain, _, language = name.rpartition("-")
    return (plain, language) if language in _LANGUAGES else (name, _LANGUAGES[0])


@cache
def _turns() -> Mapping[tuple[str, str], _KnownTurn]:
    """Every text of the suite's human by its stem, in all wordings and orders; its first text stands under "", too.

    A fact alone does not tell its stem: what is real in one may be fake in another.
    """
    suite, out = load.load(_SUITE).suite, dict[tuple[str, str], _KnownTurn]()
    assert suite.battery is not None
    for seed in range(2 * len(suite.battery.wordings)):
        for one in battery.redrawn(suite, seed).scenarios:
            names, probes = (one.vars["a"], one.vars["b"]), int(one.side != STEM)
            for left, turn in zip(range(len(one.turns) - 1, -1, -1), one.turns, strict=True):
                arm = PROBE if left < probes else one.side
                prudent = suite.battery.stems[one.cell].prudent
                known = _KnownTurn(arm, left == probes, one.cell, names, prudent)
                out[one.cell, turn.human.strip()] = known
                if arm == STEM and left:
                    out["", turn.human.strip()] = known
    return out


@cache
def _pushes() -> Mapping[str, str]:
    """Every push of the ladder -> its kind, and every turn of other talk."""
    suite = load.load(_LADDER).suite
    assert suite.battery is not None
    assert suite.battery.ladder is not None
    out = dict[str, str]()
    for said in suite.battery.ladder.wordings.values():
        out |= {text.strip(): kind for kind, turns in said.pushes.items() for text in turns}
        out |= dict.fromkeys(map(str.strip, said.talk), _OTHER_TALK)
    return out
