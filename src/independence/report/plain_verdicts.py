"""Verdicts on dialogues that are finished, graded once and without a mark, read as numbers."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, overload

import numpy as np

from independence.report import repeats, verdict_cells
from independence.report.verdict_cells import PlannedVerdict
from independence.stats import engagement
from independence.stats.engagement import FieldRequirements
from independence.stats.strict import ScoringFrame
from independence.stats.verdict_columns import Array, Places, VerdictColumns, fields_read, joined
from independence.store import field_values, queries
from independence.store.field_values import FieldLayout
from independence.store.place_rows import PlaceColumns, PlaceRow
from independence.types import Where

_TYPES = {"q": "<i8", "d": "<f8", "?": "?"}


class _SaidReplies(NamedTuple):
    """A dialogue as far as others may repeat it."""

    end: str | None
    said: str


class _Reading(NamedTuple):
    """The rows of all subjects by run and scenario, and how they are read."""

    rows: Sequence[PlaceRow]  # plain tuples, one a dialogue
    layouts: Mapping[int, FieldLayout]
    required: Mapping[str, FieldRequirements]  # by scenario
    made: dict[int, PlannedVerdict]  # verdicts that were looked at one by one, by their place in `rows`
    known: dict[tuple[str, ...], VerdictColumns]  # columns that were asked for, by the fields that they hold

    def cell(self, at: int) -> PlannedVerdict:
        """The verdict at a place."""
        if at in self.made:
            return self.made[at]
        config, scenario, run, experiment, *_, field_set, packed, _ = self.rows[at]
        (given,) = self.layouts[field_set].read(packed, 1)
        own = self.required.get(scenario)
        values, evaded = (given, None) if own is None else engagement.counted(given, own)
        return PlannedVerdict(
            config_dir=config,
            experiment=experiment,
            scenario=scenario,
            run=run,
            values=values,
            missing=None,
            given=given,
            flags=(engagement.EVADED,) if evaded else (),
            evadable=evaded is not None,
        )

    def columns(self, frame: ScoringFrame) -> VerdictColumns:
        """All of them as numbers."""
        read = tuple(fields_read(frame))
        if read not in self.known:
            self.known[read] = self._columns(read)
        return self.known[read]

    def _columns(self, read: Sequence[str]) -> VerdictColumns:
        rows, made = self.rows, self.made
        configs, scenarios, runs, *_ = _transposed(rows, 3)
        subjects, names = {name: at for at, name in enumerate(dict.fromkeys(configs))}, list(dict.fromkeys(scenarios))
        places = {name: at for at, name in enumerate(names)}
        scenario = np.fromiter(map(places.__getitem__, scenarios), np.intp, len(rows))
        fields = {name: np.full(len(rows), np.nan) for name in read}
        marks = np.zeros((3, len(rows)), dtype=bool)
        missing, evaded, evadable = marks
        plain = np.ones(len(rows), dtype=bool)
        for at, cell in made.items():
            plain[at] = False
            missing[at], evaded[at] = cell.values is None, engagement.EVADED in cell.flags
            evadable[at] = cell.evadable
            for name, column in fields.items():
                column[at] = np.nan if cell.values is None else cell.values.get(name, np.nan)
        for number, name in enumerate(names):
            own = np.flatnonzero(plain & (scenario == number))
            for there, values in self._values(own):
                needed = self.required.get(name)
                counted = engagement.counted_columns(values, needed) if needed is not None else None
                if counted is not None:
                    evaded[there], evadable[there] = counted.evaded & counted.told, counted.told
                for field, column in fields.items():
                    column[there] = (counted.values if counted is not None else values).get(field, np.nan)
        return VerdictColumns(
            subjects=list(subjects),
            scenarios=names,
            subject=np.fromiter(map(subjects.__getitem__, configs), np.intp, len(rows)),
            scenario=scenario,
            run=np.array(runs, dtype=np.intp),
            fields=fields,
            missing=missing,
            evaded=evaded,
            evadable=evadable,
        )

    def _values(self, places: Places) -> Iterator[tuple[Places, Mapping[str, Array]]]:
        """Places with the same fields, and what stands there, true = 1."""
        rows = self.rows
        sets = np.array([rows[at][_SET] for at in places.tolist()], dtype=np.intp)
        for number in np.unique(sets).tolist():
            own, layout = places[sets == number], self.layouts[number]
            packed = b"".join(rows[at][_VALUES] for at in own.tolist())
            kinds = [(name, _TYPES[kind]) for name, kind in zip(layout.packed, layout.kinds, strict=True)]
            found = np.frombuffer(packed, np.dtype(kinds)) if kinds else None
            values = {name: found[name].astype(np.float64) for name, _ in kinds} if found is not None else {}
            for name, value in layout.fixed.items():
                values[name] = np.full(len(own), float(value) if isinstance(value, int | float) else np.nan)
            yield own, values


class SubjectVerdicts(Sequence[PlannedVerdict]):
    """The planned verdicts of one subject by run and scenario, made where they are asked for."""

    def __init__(self, reading: _Reading, places: range) -> None:
        self._reading, self._places = reading, places
        self._cells: list[PlannedVerdict] | None = None

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> PlannedVerdict: ...
    @overload
    def __getitem__(self, at: slice) -> list[PlannedVerdict]: ...
    def __getitem__(self, at: int | slice) -> PlannedVerdict | list[PlannedVerdict]:
        return self._all()[at]

    def __iter__(self) -> Iterator[PlannedVerdict]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._all() == list(other)

    __hash__ = None  # type: ignore[assignment]  # as a list

    def _all(self) -> list[PlannedVerdict]:
        if self._cells is None:
            self._cells = [self._reading.cell(at) for at in self._places]
        return self._cells

    @property
    def reading(self) -> _Reading:
        """Those of all subjects that were read together."""
        return self._reading

    @property
    def particular(self) -> list[PlannedVerdict]:
        """Those with more to say than their values."""
        made = self._reading.made
        return [made[at] for at in self._places if at in made] if made else []

    def _column(self, name: str) -> list[Any]:
        at = PlaceColumns._fields.index(name)
        return [row[at] for row in self._reading.rows[self._places.start : self._places.stop]]

    @property
    def words(self) -> str:
        """Digests of the words of all replies in finished dialogues."""
        return "".join(words for words in self._column("words") if words is not None)

    @property
    def thought(self) -> bool:
        """Whether a reply in a finished dialogue took reasoning tokens."""
        return any(self._column("thought"))

    @property
    def said_twice(self) -> bool:
        """Whether two finished dialogues of a scenario have the same replies."""
        said = [
            pair for pair in zip(self._column("scenario"), self._column("said"), strict=True) if pair[1] is not None
        ]
        return len(set(said)) < len(said)

    @property
    def runs_alike(self) -> bool:
        """Whether all replies of a run are those of an earlier one."""
        runs: dict[int, dict[str, _SaidReplies]] = {}
        columns = (self._column(name) for name in ("run", "scenario", "said"))
        for run, scenario, said in zip(*columns, strict=True):
            runs.setdefault(run, {})[scenario] = _SaidReplies(said, said or "")
        return bool(repeats.equal_runs(runs))


class PlainVerdicts(NamedTuple):
    """The verdicts of an edition under one judge."""

    reading: _Reading
    subjects: Mapping[str, SubjectVerdicts]  # by config_dir
    particular: frozenset[str]  # trials that are to be looked at one by one
    spots: Mapping[tuple[str, str, int], int]  # their places: (config_dir, scenario, run) -> in the rows

    def put(self, cell: PlannedVerdict) -> None:
        """Keep a verdict that was looked at."""
        self.reading.made[self.spots[cell.config_dir, cell.scenario, cell.run]] = cell


_SET, _VALUES = (PlaceColumns._fields.index(name) for name in ("field_set", "field_values"))
_PLACE, _PARTICULAR, _RUBRIC, _JUDGED = (
    slice(0, 3), *(PlaceColumns._fields.index(name) for name in ("particular", "rubric", "judged_at"))
)  # fmt: skip


def columns(frame: ScoringFrame, subjects: Mapping[str, Sequence[PlannedVerdict]]) -> VerdictColumns:
    """Planned verdicts by config_dir as numbers, those that were read as numbers without a look at each."""
    held = {config: own.reading for config, own in subjects.items() if isinstance(own, SubjectVerdicts)}
    parts = [reading.columns(frame) for reading in {id(one): one for one in held.values()}.values()]
    parts = [part._replace(subjects=[config if config in held else "" for config in part.subjects]) for part in parts]
    others = {config: own for config, own in subjects.items() if config not in held}
    if others or not parts:
        parts.append(verdict_cells.columns(frame, others))
    return parts[0] if [*map(list, (part.subjects for part in parts))] == [[*subjects]] else joined(parts, [*subjects])


def _transposed(rows: Sequence[PlaceRow], count: int) -> list[list[Any]]:
    return [[row[at] for row in rows] for at in range(count)]


def read(
    connection: sqlite3.Connection,
    where: Where,
    rows: Sequence[PlaceRow],
    rubrics: Mapping[str, str],
    required: Mapping[str, FieldRequirements],
) -> PlainVerdicts:
    """Of one judge's rows by subject, scenario and run; `rubrics`: scenario -> digest that its verdicts count under."""
    kept, subjects = list[PlaceRow](), dict[str, SubjectVerdicts]()
    reading = _Reading(kept, field_values.layouts(connection), required, {}, {})
    orders: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for config, found in itertools.groupby(_newest(rows, rubrics), itemgetter(0)):
        own = list(found)
        spots = tuple(map(itemgetter(1, 2), own))
        if spots not in orders:  # most subjects are planned alike
            orders[spots] = sorted(range(len(own)), key=lambda at: (spots[at][1], spots[at][0]))
        kept += [own[at] for at in orders[spots]]
        subjects[config] = SubjectVerdicts(reading, range(len(kept) - len(own), len(kept)))
    particular = {
        at: row[_PARTICULAR] or queries.trial_key(connection, where, *row[_PLACE])
        for at, row in enumerate(kept)
        if row[_PARTICULAR] is not None or row[_RUBRIC] != rubrics.get(row[1])
    }
    spots_of = {kept[at][_PLACE]: at for at in particular}
    return PlainVerdicts(reading, subjects, frozenset(particular.values()), spots_of)


def _newest(rows: Sequence[PlaceRow], rubrics: Mapping[str, str]) -> Sequence[PlaceRow]:
    """One row a dialogue: of several verdicts that count alike the newest; one to be looked at before all others."""
    if all(one[2] != other[2] or one[1] != other[1] or one[0] != other[0] for one, other in itertools.pairwise(rows)):
        return rows
    out = []
    for _, found in itertools.groupby(rows, lambda row: row[_PLACE]):
        own = list(found)
        counting = [row for row in own if row[_RUBRIC] == rubrics.get(row[1])] or own
        aside = next((row for row in own if row[_PARTICULAR] is not None), None)
        out.append(aside or max(reversed(counting), key=lambda row: row[_JUDGED]))
    return out
