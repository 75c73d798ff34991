"""Strict scoring: planned verdicts are the denominator, a hole leaves no index but bounds, no run is dropped.

The index of a complete subject is the suite's formula on its dimensions: per verdict the sum of a dimension's fields
(true = 1), averaged over runs within a scenario, then over scenarios. With equal runs this equals the mean of per-run
indices, so point and interval are one estimator.

Verdicts are columns, and subjects whose plans are alike form a block: one array operation scores all of them. Sums run
over scenarios and runs in their order, so that a subject's number does not depend on who else is there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from independence.suites.schema import Index, Suite
from independence.types import Ends, MissingReason, Scalar

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Places = NDArray[np.intp]


class VerdictCell(Protocol):
    """One planned verdict of a subject."""

    @property
    def scenario(self) -> str:
        """Id of its dialogue."""

    @property
    def run(self) -> int:
        """From 1."""

    @property
    def values(self) -> Mapping[str, Scalar] | None:
        """None: missing."""

    @property
    def evaded(self) -> bool:
        """Whether the subject took no stand."""

    @property
    def evadable(self) -> bool:
        """Whether the verdict says if a stand was taken."""


V = TypeVar("V", bound=VerdictCell)


class VerdictValues(NamedTuple):
    """A verdict cell that is made by hand."""

    scenario: str
    run: int
    values: Mapping[str, Scalar] | None
    evaded: bool = False
    evadable: bool = False


class StrictRow(msgspec.Struct, frozen=True):
    """A subject under strict scoring; numbers unrounded, index and interval on 0-100."""

    index: float | None
    bounds: Ends  # worst and best index the missing verdicts allow
    runs: int  # fewest runs planned for any scenario
    most_runs: int  # most runs planned for any
    complete_runs: int
    coverage: float  # valid / planned verdicts
    per_run: tuple[float, ...]  # indices of complete runs, in run order
    dimensions: dict[str, float | None]  # None where a verdict of the dimension is missing or not planned
    evadable: int  # verdicts that say if a stand was taken
    evaded: int  # those by which none was
    evadable_and_evaded: int
    engaged: float | None  # index of the dialogues in which it took a stand; None where a dimension has none


class ScoringFrame(msgspec.Struct, frozen=True):
    """What scoring needs of a suite."""

    index: Index
    scenarios: Mapping[str, Mapping[str, Ends]]  # scenario -> field -> scale ends
    members: Mapping[str, tuple[str, ...]]  # dimension -> scenarios that carry it

    @property
    def fields(self) -> list[str]:
        """The fields of verdicts that the index is made of."""
        return list(dict.fromkeys(name for own in self.index.dimensions.values() for name in own.fields))


def frame(suite: Suite) -> ScoringFrame:
    """The scoring frame of an index suite. Raises ValueError for a suite without an index."""
    if suite.index is None:
        raise ValueError(f"suite {suite.suite} declares no index")
    scales: dict[str, dict[str, Ends]] = {}
    for scenario in suite.scenarios:
        fields = suite.rubrics[scenario.rubric].fields
        scales[scenario.id] = {name: field.range or (0.0, 1.0) for name, field in fields.items()}
    members = {
        name: tuple(
            s.id for s in suite.scenarios if s.experiment == d.experiment and scales[s.id].keys() >= set(d.fields)
        )
        for name, d in suite.index.dimensions.items()
    }
    return ScoringFrame(suite.index, scales, members)


class VerdictColumns(NamedTuple, Generic[V]):
    """Planned verdicts by subject, and by run within each: (n,) each."""

    subjects: Sequence[str]  # in order
    scenarios: Sequence[str]
    subject: Places  # place in `subjects`, ascending
    scenario: Places  # place in `scenarios`
    run: Places
    verdict: Places  # place in `verdicts`
    verdicts: Sequence[V]  # one of each that say the same of the same scenario

    def of(self, subject: str) -> slice:
        """The places of a subject's verdicts. Raises ValueError for one that is not there."""
        number = self.subjects.index(subject)
        return slice(*np.searchsorted(self.subject, (number, number + 1)).tolist())

    def said(self, subject: str) -> list[V]:
        """What a subject's verdicts say, in order."""
        return [self.verdicts[at] for at in self.verdict[self.of(subject)].tolist()]

    def field(self, name: str) -> Array:
        """Values of a field, true = 1; NaN where there is none."""
        values = (cell.values for cell in self.verdicts)
        return np.array([np.nan if own is None else own.get(name, np.nan) for own in values], float)[self.verdict]

    def where(self, holds: Callable[[V], bool]) -> Mask:
        """Of which verdicts something holds."""
        return np.array([holds(cell) for cell in self.verdicts], dtype=bool)[self.verdict]


