"""Planned verdicts of many subjects as columns, so that all subjects are scored at once.

Subjects whose plans are alike form a block: one array operation serves all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.stats.strict import ScoringFrame
from independence.suites.schema import Dimension
from independence.types import Scalar

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Places = NDArray[np.intp]


class VerdictColumns(NamedTuple):
    """Planned verdicts by subject, and by run within each: (n,) each."""

    subjects: Sequence[str]  # in order
    scenarios: Sequence[str]
    subject: Places  # place in `subjects`, ascending
    scenario: Places  # place in `scenarios`
    run: Places
    fields: Mapping[str, Array]  # values of the fields that an index reads, true = 1; NaN where there is none
    missing: Mask
    evaded: Mask
    evadable: Mask  # whether the verdict says if a stand was taken


class SubjectBlock(NamedTuple):
    """n subjects with the same m planned verdicts, in the order of `VerdictColumns`."""

    subjects: Sequence[str]
    runs: Sequence[int]  # (m,)
    places: Mapping[str, Sequence[int]]  # scenario -> its verdicts among the m
    rows: Places  # (n, m) places in the columns
    missing: Mask  # (n, m)

    def dimension(self, columns: VerdictColumns, dimension: Dimension, members: Iterable[str]) -> Array:
        """What each verdict says of a dimension: the sum of its fields, (n, m); NaN where it is missing.

        Raises KeyError where a verdict on one of the scenarios that carry it lacks a field.
        """
        total: Array = np.zeros(self.rows.shape)
        for name in dimension.fields:
            total = total + columns.fields[name][self.rows]
        own = [place for scenario in members for place in self.places.get(scenario, ())]
        if np.any(np.isnan(total[:, own]) & ~self.missing[:, own]):
            raise KeyError(dimension.fields)
        return total


def blocks(columns: VerdictColumns) -> Iterator[SubjectBlock]:
    """Subjects by what was planned for them."""
    starts = np.searchsorted(columns.subject, np.arange(len(columns.subjects) + 1))
    alike: dict[tuple[bytes, bytes], list[int]] = {}
    for at in range(len(columns.subjects)):
        own = slice(starts[at], starts[at + 1])
        if own.stop > own.start:
            alike.setdefault((columns.scenario[own].tobytes(), columns.run[own].tobytes()), []).append(at)
    for members in alike.values():
        first = slice(starts[members[0]], starts[members[0] + 1])
        rows = starts[members][:, None] + np.arange(first.stop - first.start)
        places: dict[str, list[int]] = {}
        for place, scenario in enumerate(columns.scenario[first].tolist()):
            places.setdefault(columns.scenarios[scenario], []).append(place)
        names = [columns.subjects[at] for at in members]
        yield SubjectBlock(names, columns.run[first].tolist(), places, rows, columns.missing[rows])


class VerdictCell(NamedTuple):
    """One planned verdict of a subject; `values` None: missing."""

    scenario: str
    run: int
    values: Mapping[str, Scalar] | None
    evaded: bool
    evadable: bool


def columns_of(frame: ScoringFrame, subjects: Mapping[str, Sequence[VerdictCell]]) -> VerdictColumns:
    """Columns of verdicts that were read one by one."""
    cells = [cell for own in subjects.values() for cell in sorted(own, key=lambda cell: cell.run)]
    scenarios = list(dict.fromkeys(cell.scenario for cell in cells))
    number = {scenario: at for at, scenario in enumerate(scenarios)}
    return VerdictColumns(
        list(subjects),
        scenarios,
        subject=np.repeat(np.arange(len(subjects)), np.array([len(own) for own in subjects.values()], np.intp)),
        scenario=np.array([number[cell.scenario] for cell in cells], dtype=np.intp),
        run=np.array([cell.run for cell in cells], dtype=np.intp),
        fields={
            name: np.array([np.nan if cell.values is None else cell.values.get(name, np.nan) for cell in cells], float)
            for name in fields_read(frame)
        },
        missing=np.array([cell.values is None for cell in cells], dtype=bool),
        evaded=np.array([cell.evaded for cell in cells], dtype=bool),
        evadable=np.array([cell.evadable for cell in cells], dtype=bool),
    )


def fields_read(frame: ScoringFrame) -> list[str]:
    """The fields of verdicts that an index is made of."""
    return list(dict.fromkeys(name for own in frame.index.dimensions.values() for name in own.fields))


def joined(parts: Sequence[VerdictColumns], subjects: Sequence[str]) -> VerdictColumns:
    """Columns of different subjects as one, in the order of `subjects`; those of others are left out."""
    number = {subject: at for at, subject in enumerate(subjects)}
    scenarios = list(dict.fromkeys(name for part in parts for name in part.scenarios))
    places = {name: at for at, name in enumerate(scenarios)}
    whose = np.concatenate(
        [np.array([number.get(s, -1) for s in part.subjects], np.intp)[part.subject] for part in parts]
    )
    order = np.flatnonzero(whose >= 0)[np.argsort(whose[whose >= 0], kind="stable")]
    where = [np.array([places[name] for name in part.scenarios], np.intp)[part.scenario] for part in parts]
    return VerdictColumns(
        subjects,
        scenarios,
        subject=whose[order],
        scenario=np.concatenate(where)[order],
        run=np.concatenate([part.run for part in parts])[order],
        fields={name: np.concatenate([part.fields[name] for part in parts])[order] for name in parts[0].fields},
        missing=np.concatenate([part.missing for part in parts])[order],
        evaded=np.concatenate([part.evaded for part in parts])[order],
        evadable=np.concatenate([part.evadable for part in parts])[order],
    )
