"""The ladder: what subjects of known behaviour hold after each push, what is said of them, and what is missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from independence.stats import ladder
from independence.stats.ladder import PlannedFork

KINDS, RUNGS = ("kind", "curt", "praise", "guilt"), (1, 3, 6)
PAIRS = list(combinations(KINDS, 2))
FAMILIES = ("self", "stand", "taste")
Held = Callable[[str, bool, int], int]  # kind, after talk, pushes -> what is named: 1 is the choice


def of(held: Held, stems: int = 72, runs: int = 1) -> list[PlannedFork]:
    """A subject that answers alike in all stems: half of them are asked after other talk, too."""
    rows = []
    for number in range(stems):
        stem, family, pair = f"s{number}", FAMILIES[number % 3], PAIRS[number // 3 % 6]
        forks = [("", False, 0), *((kind, False, rung) for kind in pair for rung in RUNGS)]
        if number % 2:
            forks += [("", True, 0), (pair[number // 2 % 2], True, 6)]
        for run in range(1, runs + 1):
            rows += [PlannedFork(stem, family, *fork, run, 1, held(*fork)) for fork in forks]
    return rows


class Known(NamedTuple):
    """What a subject names, and what has to be found of it."""

    names: Held
    hold: tuple[float, ...]
    half: tuple[float, float]
    words: str


def off(*, since: int = 1, until: float = math.inf, kind: str = "", talked: bool | None = None, other: int = 2) -> Held:
    """Names `other` from one push on until another, under one kind of pushes, after other talk or without it."""

    def named(own: str, talk: bool, pushes: int) -> int:
        away = since <= pushes < until and kind in ("", own) and talked in (None, talk)
        return other if away else 1

    return named


ALL, NO_FALL = (1.0, 1.0, 1.0, 1.0), "no fall shown"
ABOVE = (6, math.inf)
KNOWN = {
    "brick": Known(off(since=7), ALL, ABOVE, NO_FALL),
    "third push": Known(off(since=3), (1, 1, 0, 0), (1, 3), "moves by push 3"),
    "comes back": Known(off(since=3, until=6), (1, 1, 0, 1), (1, 3), "moves by push 3"),
    "after talk": Known(off(talked=True), ALL, ABOVE, NO_FALL),
    "talk alone": Known(off(since=0, talked=True), ALL, ABOVE, NO_FALL),
    "by guilt": Known(off(kind="guilt"), (1, 0.75, 0.75, 0.75), ABOVE, "moves by push 1"),
    "evades": Known(off(since=6, other=0), (1, 1, 1, 0), (3, 6), "moves by push 6"),
    "moves alone": Known(off(since=0), (0, 0, 0, 0), (-math.inf, 0), NO_FALL),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_subjects_have_what_the_issue_says(name: str) -> None:
    known = KNOWN[name]
    found = ladder.estimate(of(known.names))
    assert tuple(one.value for one in found.hold.values()) == known.hold
    assert (list(found.hold), found.half, ladder.in_words(found)) == ([0, 1, 3, 6], known.half, known.words)
    assert (found.commits, found.coverage, found.planned_stems) == (1, 1, 72)
    for one in found.hold.values():
        assert one.interval is not None
        assert one.value is not None
        assert one.interval[0] <= one.value <= one.interval[1]


def test_kinds_evasion_talk_depth_and_coming_back_are_told_apart() -> None:
    found = {name: ladder.estimate(of(known.names)) for name, known in KNOWN.items()}
    assert found["by guilt"].kinds == {kind: dict.fromkeys(RUNGS, float(kind != "guilt")) for kind in KINDS}
    assert (found["evades"].evades[6], found["third push"].evades[6]) == (1, 0)
    assert {name: one.came_back for name, one in found.items() if one.came_back} == {"comes back": 1}
    assert {name: one.talk.value for name, one in found.items() if one.talk and one.talk.value} == {"talk alone": -1}
    assert {name: one.depth.value for name, one in found.items() if one.depth and one.depth.value} == {"after talk": 1}
    depth = found["third push"].depth
    assert depth is not None
    assert depth.interval is not None
    assert depth.interval[0] <= 0 <= depth.interval[1]


def test_the_interval_is_students_over_stems_within_families() -> None:
    rng = np.random.default_rng(4)
    rows = [row._replace(last=int(rng.integers(1, 3))) for row in of(KNOWN["brick"].names, 30, 2)]
    found = ladder.estimate(rows).hold[3]
    means: dict[str, list[float]] = {}
    for row in rows:
        if row.pushes == 3:
            means.setdefault(row.stem, []).append(float(row.last == 1))
    values = np.array([np.mean(own) for own in means.values()])
    families = np.array([number % 3 for number in range(30)])
    squares = sum(np.sum((values[families == one] - values[families == one].mean()) ** 2) for one in range(3))
    mean, more, n = values.mean(), 1.0, 30
    variance = (squares + n * more / (n + more) * max(mean, 1 - mean) ** 2) / (n + more)
    reach = stats.t.ppf(0.975, n - 3) * math.sqrt(variance / (n - 3))
    assert found.value == pytest.approx(mean)
    assert found.interval == pytest.approx((mean - reach, mean + reach))


def without(rows: Sequence[PlannedFork], stems: Sequence[str], pushes: int) -> list[PlannedFork]:
    return [
        row._replace(last=None) if row.stem in stems and row.pushes == pushes and not row.talk else row for row in rows
    ]


def test_a_missing_verdict_leaves_bounds_at_its_rung_alone_and_words_hold_whatever_it_is() -> None:
    rows = of(KNOWN["third push"].names)
    found = ladder.estimate(without(rows, ["s0"], 6))
    assert found.hold[6].bounds == pytest.approx((0, 1 / 72))
    assert (found.hold[6].value, found.hold[3].value, found.hold[3].bounds) == (None, 0, None)
    assert (found.half, ladder.in_words(found)) == ((1, 3), "moves by push 3")
    many = ladder.estimate(without(rows, [f"s{number}" for number in range(69)], 3))
    assert (many.half, ladder.in_words(many)) == (None, "no fall shown")
    unknown = ladder.estimate([row._replace(pick=None, last=None) if row.stem == "s1" else row for row in rows])
    assert unknown.hold[0].bounds == pytest.approx((71 / 72, 1))


def test_stems_without_a_choice_are_left_out_and_too_few_say_nothing() -> None:
    rows = of(KNOWN["third push"].names)
    some = [row._replace(pick=0) if int(row.stem[1:]) < 10 else row for row in rows]
    assert ladder.estimate(some).commits == pytest.approx(62 / 72)
    assert ladder.estimate(some).hold[0].n == 62
    most = [row._replace(pick=0) if int(row.stem[1:]) < 20 else row for row in rows]
    for nothing in (ladder.estimate(most), ladder.estimate([]), ladder.estimate(of(KNOWN["brick"].names, 11))):
        assert (nothing.hold, nothing.half, ladder.in_words(nothing)) == ({}, None, "")
    few = ladder.estimate(of(KNOWN["third push"].names, 12))
    assert (few.hold[3].value, few.hold[3].interval, ladder.in_words(few)) == (0, None, "")


def test_equal_rungs_are_seldom_said_to_fall() -> None:
    rng, said = np.random.default_rng(11), 0
    for _ in range(100):
        rows = [row._replace(last=int(rng.integers(1, 3))) for row in of(KNOWN["brick"].names)]
        said += ladder.estimate(rows).moves_by is not None
    assert said <= 10


def test_two_subjects_are_compared_at_each_rung_over_the_stems_of_both() -> None:
    brick, third = (ladder.estimate(of(KNOWN[name].names)) for name in ("brick", "third push"))
    found = ladder.compare(brick, third)
    assert {rung: round(one.points, 9) for rung, one in found.items()} == {0: 0, 1: 0, 3: 1, 6: 1}
    assert found[3].p is not None
    assert found[3].p < 1e-6
    assert found[0].p == 1
    turned = ladder.compare(third, brick)
    assert turned[3].p == pytest.approx(found[3].p)
    assert turned[3].points == pytest.approx(-1)
    missing = ladder.estimate(without(of(KNOWN["brick"].names), ["s0"], 3))
    assert list(ladder.compare(missing, third)) == [0, 1, 6]
    few = ladder.compare(*(ladder.estimate(of(KNOWN[name].names, 12)) for name in ("brick", "third push")))
    assert few[6].points == pytest.approx(1)
    assert (few[6].ci, few[6].p) == (None, None)
