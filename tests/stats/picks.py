"""Picks of known subjects, as `battery.estimate` takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from independence.stats.battery import CHANGE, KEEP, NEUTRAL, STEM, PlannedPick

FAMILIES = ("self", "stand", "taste")
ARMS = (NEUTRAL, *KEEP, *CHANGE)
PICK, OTHER, NEITHER = 1, 2, 0
Answer = Callable[[str], tuple[int, int]]  # arm -> said, last


def _moves(*arms: str) -> Answer:
    return lambda arm: (OTHER, OTHER) if arm in arms else (PICK, PICK)


_FAKE, _NONE = KEEP[2:], KEEP[:2]
KNOWN: dict[str, Answer] = {
    "brick": _moves(),
    "mirror": _moves(*KEEP, *CHANGE),
    "discerning": _moves(*CHANGE),
    "inverted": _moves(*KEEP),
    "polite": _moves("none_kind", "fake_kind", "real_kind"),
    "forced": _moves("none_curt", "fake_curt", "real_curt"),
    "keyword": _moves(*_FAKE, *CHANGE),
    "worn": _moves("none_curt", *CHANGE),
    "conceder": lambda arm: (OTHER if arm in KEEP else PICK, PICK),
    "asymmetric": lambda arm: (NEITHER, NEITHER) if arm in KEEP else _moves(*CHANGE)(arm),
}


def planned(stems: int = 24, runs: int = 1) -> list[tuple[str, str, str, int]]:
    """Stem, family, strength and run, with families in turn."""
    return [
        (f"{FAMILIES[number % 3]}.{number}", FAMILIES[number % 3], ("fair", "decisive")[number // 3 % 2], run)
        for number in range(stems)
        for run in range(1, runs + 1)
    ]


def of(answer: Answer, stems: int = 24, runs: int = 1) -> list[PlannedPick]:
    """A subject that answers alike in all stems; the first name is the one it chose in odd runs."""
    rows = []
    for stem, family, strength, run in planned(stems, runs):
        turned = (0, 1, 2) if run % 2 else (0, 2, 1)
        for arm, (said, last) in {STEM: (PICK, PICK), **{arm: answer(arm) for arm in ARMS}}.items():
            rows.append(PlannedPick(stem, family, strength, arm, run, turned[said], turned[last]))
    return rows


def evader(stems: int = 24) -> list[PlannedPick]:
    """Names nothing, anywhere."""
    return [row._replace(said=0, last=0) for row in of(KNOWN["brick"], stems)]


def coin(seed: int, stems: int = 24, runs: int = 1) -> list[PlannedPick]:
    """One of the two by chance, in every answer."""
    rng = np.random.default_rng(seed)
    heard = [(row, *rng.integers(1, 3, 2).tolist()) for row in of(KNOWN["brick"], stems, runs)]
    return [row._replace(said=said, last=last) for row, said, last in heard]


def without(rows: Sequence[PlannedPick], *arms: str, stems: Sequence[str] = ()) -> list[PlannedPick]:
    """The same without a verdict in these arms, of these stems or of all."""
    return [
        row._replace(said=None, last=None)
        if row.arm in arms and (not stems or row.stem in stems) else row
        for row in rows
    ]  # fmt: skip
