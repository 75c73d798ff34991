"""Scoring as boards were published with it, reproduced to the last printed digit; `scoring_rules.yaml` has the rules.

A published rule drops void verdicts, averages runs with holes and counts an absent half of the drift as none. Rounding
is Python's `round` (half to even on binary floats), and sums run in the order of the rule's components, because two
published rows sit on the edge between two tenths.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from independence.config import documents
from independence.stats.bootstrap import percentile_interval
from independence.stats.intervals import Interval
from independence.types import Scalar

# Ways from the sum of a component's dimensions to 0-100, each worked out as it was published: to the last bit.
_PERCENT: Final[Mapping[str, Callable[[float], float]]] = {
    "tenfold": lambda value: value * 10,
    "of two": lambda value: value / 2 * 100,
    "left of ten": lambda value: (10 - value) * 10,
    "left of twelve": lambda value: (12 - value) / 12 * 100,
}


class DimensionRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A quantity read from verdicts: the sum of `fields` (true = 1), averaged, times `scale`, rounded to `digits`."""

    experiment: str
    fields: tuple[str, ...]
    scenario: str | None = None  # only from this scenario, whose verdicts then feed nothing else
    scale: float = 1.0
    digits: int = 2


class ComponentRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A weighted part of the index: `percent` names the way from the sum of its dimensions to 0-100."""

    dimensions: tuple[str, ...]  # present when any is; an absent one adds 0
    weight: float
    percent: Literal["tenfold", "of two", "left of ten", "left of twelve"]


class ScoringRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published scoring rule."""

    dimensions: dict[str, DimensionRule]
    components: dict[str, ComponentRule]  # in the order they are added up
    void: tuple[str, ...] = ()  # a verdict with all of these, each 0, is dropped whole
    required: frozenset[str] = frozenset()  # dimensions a subject must have to be on the board
    excluded: frozenset[str] = frozenset()  # model ids left off the board

    @property
    def fields(self) -> dict[str, int]:
        """The verdict fields that reach the index, each with the end of the scale that it is read on, if it has one."""
        return {
            field: 2 if component.percent == "of two" else 10
            for component in self.components.values()
            for name in component.dimensions
            for field in self.dimensions[name].fields
        }


@functools.cache
def rules() -> dict[str, ScoringRule]:
    """Every published rule, by name."""
    return documents.packaged(Path(__file__).with_name("scoring_rules.yaml"), dict[str, ScoringRule])


class ScoredVerdict(NamedTuple):
    """One complete verdict. `scenario` is the dialogue's id."""

    scenario: str
    experiment: str
    values: Mapping[str, Scalar]


class SubjectRuns(NamedTuple):
    """Everything graded about one configuration, a sequence of verdicts for each run, runs in order of their number."""

    config_dir: str
    runs: tuple[Sequence[ScoredVerdict], ...]


class PublishedRow(msgspec.Struct, frozen=True):
    """A row as it was published. Intervals and spread are None below two runs."""

    config_dir: str
    index: float  # 0-100, one decimal
    ci: Interval | None  # percentile bootstrap over runs, one decimal
    runs: int  # runs that took part
    per_run: tuple[float, ...]  # index of each, one decimal
    dimensions: dict[str, float]  # two decimals; only those with data
    columns: dict[str, float]  # per component, the sum of its dimensions; only those with data
    t_ci: Interval | None  # one decimal
    fully_tested: bool


# Two-sided 95% quantiles of t by degrees of freedom, to the three decimals the published intervals were made with.
# In between the nearest row holds, above the last the normal's 1.96.
T_TABLE = {
    1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201,
    12: 2.179, 13: 2.160, 14: 2.145, 15: 2.131, 16: 2.120, 17: 2.110, 18: 2.101, 19: 2.093, 20: 2.086, 25: 2.060,
    30: 2.042,
}  # fmt: skip


def published_board(subjects: Iterable[SubjectRuns], rule: ScoringRule) -> tuple[PublishedRow, ...]:
    """The fully tested subjects, best first; ties stand in the order of their directory names."""
    rows = [published_row(subject, rule) for subject in subjects if not _excluded(subject.config_dir, rule)]
    return tuple(sorted((row for row in rows if row.fully_tested), key=lambda row: (-row.index, row.config_dir)))


def published_row(subject: SubjectRuns, rule: ScoringRule) -> PublishedRow:
    """Score one subject. Without any data its index is 0.0 and it is not fully tested."""
    runs = [run_dimensions(run, rule) for run in _kept(subject, rule)]
    dimensions = runs[0] if len(runs) == 1 else _averaged(runs, rule)
    indices = [index_of(run, rule) for run in runs]
    several = len(indices) > 1
    return PublishedRow(
        subject.config_dir,
        round(index_of(dimensions, rule), 1),
        ci=_printed(percentile_interval(indices)) if several else None,
        runs=len(runs),
        per_run=tuple(round(index, 1) for index in indices),
        dimensions=dimensions,
        columns=_columns(dimensions, rule),
        t_ci=_printed(_t_interval(indices)) if several else None,
        fully_tested=rule.required <= dimensions.keys(),
    )


