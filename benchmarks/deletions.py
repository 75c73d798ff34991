"""Does a subject gain by a verdict that is missing? Published verdicts are deleted, and the board is made again.

One at a time, of every subject, complete or not; verdicts of a scenario that say the same are interchangeable, and one
of them stands for all. Then several at once. Nobody may get an index, a bound, a place, a rank, a tier or an interval
that is better or surer than before. A rank interval does get wider, at both ends: what is not known could be good.

Boards are made in both readings, after every `EVERY`-th of those deletions; `measure(every=1, sets=20)` makes all and
takes an hour.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from benchmarks import published_pool
from benchmarks.figure import Figure, Result, Skipped
from benchmarks.published import VARIABLE
from independence.report.board import board
from independence.report.board.board import InferenceOptions
from independence.report.board.board_data import BoardData
from independence.report.board.rows import Row
from independence.report.board.verdict_frame import PlannedVerdict
from independence.stats import index_uncertainty, ranks, single_runs, strict, subject_points
from independence.stats.estimates import Estimate

EVERY, SETS = 20, 1
SIZES = (2, 3, 4, 6, 10)  # of sets
SHARES, BOARDS = (0.01, 0.05, 0.1), 4  # of verdicts that are missing at random; boards for each
PRINTED = 0.1  # index points, below which intervals are alike: their widest completions are not searched for exactly
GAINS = ("an index", "a higher lower bound", "a better place", "a better rank", "a better tier", "a surer interval")
# Of deletions, that may leave a rank interval one rank shorter: a further hole raises the error of a subject that has
# some, and the degrees of freedom of that error by more. Fewer of these would make all rank intervals a quarter wider.
SURER = 0.02


class Deletion(NamedTuple):
    """Verdicts of one subject, by their position among its planned ones."""

    config: str
    gone: tuple[int, ...]
    verdicts: int  # that it stands for


class BoardPlace(NamedTuple):
    """A row and the position at which it is listed, from 0."""

    position: int
    row: Row


def measure(every: int = EVERY, sets: int = SETS) -> list[Result]:
    """How many deletions bring each gain; `sets` of several verdicts for each subject."""
    read = published_pool.study()
    if read is None:
        return [Skipped("deleted verdicts", f"{VARIABLE} does not name a folder with published verdicts")]
    rng = np.random.default_rng(20_261_122)
    deletions = {"one deleted": list(singles(read))[::every], "several deleted": list(several(read, rng, sets))}
    counted = [
        figure
        for reading in (index_uncertainty.THESE, index_uncertainty.LIKE_THESE)
        for name, own in deletions.items()
        for figure in _counted(f"{name}, {reading}", read, own, InferenceOptions(reading))
    ]
    return [*counted, *_ranked(read, rng, BOARDS)]


def _counted(name: str, read: BoardData, deletions: Sequence[Deletion], reading: InferenceOptions) -> list[Figure]:
    before, found, ranked = places(read, reading), Counter[str](), 0
    for one in deletions:
        after = places(without(read, one.config, one.gone), reading)[one.config]
        ranked += one.verdicts * (after.row.standing.rank_ci is not None)
        found.update(dict.fromkeys(gains(before[one.config], after), one.verdicts))
    count = sum(one.verdicts for one in deletions)
    detail = f"of {count:,} deletions, by {len(deletions):,} boards; {ranked:,} leave a rank interval"
    most = {gain: SURER * count if gain == GAINS[-1] else 0 for gain in GAINS}
    return [Figure(f"{name}: {gain}", found[gain], "", most[gain], "lower", detail) for gain in GAINS]


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
    return with_verdicts(read, {**read.planned, config: deleted(read.planned[config], gone)})


def deleted(own: Sequence[PlannedVerdict], gone: Collection[int]) -> list[PlannedVerdict]:
    """Planned verdicts without those at some positions."""
    return [cell._replace(values=None, missing="unjudged") if at in gone else cell for at, cell in enumerate(own)]


def with_verdicts(read: BoardData, planned: Mapping[str, Sequence[PlannedVerdict]]) -> BoardData:
    """The same place with other verdicts, by config_dir."""
    columns = strict.columns(planned)
    points = subject_points.points(read.frame, columns)
    again = {config: sheet for config, sheet in points.items() if index_uncertainty.repeated(sheet)}
    these, like_these = (
        dict(zip(again, made(list(again.values())), strict=True))
        for made in (index_uncertainty.these_scenarios, index_uncertainty.scenarios_like_these)
    )
    once = {config: single_runs.like_these(sheet) for config, sheet in points.items() if config not in again}
    return msgspec.structs.replace(
        read,
        columns=columns,
        planned=planned,
        scores=strict.scores(read.frame, columns),
        points=points,
        same_scenarios=these,
        new_scenarios=like_these,
        single_runs={config: one for config, one in once.items() if one is not None},
    )


def ranks_hold(
    read: BoardData, truth: Mapping[str, float], share: float, rng: np.random.Generator
) -> tuple[list[bool], list[int]]:
    """Of every rank interval once a share of the verdicts is deleted: whether it holds the place by `truth`, its width.

    `truth`: of everybody, by config_dir.
    """
    planned = {
        config: deleted(own, set(np.flatnonzero(rng.random(len(own)) < share).tolist()))
        for config, own in read.planned.items()
    }
    held, widths = list[bool](), list[int]()
    for row in board.of_data(with_verdicts(read, planned)).rows:
        if row.standing.rank_ci is not None:
            first, last = row.standing.rank_ci
            better, worse = (
                sum(sign * other > sign * truth[row.config] for other in truth.values()) for sign in (1, -1)
            )
            held.append(first <= len(truth) - worse and 1 + better <= last)
            widths.append(last - first + 1)
    return held, widths


def _ranked(read: BoardData, rng: np.random.Generator, boards: int) -> Iterator[Figure]:
    """Places among all complete subjects of several runs, where verdicts are missing at random."""
    known = read.only(list(read.same_scenarios))
    truth = {config: estimate.point for config, estimate in known.same_scenarios.items()}
    for share in SHARES:
        found = [ranks_hold(known, truth, share, rng) for _ in range(boards)]
        held, widths = ([one for own in part for one in own] for part in zip(*found, strict=True))
        detail = f"{boards} boards of {len(truth)}, {len(held)} intervals, {np.mean(widths):.1f} ranks wide in the mean"
        yield Figure(
            f"{share:.0%} missing: rank intervals hold the place", 100 * float(np.mean(held)), "%", 95, "higher", detail
        )


def places(read: BoardData, reading: InferenceOptions = board.DEFAULT) -> dict[str, BoardPlace]:
    """Where everybody stands, by config_dir."""
    rows = board.of_data(read, reading=reading).rows
    return {row.config: BoardPlace(at, row) for at, row in enumerate(rows)}


def gains(before: BoardPlace, after: BoardPlace) -> list[str]:
    """What a subject has after a deletion that it had not, or that is better than before."""
    old, new = before.row.main, after.row.main
    stood, stands = before.row.standing, after.row.standing
    found = (
        new.value is not None and new.value != old.value,
        ranks.rounded_index(_lowest(new)) > ranks.rounded_index(_lowest(old)),
        after.position < before.position,
        _better(stood.rank, stands.rank),
        _better(stood.tier, stands.tier),
        not _holds(new.interval, old.interval, PRINTED)
        or not _holds(stands.rank_bounds, stood.rank_bounds)
        or not _holds(stands.rank_ci, stood.rank_ci),
    )
    return [gain for gain, so in zip(GAINS, found, strict=True) if so]


def _lowest(index: Estimate) -> float:
    return (index.ends or (0.0, 0.0))[0]


def _better(before: int | None, after: int | None) -> bool:
    return after is not None and (before is None or after < before)


def _holds(after: tuple[float, float] | None, before: tuple[float, float] | None, nearly: float = 0.0) -> bool:
    """Whether an interval is gone, or no narrower at either end by more than `nearly`."""
    if after is None or before is None:
        return after is None
    return after[0] <= before[0] + nearly and before[1] <= after[1] + nearly
