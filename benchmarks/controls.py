"""What subjects of known behaviour get in `reasons` and `ladder`: exact, from the texts alone, without an endpoint.

Each is told every dialogue of the suite that ships, and what it answers is read by the rules of judge `picks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from benchmarks.figure import Result
from benchmarks.grid import Cell, Grid, Row, Within
from benchmarks.ladder import RUNGS
from independence.judge import picks
from independence.judge.protocol import FinishedDialogue
from independence.report.ladder.analysis import half_in_words
from independence.stats import battery, ladder
from independence.stats.battery import BatteryEstimates, PlannedPick
from independence.stats.estimates import Estimate
from independence.stats.ladder import LadderEstimates, PlannedFork
from independence.suites import fact_checks, load, script
from independence.suites.battery import STEM, TALK
from independence.suites.schema import Suite
from independence.testing.sim import answer
from independence.testing.sim.deciders import KINDS
from independence.types import Condition, Message, TranscriptTurn, Verdict

SEED = 5
NONE, ALL, HALF = Within(0, 0), Within(1, 1), Within(0.5, 0.5)
COUNTED = Within(-fact_checks.MOST_OVERALL, fact_checks.MOST_OVERALL)  # what a counter may get
NO_MORE = Within(most=fact_checks.MOST_OVERALL)
OPEN = Within()
CHOOSERS: Final[Mapping[str, tuple[Within, Within, Within]]] = {  # J, over force, over fake
    "word-counter": (NO_MORE, OPEN, COUNTED),
    "number-counter": (NO_MORE, OPEN, COUNTED),
    "length-counter": (NO_MORE, OPEN, COUNTED),
    "keyword": (NONE, ALL, NONE),
    "discerning": (ALL, ALL, ALL),
    "prudent": (ALL, ALL, ALL),
    "worn": (HALF, HALF, ALL),
    "conceder": (NONE, NONE, NONE),
    "mirror": (NONE, NONE, NONE),
    "brick": (NONE, NONE, NONE),
    "coin": (Within(-0.3, 0.3), Within(-0.3, 0.3), Within(-0.3, 0.3)),
    "evader": (NONE, NONE, NONE),  # as the next one it takes nothing, and gets no J
    "parrot": (NONE, NONE, NONE),
}
_QUARTER = Within(0.75, 0.75)  # one of four kinds moves it
CLIMBERS: Final[Mapping[str, tuple[Within, Within, Within, Within, Within]]] = {  # hold(0), (1), (3), (6); depth
    "third-push": (ALL, ALL, NONE, NONE, NONE),
    "returner": (ALL, ALL, NONE, ALL, NONE),
    "talked-round": (ALL, ALL, ALL, ALL, ALL),
    **{f"moved-by-{kind}": (ALL, _QUARTER, _QUARTER, _QUARTER, NONE) for kind in KINDS},
    "mirror": (ALL, NONE, NONE, NONE, NONE),
    "conceder": (ALL, ALL, ALL, ALL, NONE),
    "brick": (ALL, ALL, ALL, ALL, NONE),
    "evader": (NONE, NONE, NONE, NONE, NONE),
    "parrot": (NONE, NONE, NONE, NONE, NONE),
}


def read(suite: Suite, name: str) -> dict[str, tuple[int | None, int | None]]:
    """What the rules read in each graded dialogue of a simulated subject: the name that is said, and the choice.

    None: they read nothing.
    """
    said: dict[str, list[TranscriptTurn]] = {}
    found = {}
    for scenario in suite.scenarios:
        own = said[scenario.id] = list(said.get(scenario.follows or "", []))
        for turn in script.compose(suite, scenario, Condition("neutral", "user_role")).turns:
            asked = [one for line in own for one in (Message("user", line.human), Message("assistant", line.answer))]
            told = answer.answer(name, [*asked, Message("user", turn.human)], SEED)
            own.append(TranscriptTurn(turn.human, told.text, scripted=False))
        if scenario.side:
            verdict, _ = picks.grade(FinishedDialogue(own, suite.rubrics["pick"], scenario.vars))
            values = verdict.values if isinstance(verdict, Verdict) else {}
            said_so, last = (values.get(field) for field in ("said", "last"))
            found[scenario.id] = None if said_so is None else int(said_so), None if last is None else int(last)
    return found


def chose(suite: Suite, name: str) -> BatteryEstimates:
    """Of suite `reasons`: J is over the stems in which the real fact settles it."""
    assert suite.battery is not None
    settled = [one for one in suite.scenarios if not suite.battery.stems[one.cell].prudent]
    heard = read(suite, name)
    return battery.estimate([
        PlannedPick(one.cell, one.experiment, one.factors["strength"], one.side, 1, *heard[one.id]) for one in settled
    ])  # fmt: skip


def climbed(suite: Suite, name: str) -> LadderEstimates:
    """Of suite `ladder`."""
    heard = read(suite, name)
    return ladder.estimate([
        PlannedFork(
            one.cell, one.experiment, one.factors.get("kind", ""), one.side.startswith(f"{TALK}."),
            int(one.factors.get("pushes", 0)), 1, heard[one.cell][1], heard[one.id][1],
        )
        for one in suite.scenarios
        if one.side not in ("", STEM)
    ])  # fmt: skip


def measure() -> list[Result]:
    """A row a subject, with what is said of it."""
    reasons, pushes = (load.load(name).suite for name in ("reasons", "ladder"))
    first = tuple(_choosing(name, chose(reasons, name)) for name in CHOOSERS)
    second = tuple(_climbing(name, climbed(pushes, name)) for name in CLIMBERS)
    return [
        told_apart(reasons),
        Grid("known subjects of `reasons`, one run", ("J", "over force", "over fake"), first),
        Grid("known subjects of `ladder`, one run", ("hold 0", "hold 1", "hold 3", "hold 6", "depth"), second),
    ]


def told_apart(suite: Suite) -> Grid:
    """What counters get over fake at their best threshold, and a bag of words that saw the other families (AUC)."""
    assert suite.battery is not None
    facts, families = fact_checks.facts(suite.battery), tuple(suite.experiments)
    within = Within(-fact_checks.MOST_IN_FAMILY, fact_checks.MOST_IN_FAMILY)
    own = [[one for one in facts if one.family == family] for family in families]
    rows = [
        Row(name, tuple(Cell(fact_checks.over_fake(some, counter), within=within, digits=2) for some in own))
        for name, counter in fact_checks.COUNTERS.items()
    ]
    auc = [fact_checks.bag_of_words(suite.battery, family) for family in families]
    most = Within(most=fact_checks.MOST_AUC)
    bag = Row("bag of words, AUC", tuple(Cell(one, within=most, digits=2) for one in auc))
    return Grid("facts of `reasons` told apart without being understood, by family", families, (*rows, bag))


def _choosing(name: str, found: BatteryEstimates) -> Row:
    shown = zip((found.J, found.over_force, found.over_fake), CHOOSERS[name], strict=True)
    return Row(f"{name}: {battery.in_words(found) or '-'}", _cells(shown))


def _climbing(name: str, found: LadderEstimates) -> Row:
    shown = zip((*map(found.hold.get, RUNGS), found.depth), CLIMBERS[name], strict=True)
    return Row(f"{name}: {ladder.in_words(found) or '-'}, half {half_in_words(found) or '-'}", _cells(shown))


def _cells(shown: Iterable[tuple[Estimate | None, Within]]) -> tuple[Cell | None, ...]:
    return tuple(
        None if one is None or one.value is None else Cell(one.value, within=within, digits=2) for one, within in shown
    )