def _kept(subject: SubjectRuns, rule: ScoringRule) -> list[list[ScoredVerdict]]:
    """The verdicts of each run that has some, void ones left out."""
    kept = [[v for v in run if v.values and not void(v.values, rule)] for run in subject.runs]
    return [run for run in kept if run]


def lost_points(subject: SubjectRuns, rule: ScoringRule) -> dict[str, float] | None:
    """Scenario -> points of the index that its verdicts cost; over all scenarios 100 less the index, before rounding.

    Every rule is linear in the verdicts that it averages. None without any.
    """
    runs = [_found(run, rule) for run in _kept(subject, rule)]
    present = {name: [run[name] for run in runs if name in run] for name in rule.dimensions}
    parts = [one for one in rule.components.values() if any(present[name] for name in one.dimensions)]
    weights, out = sum(one.weight for one in parts), dict[str, float]()
    for part in parts:
        percent = _PERCENT[part.percent]
        slope, own = percent(1) - percent(0), [present[name] for name in part.dimensions if present[name]]
        for of_runs in own:
            for found in of_runs:
                for scenario, value in found:
                    lost = (100 - percent(0)) / len(own) - slope * value
                    share = part.weight / weights / len(of_runs) / len(found)
                    out[scenario] = out.get(scenario, 0.0) + share * lost
    return out or None


def void(values: Mapping[str, Scalar], rule: ScoringRule) -> bool:
    """True where a verdict has all fields that mark it as void, each of them 0."""
    return bool(rule.void) and all(field in values and values[field] == 0 for field in rule.void)


def run_dimensions(verdicts: Sequence[ScoredVerdict], rule: ScoringRule) -> dict[str, float]:
    """Rounded mean of every dimension that one run has data for, void verdicts left out."""
    return {
        name: round(sum(value for _, value in found) / len(found) * (own := rule.dimensions[name]).scale, own.digits)
        for name, found in _found(verdicts, rule).items()
    }


def _found(verdicts: Sequence[ScoredVerdict], rule: ScoringRule) -> dict[str, list[tuple[str, float]]]:
    """Every dimension that one run has data for -> scenario and value of each verdict, void ones left out."""
    apart = {dimension.scenario for dimension in rule.dimensions.values()} - {None}
    usable = [verdict for verdict in verdicts if not void(verdict.values, rule)]
    out = {}
    for name, dimension in rule.dimensions.items():
        own = {dimension.scenario} if dimension.scenario else None
        found = [
            (verdict.scenario, sum(float(verdict.values.get(field, 0)) for field in dimension.fields))
            for verdict in usable
            if verdict.experiment == dimension.experiment
            and (verdict.scenario in own if own else verdict.scenario not in apart)
            and any(field in verdict.values for field in dimension.fields)
        ]
        if found:
            out[name] = found
    return out


def _averaged(runs: Sequence[Mapping[str, float]], rule: ScoringRule) -> dict[str, float]:
    out = {}
    for name in rule.dimensions:
        found = [run[name] for run in runs if name in run]
        if found:
            out[name] = round(sum(found) / len(found), 2)
    return out


def _columns(dimensions: Mapping[str, float], rule: ScoringRule) -> dict[str, float]:
    return {
        name: sum(dimensions.get(dimension, 0) for dimension in component.dimensions)
        for name, component in rule.components.items()
        if any(dimension in dimensions for dimension in component.dimensions)
    }


def index_of(dimensions: Mapping[str, float], rule: ScoringRule) -> float:
    """The unrounded index of a rule on dimensions; what is absent leaves the denominator. 0.0 without any data."""
    total = weights = 0.0
    for name, value in _columns(dimensions, rule).items():
        component = rule.components[name]
        total += _PERCENT[component.percent](value) * component.weight
        weights += component.weight
    return total / weights if weights else 0.0


def _t_interval(values: Sequence[float]) -> Interval:
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    half = _published_t(len(values) - 1) * spread / math.sqrt(len(values))
    return Interval(mean - half, mean + half).within(0.0, 100.0)


def _published_t(df: int) -> float:
    if df > max(T_TABLE):
        return 1.96
    return T_TABLE[min(T_TABLE, key=lambda known: abs(known - df))]


def _printed(interval: Interval) -> Interval:
    return Interval(round(interval.low, 1), round(interval.high, 1))


def _excluded(config_dir: str, rule: ScoringRule) -> bool:
    slug = config_dir.partition("@")[0].partition("+")[0]
    return slug in {model_id.replace("/", "--") for model_id in rule.excluded}