def columns(subjects: Mapping[str, Sequence[V]]) -> VerdictColumns[V]:
    """The planned verdicts of subjects as columns."""
    cells = [cell for own in subjects.values() for cell in sorted(own, key=lambda cell: cell.run)]
    scenarios = list(dict.fromkeys(cell.scenario for cell in cells))
    number = {scenario: at for at, scenario in enumerate(scenarios)}
    return VerdictColumns(
        list(subjects),
        scenarios,
        subject=np.repeat(np.arange(len(subjects)), np.array([len(own) for own in subjects.values()], np.intp)),
        scenario=np.array([number[cell.scenario] for cell in cells], dtype=np.intp),
        run=np.array([cell.run for cell in cells], dtype=np.intp),
        verdict=np.arange(len(cells)),
        verdicts=cells,
    )


def merged(some: VerdictColumns[V], keep: Mask, others: Mapping[str, Sequence[V]]) -> VerdictColumns[V]:
    """The verdicts to `keep` (n,) and others of the same subjects, in the order of subjects, runs and scenarios."""
    added = columns(others)
    scenarios = sorted({*some.scenarios, *added.scenarios})
    parts = []
    for own, rows, first in ((some, keep, 0), (added, np.ones(len(added.run), bool), len(some.verdicts))):
        number = np.array([scenarios.index(name) for name in own.scenarios], np.intp)
        parts.append((own.subject[rows], number[own.scenario[rows]], own.run[rows], own.verdict[rows] + first))
    subject, scenario, run, verdict = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((scenario, run, subject))
    verdicts = [*some.verdicts, *added.verdicts]
    return VerdictColumns(
        some.subjects, scenarios, subject[order], scenario[order], run[order], verdict[order], verdicts
    )


class PlanBlock(NamedTuple):
    """n subjects with the same m planned verdicts, in the order of `VerdictColumns`."""

    frame: ScoringFrame
    subjects: Sequence[str]
    runs: Places  # (m,)
    places: Mapping[str, Sequence[int]]  # scenario -> its verdicts among the m
    missing: Mask  # (n, m)
    evaded: Mask  # (n, m)
    evadable: Mask  # (n, m)
    said: Mapping[str, Array]  # dimension -> the sum of its fields in each verdict, (n, m); NaN where it is missing

    @property
    def planned(self) -> bool:
        """Whether no scenario of the index was left out (--exp)."""
        return all(name in self.places for members in self.frame.members.values() for name in members)

    def dimension(self, name: str, keep: Mask, fill: bool | None = None) -> Array:
        """Mean over scenarios of the mean over runs of the verdicts to `keep` (n, m), (n,); NaN without any.

        `fill`: those not kept, and scenarios without a plan, take the high or low end of their fields.
        """
        said, total, count = self.said[name], np.zeros(len(keep)), np.zeros(len(keep))
        for scenario in self.frame.members[name]:
            places, end = self.places.get(scenario, ()), 0.0
            if fill is not None:
                scales, fields = self.frame.scenarios[scenario], self.frame.index.dimensions[name].fields
                end = sum(scales[field][int(fill)] for field in fields)
                if not places:
                    total, count = total + end, count + 1
                    continue
            own, there = np.zeros(len(keep)), np.zeros(len(keep))
            for at in places:
                own = own + np.where(keep[:, at], said[:, at], end)
                there = there + (keep[:, at] if fill is None else 1)
            with np.errstate(invalid="ignore"):
                total = total + np.where(there > 0, own / there, 0.0)
            count = count + (there > 0)
        with np.errstate(invalid="ignore"):
            return total / count

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


def blocks(frame: ScoringFrame, columns: VerdictColumns[V]) -> Iterator[PlanBlock]:
    """Subjects by what was planned for them; who has no planned verdict is left out.

    Raises KeyError where a verdict on a scenario that carries a dimension lacks a field of it.
    """
    starts = np.searchsorted(columns.subject, np.arange(len(columns.subjects) + 1))
    alike: dict[tuple[bytes, bytes], list[int]] = {}
    for at in range(len(columns.subjects)):
        own = slice(starts[at], starts[at + 1])
        if own.stop > own.start:
            alike.setdefault((columns.scenario[own].tobytes(), columns.run[own].tobytes()), []).append(at)
    fields = {name: columns.field(name) for name in frame.fields}
    missing = columns.where(lambda cell: cell.values is None)
    evaded, evadable = columns.where(lambda cell: cell.evaded), columns.where(lambda cell: cell.evadable)
    for members in alike.values():
        first = slice(starts[members[0]], starts[members[0] + 1])
        rows = starts[members][:, None] + np.arange(first.stop - first.start)
        places, said = dict[str, list[int]](), dict[str, Array]()
        for place, scenario in enumerate(columns.scenario[first].tolist()):
            places.setdefault(columns.scenarios[scenario], []).append(place)
        for name, dimension in frame.index.dimensions.items():
            total: Array = np.zeros(rows.shape)
            for field in dimension.fields:
                total = total + fields[field][rows]
            carried = [place for scenario in frame.members[name] for place in places.get(scenario, ())]
            if np.any(np.isnan(total[:, carried]) & ~missing[rows][:, carried]):
                raise KeyError(dimension.fields)
            said[name] = total
        names = [columns.subjects[at] for at in members]
        yield PlanBlock(
            frame, names, columns.run[first], places, missing[rows], evaded[rows], evadable[rows], said,
        )  # fmt: skip


