"""Strict scores of many subjects at once: what `strict.score` and `strict.index_of` give for each, to the last digit.

Sums run over scenarios and runs in the order in which those add them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from independence.stats.strict import ScoringFrame, StrictRow
from independence.stats.verdict_columns import Array, Mask, SubjectBlock, VerdictColumns, blocks


class FleetScore(NamedTuple):
    """One subject."""

    strict: StrictRow
    evadable: int  # verdicts that say if a stand was taken
    evaded: int  # those by which none was
    evadable_and_evaded: int
    engaged: float | None  # index of the dialogues in which it took a stand; None where a dimension has none


class _Block(NamedTuple):
    """Subjects of one plan with what their verdicts say of each dimension, (n, m) each."""

    frame: ScoringFrame
    own: SubjectBlock
    values: Mapping[str, Array]

    def dimension(self, name: str, keep: Mask, fill: bool | None = None) -> Array:
        """Mean over scenarios of the mean over runs of the verdicts to `keep` (n, m), (n,); NaN without any.

        `fill`: those not kept, and scenarios without a plan, take the high or low end of their fields.
        """
        values, total, count = self.values[name], np.zeros(len(keep)), np.zeros(len(keep))
        for scenario in self.frame.members[name]:
            places = self.own.places.get(scenario, ())
            end = None if fill is None else self._end(name, scenario, high=fill)
            if end is not None and not places:
                total, count = total + end, count + 1
                continue
            own, there = np.zeros(len(keep)), np.zeros(len(keep))
            for at in places:
                kept = keep[:, at]
                own = own + np.where(kept, values[:, at], 0.0 if end is None else end)
                there = there + (kept if end is None else 1)
            with np.errstate(invalid="ignore"):
                total = total + np.where(there > 0, own / there, 0.0)
            count = count + (there > 0)
        with np.errstate(invalid="ignore"):
            return total / count

    def _end(self, name: str, scenario: str, *, high: bool) -> float:
        fields = self.frame.index.dimensions[name].fields
        return sum(self.frame.scenarios[scenario][field][int(high)] for field in fields)

    def indices(self, keep: Mask, fill: str | None = None) -> Array:
        """The index of the verdicts to `keep`, (n,); the others at the `worst` or `best` end, or left out."""
        whole = np.zeros(len(keep))
        for part in self.frame.index.components:
            high = None if fill is None else (part.best > part.worst) == (fill == "best")
            total = np.zeros(len(keep))
            for name in part.dimensions:
                total = total + self.dimension(name, keep, high)
            whole = whole + part.weight * ((total - part.worst) / (part.best - part.worst))
        return 100 * whole


def scores(frame: ScoringFrame, columns: VerdictColumns) -> dict[str, FleetScore]:
    """Every subject's score, in the order of the columns."""
    out: dict[str, FleetScore] = {}
    for own in blocks(columns):
        dimensions = frame.index.dimensions
        values = {name: own.dimension(columns, one, frame.members[name]) for name, one in dimensions.items()}
        out |= _scored(_Block(frame, own, values), columns)
    return {subject: out[subject] for subject in columns.subjects if subject in out}


def _scored(block: _Block, columns: VerdictColumns) -> dict[str, FleetScore]:
    frame, own, there = block.frame, block.own, ~block.own.missing
    planned = all(name in own.places for members in frame.members.values() for name in members)
    valid = there.sum(axis=1)
    complete = (valid == there.shape[1]) & planned
    index = np.where(complete, block.indices(there), np.nan)
    low, high = (np.where(complete, index, end).tolist() for end in _bounds(block, there, complete))
    whole, by_run = _runs(block, there)
    engaged = _engaged(block, columns, there)
    dimensions = {name: _dimension(block, name, there) for name in frame.index.dimensions}
    evadable, evaded = columns.evadable[own.rows], columns.evaded[own.rows]
    could, did, both = (one.sum(axis=1).tolist() for one in (evadable, evaded, evadable & evaded))
    fewest = min(map(len, own.places.values()))
    rows = zip(own.subjects, complete.tolist(), index.tolist(), low, high, valid.tolist(), engaged, strict=True)
    return {
        subject: FleetScore(
            StrictRow(
                one if sure else None,
                (least, most),
                runs=fewest,
                complete_runs=int(whole[at].sum()),
                coverage=count / there.shape[1],
                per_run=tuple(by_run[at][whole[at]].tolist()) if planned else (),
                dimensions={name: found[at] for name, found in dimensions.items()},
            ),
            evadable=could[at],
            evaded=did[at],
            evadable_and_evaded=both[at],
            engaged=taken,
        )
        for at, (subject, sure, one, least, most, count, taken) in enumerate(rows)
    }


def _bounds(block: _Block, there: Mask, complete: Mask) -> tuple[Array, Array]:
    """The lowest and the highest index that the missing verdicts allow, (n,); of complete subjects nothing."""
    if complete.all():
        return np.zeros(len(complete)), np.zeros(len(complete))
    return block.indices(there, "worst"), block.indices(there, "best")


def _runs(block: _Block, there: Mask) -> tuple[Mask, Array]:
    """Which runs have a verdict of every scenario, and their indices, (n, runs) each."""
    runs = np.array(block.own.runs)
    names = sorted(set(block.own.runs))
    whole = np.zeros((len(there), len(names)), dtype=bool)
    found = np.full(whole.shape, np.nan)
    for at, run in enumerate(names):
        here = np.flatnonzero(runs == run)
        position = {place: number for number, place in enumerate(here.tolist())}
        places = {
            name: [position[place] for place in own if place in position] for name, own in block.own.places.items()
        }
        kept = there[:, here]
        whole[:, at] = np.all([kept[:, own].any(axis=1) for own in places.values()], axis=0)
        part = block._replace(
            own=block.own._replace(places=places), values={name: own[:, here] for name, own in block.values.items()}
        )
        found[:, at] = part.indices(kept)
    return whole, found


def _dimension(block: _Block, name: str, there: Mask) -> Sequence[float | None]:
    """A dimension of each subject; None where a verdict of it is missing or not planned."""
    members = block.frame.members[name]
    places = [place for scenario in members for place in block.own.places.get(scenario, ())]
    if not all(scenario in block.own.places for scenario in members):
        return [None] * len(there)
    whole: Mask = np.all(there[:, places], axis=1)
    found = block.dimension(name, there)
    return [one if sure else None for one, sure in zip(found.tolist(), whole.tolist(), strict=True)]


def _engaged(block: _Block, columns: VerdictColumns, there: Mask) -> Sequence[float | None]:
    evaded = columns.evaded[block.own.rows]
    found = block.indices(there & ~evaded).tolist()
    holes: Mask = np.any(~there & ~evaded, axis=1)
    return [None if np.isnan(one) or hole else one for one, hole in zip(found, holes.tolist(), strict=True)]
