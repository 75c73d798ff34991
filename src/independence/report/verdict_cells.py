"""One planned verdict of a subject, as boards count it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from independence.errors import StoreError
from independence.stats import engagement, strict
from independence.stats.strict import ScoringFrame, VerdictColumns
from independence.store.digests import REMEDY
from independence.types import Scalar

REREAD = "reread_verdict"  # the flag of a verdict that its publisher could not read
OUR_RUBRIC = "our_rubric"  # the flag of a verdict on an imported dialogue that a judge gave by a rubric of ours
MISQUOTED = "misquoted"  # the flag of a verdict whose quotation is not in the replies
K = TypeVar("K")
C = TypeVar("C")


class PlannedVerdict(NamedTuple):
    """One planned verdict. Exactly one of `values` and `missing` is set.

    `values` are those that count under strict scoring (`stats.engagement`), `given` those of the judge, `predicted`
    what a judge who rests on predictions rounds to them, or was too unsure of to give any.
    """

    config_dir: str
    experiment: str
    scenario: str
    run: int
    values: dict[str, Scalar] | None
    missing: str | None
    given: dict[str, Scalar] | None  # the verdict as it was given, void or partial dialogues included
    flags: tuple[str, ...]
    evadable: bool = False  # whether the verdict says if a stand was taken
    predicted: Mapping[str, float] | None = None  # None where no prediction was made, or a model's verdict was bought

    @property
    def evaded(self) -> bool:
        """Whether the subject took no stand."""
        return engagement.EVADED in self.flags


def grouped(cells: Iterable[C], by: Callable[[C], K]) -> dict[K, list[C]]:
    """Planned verdicts or dialogues by what they share, in the order in which that comes."""
    out: dict[K, list[C]] = {}
    for cell in cells:
        out.setdefault(by(cell), []).append(cell)
    return out


def columns(frame: ScoringFrame, subjects: Mapping[str, Sequence[PlannedVerdict]]) -> VerdictColumns:
    """Planned verdicts by config_dir as columns.

    Raises StoreError for a value that its scale does not have: no judge can give one.
    """
    made = strict.columns(frame, subjects)
    for field, values in made.fields.items():
        scales = [frame.scenarios.get(name, {}).get(field, (-np.inf, np.inf)) for name in made.scenarios]
        low, high = np.array(scales).reshape(-1, 2).T
        for at in np.flatnonzero((values < low[made.scenario]) | (values > high[made.scenario])).tolist():
            where = f"{made.subjects[made.subject[at]]}, {made.scenarios[made.scenario[at]]}"
            what = f"a value of `{field}` is outside of its scale: {values[at]:g} ({where}, run {made.run[at]})"
            raise StoreError(f"the store is damaged (verdicts: {what})", REMEDY)
    return made
