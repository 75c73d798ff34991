"""Strict scoring: planned verdicts are the denominator, a hole leaves no index but bounds, no run is dropped.

The index of a complete subject is the suite's formula on its dimensions: per verdict the sum of a dimension's fields
(true = 1), averaged over runs within a scenario, then over scenarios. With equal runs this equals the mean of per-run
indices, so point and interval are one estimator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from independence.suites.schema import Component, Dimension, Index, Suite
from independence.types import Ends, MissingReason, Scalar


class VerdictValues(NamedTuple):
    """One planned verdict of a subject; `values` None: missing."""

    scenario: str
    run: int
    values: Mapping[str, Scalar] | None


class StrictRow(msgspec.Struct, frozen=True):
    """A subject under strict scoring; numbers unrounded, index and interval on 0-100."""

    index: float | None
    bounds: Ends  # worst and best index the missing verdicts allow
    runs: int  # fewest runs planned for any scenario
    complete_runs: int
    coverage: float  # valid / planned verdicts
    per_run: tuple[float, ...]  # indices of complete runs, in run order
    dimensions: dict[str, float | None]  # None where a verdict of the dimension is missing or not planned


class ScoringFrame(msgspec.Struct, frozen=True):
    """What scoring needs of a suite."""

    index: Index
    scenarios: Mapping[str, Mapping[str, Ends]]  # scenario -> field -> scale ends
    members: Mapping[str, tuple[str, ...]]  # dimension -> scenarios that carry it


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


def score(frame: ScoringFrame, cells: Sequence[VerdictValues]) -> StrictRow:
    """Score one subject from its planned cells. Raises ValueError without any."""
    if not cells:
        raise ValueError("no planned verdicts")
    by_run: dict[int, list[VerdictValues]] = {}
    for cell in sorted(cells, key=lambda cell: cell.run):
        by_run.setdefault(cell.run, []).append(cell)
    planned = Counter(cell.scenario for cell in cells)
    scored = planned.keys()
    whole = [run for run, own in by_run.items() if {c.scenario for c in own if c.values is not None} == scored]
    valid = sum(cell.values is not None for cell in cells)
    needed = {name for members in frame.members.values() for name in members}
    # A plan without some of the scenarios (--exp) has no index, of a run neither.
    per_run = tuple(_index(frame, by_run[run], None) for run in whole) if needed <= scored else ()
    complete = valid == len(cells) and needed <= scored
    index = _index(frame, cells, None) if complete else None
    bounds = (index, index) if index is not None else (_index(frame, cells, "worst"), _index(frame, cells, "best"))
    dimensions = {name: _dimension_or_none(frame, name, cells) for name in frame.index.dimensions}
    return StrictRow(
        index,
        bounds,
        runs=min(planned.values()),
        complete_runs=len(whole),
        coverage=valid / len(cells),
        per_run=per_run,
        dimensions=dimensions,
    )


def index_of(frame: ScoringFrame, cells: Sequence[VerdictValues]) -> float | None:
    """The index of these verdicts alone: scenarios without any are left out. None where a dimension has none."""
    scored = {cell.scenario for cell in cells}
    lacking = any(scored.isdisjoint(members) for members in frame.members.values())
    return None if lacking or any(cell.values is None for cell in cells) else _index(frame, cells, None)


def _dimension_or_none(frame: ScoringFrame, name: str, cells: Iterable[VerdictValues]) -> float | None:
    own = [cell for cell in cells if cell.scenario in frame.members[name]]
    if {cell.scenario for cell in own} < set(frame.members[name]) or any(cell.values is None for cell in own):
        return None
    return _dimension(frame, name, own, None)


def _index(frame: ScoringFrame, cells: Sequence[VerdictValues], fill: str | None) -> float:
    """The index on 0-100; `fill` puts missing verdicts at the end of their scales that is `worst` or `best`."""
    return 100 * sum(c.weight * _component(frame, c, cells, fill) for c in frame.index.components)


def _component(frame: ScoringFrame, component: Component, cells: Sequence[VerdictValues], fill: str | None) -> float:
    high_end = None if fill is None else (component.best > component.worst) == (fill == "best")
    total = sum(_dimension(frame, name, cells, high_end) for name in component.dimensions)
    return (total - component.worst) / (component.best - component.worst)


def _dimension(frame: ScoringFrame, name: str, cells: Iterable[VerdictValues], high_end: bool | None) -> float:
    """Mean over scenarios of the mean over runs; a missing verdict takes the high or low end of its fields.

    So does a scenario that the plan leaves out (--exp). `high_end` None: nothing is missing.
    """
    dimension = frame.index.dimensions[name]
    by_scenario: dict[str, list[float]] = {scenario: [] for scenario in frame.members[name]}
    for cell in cells:
        if cell.scenario not in by_scenario:
            continue
        if cell.values is not None:
            by_scenario[cell.scenario].append(value(dimension, cell.values))
        elif high_end is not None:
            by_scenario[cell.scenario].append(_end(frame, dimension, cell.scenario, high_end))
    for scenario, values in by_scenario.items():
        if not values and high_end is not None:
            values.append(_end(frame, dimension, scenario, high_end))
    means = [sum(values) / len(values) for values in by_scenario.values() if values]
    return sum(means) / len(means)


def _end(frame: ScoringFrame, dimension: Dimension, scenario: str, high: bool) -> float:
    return sum(frame.scenarios[scenario][field][int(high)] for field in dimension.fields)


def value(dimension: Dimension, values: Mapping[str, Scalar]) -> float:
    """What a verdict says of a dimension: the sum of its fields, true = 1."""
    return float(sum(map(values.__getitem__, dimension.fields)))


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
    for flag, reason in VOID.items():
        if flag in flags:
            return reason
    return None
