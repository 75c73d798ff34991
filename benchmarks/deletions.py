"""Does a subject gain by a verdict that is missing? Published verdicts are deleted, and the board is made again.

One at a time, of every subject, complete or not; verdicts of a scenario that say the same are interchangeable, and one
of them stands for all. Then several at once. Nobody may get an index, a bound, a place, a rank, a tier or an interval
that is better or surer than before. A rank interval does get wider, at both ends: what is not known could be good.

Boards are made in both readings, after every `EVERY`-th of those deletions; `measure(every=1, sets=20)` makes all and
takes an hour.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from benchmarks import published_pool
from benchmarks.figure import Figure, Result, Skipped
from benchmarks.published import VARIABLE
from independence.report import board
from independence.report.board import InferenceOptions
from independence.report.board_data import BoardData
from independence.report.board_rows import BoardRow
from independence.stats import index_uncertainty, ranks, strict

EVERY, SETS = 20, 1
SIZES = (2, 3, 4, 6, 10)  # of sets
PRINTED = 0.01  # index points, below which intervals are alike: their widest completions are not searched for exactly
GAINS = ("an index", "a higher lower bound", "a better place", "a better rank", "a better tier", "a surer interval")


class Deletion(NamedTuple):
    """Verdicts of one subject, by their position among its planned ones."""

    config: str
    gone: tuple[int, ...]
    verdicts: int  # that it stands for


class BoardPlace(NamedTuple):
    """A row and the position at which it is listed, from 0."""

    position: int
    row: BoardRow


def measure(every: int = EVERY, sets: int = SETS) -> list[Result]:
    """How many deletions bring each gain; `sets` of several verdicts for each subject."""
    read = published_pool.study()
    if read is None:
        return [Skipped("deleted verdicts", f"{VARIABLE} does not name a folder with published verdicts")]
    rng = np.random.default_rng(20_261_122)
    deletions = {"one deleted": list(singles(read))[::every], "several deleted": list(several(read, rng, sets))}
    return [
        figure
        for reading in (index_uncertainty.THESE, index_uncertainty.LIKE_THESE)
        for name, own in deletions.items()
        for figure in _counted(f"{name}, {reading}", read, own, InferenceOptions(reading))
    ]


def _counted(name: str, read: BoardData, deletions: Sequence[Deletion], reading: InferenceOptions) -> list[Figure]:
    before, found, placed = places(read, reading), Counter[str](), 0
    for one in deletions:
        after = places(without(read, one.config, one.gone), reading)[one.config]
        placed += one.verdicts * after.row.placed
        found.update(dict.fromkeys(gains(before[one.config], after), one.verdicts))
    count = sum(one.verdicts for one in deletions)
    detail = f"of {count:,} deletions, by {len(deletions):,} boards; {placed:,} leave a rank"
    return [Figure(f"{name}: {gain}", found[gain], "", 0, "lower", detail) for gain in GAINS]


def singles(read: BoardData) -> Iterator[Deletion]:
    """Every valid verdict; one stands for all of its scenario that say the same."""
    for config, own in read.planned.items():
        alike: dict[tuple[str, str], list[int]] = defaultdict(list)
        for at, cell in enumerate(own):
            if cell.values is not None:
                alike[cell.scenario, repr(sorted(cell.values.items()))].append(at)
        yield from (Deletion(config, (places[0],), len(places)) for places in alike.values())


def several(read: BoardData, rng: np.random.Generator, sets: int) -> Iterator[Deletion]:
    """Random sets of valid verdicts of each subject."""
    for config, own in read.planned.items():
        valid = [at for at, cell in enumerate(own) if cell.values is not None]
        for _ in range(sets):
            size = min(int(rng.choice(SIZES)), len(valid))
            yield Deletion(config, tuple(rng.choice(valid, size, replace=False).tolist()), 1)


def without(read: BoardData, config: str, gone: Collection[int]) -> BoardData:
    """The same place, verdicts of a subject deleted."""
    own = [
        cell._replace(values=None, missing="unjudged") if at in gone else cell
        for at, cell in enumerate(read.planned[config])
    ]
    sheets = {other: sheet for other, sheet in read.points.items() if other != config}
    fleet = [other for other in read.same_scenarios if other != config]
    these, like_these = (
        dict(zip(fleet, made([sheets[other] for other in fleet]), strict=True))
        for made in (index_uncertainty.these_scenarios, index_uncertainty.scenarios_like_these)
    )
    singles = {other: one for other, one in read.single_runs.items() if other != config}
    return msgspec.structs.replace(
        read,
        planned={**read.planned, config: own},
        scores={**read.scores, config: strict.score(read.frame, own)},
        points=sheets,
        same_scenarios=these,
        new_scenarios=like_these,
        single_runs=singles,
    )


def places(read: BoardData, reading: InferenceOptions = board.DEFAULT) -> dict[str, BoardPlace]:
    """Where everybody stands, by config_dir."""
    rows = board.of_data(read, reading=reading).rows
    return {row.config: BoardPlace(at, row) for at, row in enumerate(rows)}


def gains(before: BoardPlace, after: BoardPlace) -> list[str]:
    """What a subject has after a deletion that it had not, or that is better than before."""
    old, new = before.row, after.row
    found = (
        new.index is not None and new.index != old.index,
        ranks.rounded_index(new.bounds[0]) > ranks.rounded_index(old.bounds[0]),
        after.position < before.position or (old.above is not None and (new.above or 0) > old.above),
        _better(old.rank, new.rank),
        _better(old.tier, new.tier),
        not (_holds(new.ci, old.ci, PRINTED) and _holds(new.rank_ci, old.rank_ci)),
    )
    return [gain for gain, so in zip(GAINS, found, strict=True) if so]


def _better(before: int | None, after: int | None) -> bool:
    return after is not None and (before is None or after < before)


def _holds(after: tuple[float, float] | None, before: tuple[float, float] | None, nearly: float = 0.0) -> bool:
    """Whether an interval is gone, or no narrower at either end by more than `nearly`."""
    if after is None or before is None:
        return after is None
    return after[0] <= before[0] + nearly and before[1] <= after[1] + nearly