def score(frame: ScoringFrame, cells: Sequence[VerdictCell]) -> StrictRow:
    """Score one subject from its planned verdicts. Raises ValueError without any."""
    if not cells:
        raise ValueError("no planned verdicts")
    (found,) = scores(frame, columns({"": cells})).values()
    return found


def scores(frame: ScoringFrame, columns: VerdictColumns[V]) -> dict[str, StrictRow]:
    """Every subject's score, in the order of the columns."""
    out: dict[str, StrictRow] = {}
    for block in blocks(frame, columns):
        out |= zip(block.subjects, _scored(block), strict=True)
    return {subject: out[subject] for subject in columns.subjects if subject in out}


def _scored(block: PlanBlock) -> Iterator[StrictRow]:
    """One row a subject of the block."""
    there, size = ~block.missing, block.missing.shape[1]
    valid = there.sum(axis=1)
    complete = (valid == size) & block.planned
    index = np.where(complete, block.indices(there), np.nan)
    low = high = index
    if not complete.all():
        low, high = (np.where(complete, index, block.indices(there, end)) for end in ("worst", "best"))
    whole, by_run = _runs(block)
    engaged = block.indices(there & ~block.evaded)
    engaged[np.any(~there & ~block.evaded, axis=1)] = np.nan
    dimensions = {name: block.dimension(name, there) for name in block.frame.index.dimensions}
    for name, found in dimensions.items():
        members = block.frame.members[name]
        places = [place for scenario in members for place in block.places.get(scenario, ())]
        holes = block.missing[:, places].any(axis=1) if block.places.keys() >= set(members) else True
        dimensions[name] = np.where(holes, np.nan, found)
    could, did, both = (
        one.sum(axis=1).tolist() for one in (block.evadable, block.evaded, block.evadable & block.evaded)
    )
    for at in range(len(block.subjects)):
        yield StrictRow(
            _known(index[at]),
            (float(low[at]), float(high[at])),
            runs=min(map(len, block.places.values())),
            most_runs=max(map(len, block.places.values())),
            complete_runs=int(whole[at].sum()),
            coverage=int(valid[at]) / size,
            per_run=tuple(by_run[at][whole[at]].tolist()) if block.planned else (),
            dimensions={name: _known(found[at]) for name, found in dimensions.items()},
            evadable=could[at],
            evaded=did[at],
            evadable_and_evaded=both[at],
            engaged=_known(engaged[at]),
        )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _runs(block: PlanBlock) -> tuple[Mask, Array]:
    """Which runs have a verdict of every scenario, and their indices, (n, runs) each."""
    names = sorted(set(block.runs.tolist()))  # numpy.unique loads numpy.ma, which takes longer than a small board
    whole = np.zeros((len(block.subjects), len(names)), dtype=bool)
    found = np.full(whole.shape, np.nan)
    for at, run in enumerate(names):
        here = np.flatnonzero(block.runs == run)
        position = {place: number for number, place in enumerate(here.tolist())}
        places = {name: [position[at] for at in own if at in position] for name, own in block.places.items()}
        kept = ~block.missing[:, here]
        whole[:, at] = np.all([kept[:, own].any(axis=1) for own in places.values()], axis=0)
        part = block._replace(places=places, said={name: own[:, here] for name, own in block.said.items()})
        found[:, at] = part.indices(kept)
    return whole, found


# Which answers carry no measurement, whatever a judge said about them: a reply that is no answer is marked when it
# comes; most of the words of replies to other questions are none either, which only shows once all replies of a
# subject are there. One such reply takes nothing away; where they are at least half of them, no verdict on them counts.

# Flags of an answer -> why its verdict counts as missing under strict scoring.
VOID: dict[str, MissingReason] = {
    "artefact": "transport",
    "greeting_echo": "transport",
    "stale_history": "stale",
}


NO_ANSWER: Final = "no_answer"  # the mark of such a reply
REPEATED: Final = "repeated"
UNANSWERED: Final = "unanswered"


def no_answers(none: Sequence[bool]) -> list[bool]:
    """Which replies count as no answers: those that are none, where they are at least half of all a subject's."""
    return list(none) if none and 2 * sum(none) >= len(none) else [False] * len(none)


def void_reason(flags: Collection[str]) -> MissingReason | None:
    """Why a dialogue with these flags cannot be scored; None when it can."""
    return next((reason for flag, reason in VOID.items() if flag in flags), None)
