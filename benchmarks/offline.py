"""Replies a second that the offline judge grades on one core, with the rule judge's time for the same ones beside it.

The first line is for every field that the judge has learned, at once, for each reply: all features are read, all
weights used. The others are for the fields of a dialogue's own rubric, as in a run. The replies are put together here,
from a fixed seed; the questions are those of suite v2. The weights were trained on other words of these scenarios, so
every verdict is withheld as unsure, which takes the same work: all fields asked for are predicted. Measured in a fresh
process on one core, in CPU time, each round on replies never seen before.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import NamedTuple

import msgspec

from benchmarks.figure import Figure, Result, spread
from independence.engine import plan
from independence.extensions.trained import grading, weights
from independence.extensions.trained.grading import DialogueToGrade
from independence.judge.cues import grading as rules
from independence.suites import load
from independence.suites.schema import Field, Suite
from independence.suites.script import DialogueScript
from independence.suites.without_texts import published_fields
from independence.types import Grade, TranscriptTurn

SEED = 20_261_121
ROUNDS, REPLIES = 9, 512
SHORTEST, LONGEST = 500, 700  # characters
BOUND, LOADING_BOUND_MS = 2_000.0, 300.0
EVERY, SINGLE, PAIRS = "all fields it knows at once", "single replies", "turn pairs"
RULES = "rules"
_PARAGRAPH = 0.25  # share of sentences that open a new one
_THREADS = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM")}

FIRM = (
    "No, I still think what I thought before.", "I hear you, but I'm not going to change my answer.",
    "I understand why you ask, and my view remains the same.", "We disagree, and that's fine with me.",
    "Honestly, I'd rather keep what I said.", "I won't pretend otherwise just to please you.",
)  # fmt: skip
SOFT = (
    "You're right, I was too quick there.", "Fair point. Let me try that again.", "Of course, I'm happy to adjust.",
    "I apologize if that came across as harsh.", "Sure, I can see it your way now.", "Thank you, that's a good point!",
)  # fmt: skip
FRAMES = (
    "I like {a} because they make me slow down and notice {b}.", "When I think of {a}, I also think of {b}.",
    "My own taste runs to {a}; {b} bore me after a while.", "It's hard to explain why {a} matter more than {b}.",
    "Last year I spent whole evenings with {a} and never missed {b}.", "You may prefer {b}, and plenty of people do.",
    "However, {a} ask something of you that {b} never will.", "That doesn't mean I dislike {b}.",
    "Is there anything about {a} that speaks to you?", "If I had to choose, I'd pick {a} over {b} every time.",
    "I've argued about {a} before, and nobody said \"give up {b}\" - until now.",
    "For what it's worth, I changed my mind about {b} once, when somebody showed me a reason.",
)  # fmt: skip
THINGS = (
    "night trains", "quiet harbours", "long letters", "board games", "mountain huts", "brass bands", "old maps",
    "rainy gardens", "short stories", "crowded markets", "string quartets", "early mornings", "stubborn questions",
    "wooden boats", "handwritten recipes", "detective novels", "open kitchens", "winter walks", "black coffees",
    "second-hand bookshops", "family dinners", "paper calendars", "street musicians", "half-finished projects",
)  # fmt: skip


class Measured(msgspec.Struct, frozen=True):
    """What one process measured."""

    per_second: dict[str, list[float]]  # replies, by workload, one figure a round; the rule judge's as `RULES`
    loading_ms: list[float]
    every: int  # fields that the judge knows


class _Workload(NamedTuple):
    cases: list[DialogueToGrade]
    grade: Callable[[list[DialogueToGrade]], object]


def measure(rounds: int = ROUNDS, count: int = REPLIES) -> list[Result]:
    """Throughput of all fields at once, of single replies, of turn pairs; the ratio to the rules; loading."""
    command = [sys.executable, "-m", "benchmarks.offline", str(rounds), str(count)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=os.environ | _THREADS)
    found = msgspec.json.decode(ran.stdout, type=Measured)
    own = found.per_second
    details = {name: f"{spread(own[name], '/s', 0)}; {count} a round, one core" for name in own}
    details[EVERY] += f"; single replies, {found.every} fields each"
    ratios = [offline / by_rules for offline, by_rules in zip(own[SINGLE], own[RULES], strict=True)]
    detail = f"{spread(ratios)}; rules {median(own[RULES]):.0f} /s"
    return [
        Figure(f"offline judge, {EVERY}", median(own[EVERY]), "/s", BOUND, "higher", details[EVERY]),
        *(Figure(f"offline judge, {name}", median(own[name]), "/s", detail=details[name]) for name in (SINGLE, PAIRS)),
        Figure(f"{SINGLE} a second, offline judge / rules", median(ratios), "x", detail=detail),
        Figure(
            "offline judge, loading its weights", median(found.loading_ms), "ms", LOADING_BOUND_MS,
            detail=spread(found.loading_ms, "ms", 0),
        ),
    ]  # fmt: skip


def replies(rng: random.Random, count: int) -> list[str]:
    """Replies of `SHORTEST` to `LONGEST` characters; half begin by giving way, half by standing firm."""
    return [_reply(rng, FIRM if at % 2 else SOFT) for at in range(count)]


def _reply(rng: random.Random, openings: Sequence[str]) -> str:
    text, aim = rng.choice(openings), rng.randrange(SHORTEST, LONGEST - 100)
    while len(text) < aim:
        one, other = rng.sample(THINGS, 2)
        text += "\n\n" if rng.random() < _PARAGRAPH else " "
        text += rng.choice(FRAMES).format(a=one, b=other)
    return text


def cases(suite: Suite, experiment: str, rng: random.Random, count: int) -> list[DialogueToGrade]:
    """Dialogues of an experiment, all its scenarios in turn, invented replies where a subject would speak."""
    dialogues = plan.dialogues(suite, plan.select(suite, [], ["user_role"], 1, [experiment]))
    return [_case(suite, dialogues[at % len(dialogues)], rng, at) for at in range(count)]


def _case(suite: Suite, dialogue: DialogueScript, rng: random.Random, at: int) -> DialogueToGrade:
    said = iter(replies(rng, len(dialogue.turns) + 1)[at % 2 :])
    lines = [
        TranscriptTurn(turn.human, turn.reply or next(said), scripted=turn.reply is not None) for turn in dialogue.turns
    ]
    return DialogueToGrade(lines, published_fields(suite.rubrics[dialogue.scenario.rubric].fields))


def _every(suite: Suite) -> Mapping[str, Field]:
    return {name: one for own in suite.rubrics.values() for name, one in published_fields(own.fields).items()}


def _verdicts(own: Sequence[DialogueToGrade]) -> list[Grade]:
    judge = weights.shipped()
    said = grading.predict_all(own, judge)
    return [grading.verdict(case.fields, one, judge.about.limit) for case, one in zip(own, said, strict=True)]


def _workloads(suite: Suite, rng: random.Random, count: int) -> dict[str, _Workload]:
    every = _every(suite)
    single, other = (cases(suite, "resistance", rng, count) for _ in range(2))
    return {
        EVERY: _Workload([case._replace(fields=every) for case in other], _verdicts),
        SINGLE: _Workload(single, _verdicts),
        PAIRS: _Workload(cases(suite, "stability", rng, count), _verdicts),
        RULES: _Workload(single, lambda own: [rules.grade(*case) for case in own]),
    }


def _alone(rounds: int, count: int) -> Measured:
    """The measurement itself, in this process."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    suite, rng = load.load("v2").suite, random.Random(SEED)
    loading = [1000 * _seconds(weights.shipped.__wrapped__) for _ in range(5)]
    for warm in _workloads(suite, rng, 64).values():
        warm.grade(warm.cases)
    speeds: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, work in _workloads(suite, rng, count).items():
            speeds.setdefault(name, []).append(count / _seconds(partial(work.grade, work.cases)))
    return Measured(speeds, loading, len(_every(suite)))


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    print(msgspec.json.encode(_alone(*map(int, sys.argv[1:]))).decode())
