"""Verdicts on dialogues that are finished, graded once and without a mark, read as numbers."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self, overload

import numpy as np

from independence.errors import StoreError
from independence.report import repeats
from independence.report.verdict_cells import PlannedVerdict
from independence.stats import engagement, strict
from independence.stats.engagement import FieldRequirements
from independence.stats.strict import Array, Places, ScoringFrame, VerdictColumns
from independence.store import field_values, queries
from independence.store.digests import REMEDY
from independence.store.field_values import FieldLayout
from independence.store.place_dialogues import Dialogues
from independence.store.subject_dialogues import Coded, SubjectDialogues
from independence.types import Where

_TYPES = {"q": "<i8", "d": "<f8", "?": "?"}


class _SaidReplies(NamedTuple):
    """A dialogue as far as others may repeat it."""

    end: str | None
    said: str


class _Codes(NamedTuple):
    """A column of all subjects of few different values: (n,) places in `names`."""

    names: Sequence[Any]
    codes: Places

    @classmethod
    def of(cls, columns: Iterable[Coded]) -> Self:
        """Columns of one subject each, one after the other."""
        places: dict[Any, int] = {}
        parts = [np.empty(0, np.intp)]
        for column in columns:
            own = np.array([places.setdefault(name, len(places)) for name in column.names], np.intp)
            parts.append(own[np.frombuffer(column.codes, "<u4")])
        return cls(list(places), np.concatenate(parts))

    def at(self, place: int) -> Any:
        """The value at a place."""
        return self.names[self.codes[place]]


class _Reading:
    """The dialogues of all subjects, those of each by run and scenario, and how they are read."""

    def __init__(
        self,
        subjects: Dialogues,
        layouts: Mapping[int, FieldLayout],
        required: Mapping[str, FieldRequirements],  # by scenario
    ) -> None:
        self._configs = list(subjects)
        self._subjects, self._layouts, self._required = subjects, layouts, required
        self._scenario = _Codes.of(own.scenario for own in subjects.values())
        self._run = _Codes.of(own.run for own in subjects.values())
        self._rubric = _Codes.of(own.rubric for own in subjects.values())
        self._experiment = _Codes.of(own.experiment for own in subjects.values())
        self._layout = _Codes.of(own.layout for own in subjects.values())
        self._values = list(itertools.chain.from_iterable(own.values for own in subjects.values()))
        self._subject = np.repeat(np.arange(len(subjects)), np.array([*map(len, subjects.values())], np.intp))
        self.made: dict[int, PlannedVerdict] = {}  # verdicts that were looked at one by one, by their place
        self._known: dict[tuple[str, ...], VerdictColumns] = {}  # that were asked for, by the fields that they hold

    @property
    def places(self) -> dict[str, range]:
        """Where the dialogues of each subject are."""
        ends = np.cumsum([*map(len, self._subjects.values())]).tolist()
        return dict(zip(self._subjects, map(range, [0, *ends], ends), strict=False))

    def spot(self, at: int) -> tuple[str, str, int]:
        """The config_dir, scenario and run of a place."""
        return self._configs[self._subject[at]], self._scenario.at(at), self._run.at(at)

    def under_other_rubrics(self, rubrics: Mapping[str, str]) -> list[int]:
        """Places of verdicts that were given under other rubrics than these, by scenario, or of none."""
        number = {name: at for at, name in enumerate(self._rubric.names)}
        counting = np.array([number.get(rubrics.get(name), -1) for name in self._scenario.names], np.intp)
        places: list[int] = np.flatnonzero(counting[self._scenario.codes] != self._rubric.codes).tolist()
        return places

    def cell(self, at: int) -> PlannedVerdict:
        """The verdict at a place."""
        if at in self.made:
            return self.made[at]
        config, scenario, run = self.spot(at)
        experiment, layout = self._experiment.at(at), self._layout.at(at)
        (given,) = self._layouts[layout].read(self._values[at] or b"", 1)
        own = self._required.get(scenario)
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
        read = tuple(frame.fields)
        if read not in self._known:
            self._known[read] = self._columns(read)
        return self._known[read]

    def _columns(self, read: Sequence[str]) -> VerdictColumns:
        count = len(self._values)
        fields = {name: np.full(count, np.nan) for name in read}
        marks = np.zeros((3, count), dtype=bool)
        missing, evaded, evadable = marks
        plain = np.ones(count, dtype=bool)
        for at, cell in self.made.items():
            plain[at] = False
            missing[at], evaded[at] = cell.values is None, engagement.EVADED in cell.flags
            evadable[at] = cell.evadable
            for name, column in fields.items():
                column[at] = np.nan if cell.values is None else cell.values.get(name, np.nan)
        for number, name in enumerate(self._scenario.names):
            own = np.flatnonzero(plain & (self._scenario.codes == number))
            for there, values in self._read(own):
                needed = self._required.get(name)
                counted = engagement.counted_columns(values, needed) if needed is not None else None
                if counted is not None:
                    evaded[there], evadable[there] = counted.evaded & counted.told, counted.told
                for field, column in fields.items():
                    column[there] = (counted.values if counted is not None else values).get(field, np.nan)
        return VerdictColumns(
            subjects=self._configs,
            scenarios=self._scenario.names,
            subject=self._subject,
            scenario=self._scenario.codes,
            run=np.array(self._run.names, np.intp)[self._run.codes],
            fields=fields,
            missing=missing,
            evaded=evaded,
            evadable=evadable,
        )

    def _read(self, places: Places) -> Iterator[tuple[Places, Mapping[str, Array]]]:
        """Places with the same fields, and what stands there, true = 1."""
        layouts = self._layout.codes[places]
        for number in np.unique(layouts).tolist():
            own, layout = places[layouts == number], self._layouts[self._layout.names[number]]
            packed = b"".join([self._values[at] for at in own.tolist()])
            kinds = [(name, _TYPES[kind]) for name, kind in zip(layout.packed, layout.kinds, strict=True)]
            found = np.frombuffer(packed, np.dtype(kinds)) if kinds else None
            values = {name: found[name].astype(np.float64) for name, _ in kinds} if found is not None else {}
            for name, value in layout.fixed.items():
                values[name] = np.full(len(own), float(value) if isinstance(value, int | float) else np.nan)
            yield own, values


class SubjectVerdicts(Sequence[PlannedVerdict]):
    """The planned verdicts of one subject by run and scenario, made where they are asked for."""

    def __init__(self, reading: _Reading, places: range, dialogues: SubjectDialogues) -> None:
        self._reading, self._places, self._dialogues = reading, places, dialogues
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

    @property
    def words(self) -> str:
        """Digests of the words of all replies in finished dialogues."""
        return self._dialogues.words

    @property
    def thought(self) -> bool:
        """Whether a reply in a finished dialogue took reasoning tokens."""
        return self._dialogues.thought

    @property
    def said_twice(self) -> bool:
        """Whether two finished dialogues of a scenario have the same replies."""
        own = self._dialogues
        if len(set(own.said)) == len(own.said):
            return False
        said = [pair for pair in zip(own.scenario.values, own.said, strict=True) if pair[1] is not None]
        return len(set(said)) < len(said)

    @property
    def runs_alike(self) -> bool:
        """Whether all replies of a run are those of an earlier one."""
        own, runs = self._dialogues, dict[int, dict[str, _SaidReplies]]()
        for run, scenario, said in zip(own.run.values, own.scenario.values, own.said, strict=True):
            runs.setdefault(run, {})[scenario] = _SaidReplies(said, said or "")
        return bool(repeats.equal_runs(runs))


class PlainVerdicts(NamedTuple):
    """The verdicts of an edition under one judge."""

    reading: _Reading
    subjects: Mapping[str, SubjectVerdicts]  # by config_dir
    particular: frozenset[str]  # trials that are to be looked at one by one
    spots: Mapping[tuple[str, str, int], int]  # their places: (config_dir, scenario, run) -> among the dialogues

    def put(self, cell: PlannedVerdict) -> None:
        """Keep a verdict that was looked at."""
        self.reading.made[self.spots[cell.config_dir, cell.scenario, cell.run]] = cell


def columns(frame: ScoringFrame, subjects: Mapping[str, Sequence[PlannedVerdict]]) -> VerdictColumns:
    """Planned verdicts by config_dir as numbers, those that were read as numbers without a look at each.

    Raises StoreError for a value that its scale does not have: no judge can give one.
    """
    held = {config: own.reading for config, own in subjects.items() if isinstance(own, SubjectVerdicts)}
    parts = [reading.columns(frame) for reading in {id(one): one for one in held.values()}.values()]
    parts = [part._replace(subjects=[config if config in held else "" for config in part.subjects]) for part in parts]
    others = {config: own for config, own in subjects.items() if config not in held}
    if others or not parts:
        parts.append(strict.columns(frame, others))
    whole = parts[0] if [list(part.subjects) for part in parts] == [[*subjects]] else joined(parts, [*subjects])
    _refuse_beyond_scale(frame, whole)
    return whole


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


def _refuse_beyond_scale(frame: ScoringFrame, columns: VerdictColumns) -> None:
    for field, values in columns.fields.items():
        scales = [frame.scenarios.get(name, {}).get(field, (-np.inf, np.inf)) for name in columns.scenarios]
        low, high = np.array(scales).reshape(-1, 2).T
        beyond = np.flatnonzero((values < low[columns.scenario]) | (values > high[columns.scenario]))
        for at in beyond.tolist():
            where = f"{columns.subjects[columns.subject[at]]}, {columns.scenarios[columns.scenario[at]]}"
            what = f"a value of `{field}` is outside of its scale: {values[at]:g} ({where}, run {columns.run[at]})"
            raise StoreError(f"the store is damaged (verdicts: {what})", REMEDY)


def read(
    connection: sqlite3.Connection,
    where: Where,
    dialogues: Dialogues,
    rubrics: Mapping[str, str],
    required: Mapping[str, FieldRequirements],
) -> PlainVerdicts:
    """Of one judge's verdicts; `rubrics`: scenario -> digest that its verdicts count under."""
    own = {config: one.newest(rubrics) for config, one in dialogues.items()}
    reading = _Reading(own, field_values.layouts(connection), required)
    subjects = {config: SubjectVerdicts(reading, at, own[config]) for config, at in reading.places.items()}
    keys = {places[at]: key for config, places in reading.places.items() for at, key in own[config].particular.items()}
    for at in reading.under_other_rubrics(rubrics):
        keys.setdefault(at, queries.trial_key(connection, where, *reading.spot(at)))
    return PlainVerdicts(reading, subjects, frozenset(keys.values()), {reading.spot(at): at for at in keys})
