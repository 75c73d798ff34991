"""An imported result set in numbers, and how often each kind of anomaly was met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from independence.exchange.anomalies import (
    CATALOGUE,
    EMPTY_VERDICT,
    MISSING_DIMENSION,
    MISSING_FILE,
    NOT_IN_SET,
    SPLIT_RUN,
    STALE_CHAIN,
    UNREGISTERED,
    Anomaly,
    Unit,
)
from independence.exchange.dialogues import ImportedRun, ImportedTrial, SuiteLayout
from independence.exchange.layout import generated
from independence.exchange.responses import STALE
from independence.stats.published import ScoredVerdict, SubjectRuns, published_row, run_dimensions
from independence.stats.published_rules import ScoringRule
from independence.types import Reply, Verdict

RunKey = tuple[str, int]  # config_dir, run


class AnomalyCount(msgspec.Struct, frozen=True):
    """How often one kind of anomaly was met: `count` in `unit`, in so many runs and configurations."""

    id: str
    flag: str
    about: str
    unit: Unit
    count: int
    runs: int
    configurations: int


class ImportSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A result set in numbers. `anomalies` follows the catalogue; kinds that could not be looked for are left out."""

    files: int  # regular files below configuration directories
    replies: int
    blank: int  # response files without an answer in them
    verdicts: int  # complete and typed
    name_extractions: int
    runs: int
    configurations: int
    run_sizes: dict[int, int]  # response files in a run -> runs of that size
    unknown_files: int  # not part of the suite's layout; ignored
    unreadable: tuple[str, ...]  # response files that are not readable JSON of the right shape; skipped
    anomalies: tuple[AnomalyCount, ...]
    older: int  # configurations of the older layout, whose names say neither effort nor temperature


class FileCounts(NamedTuple):
    """Files that a reader met."""

    files: int
    unknown: int
    unreadable: tuple[str, ...]
    older: int = 0


def summarise(
    runs: Sequence[ImportedRun], found: FileCounts, by: SuiteLayout, registered: frozenset[str] | None
) -> ImportSummary:
    """Count everything. `registered`: the configuration directories of a models file; None where there is none."""
    trials = [trial for run in runs for trial in run.trials]
    answers = [call.answer for trial in trials for call in trial.calls]
    replies = sum(isinstance(answer, Reply) for answer in answers)
    sizes = Counter(sum(len(trial.calls) for trial in run.trials) for run in runs)
    return ImportSummary(
        files=found.files,
        replies=replies,
        blank=len(answers) - replies,
        verdicts=sum(isinstance(trial.verdict.grade, Verdict) for trial in trials),
        name_extractions=sum(bool(run.name_extraction) for run in runs),
        runs=len(runs),
        configurations=len({run.config_dir for run in runs}),
        run_sizes=dict(sorted(sizes.items(), reverse=True)),
        unknown_files=found.unknown,
        unreadable=found.unreadable,
        anomalies=count_anomalies(runs, by, registered),
        older=found.older,
    )


def count_anomalies(
    runs: Sequence[ImportedRun], by: SuiteLayout, registered: frozenset[str] | None
) -> tuple[AnomalyCount, ...]:
    """Counts in the catalogue's order. Left out is what cannot be known: what is not in the models file where
    `registered` is None, and missing dimensions where the suite has no published rule.
    """
    met: dict[str, Counter[RunKey]] = {anomaly.flag: Counter() for anomaly in CATALOGUE}
    for run in runs:
        for flag, times in _of_run(run, by):
            met[flag][run.config_dir, run.run] += times
    keys = {(run.config_dir, run.run) for run in runs}
    skipped = set()
    if by.rule:
        met[MISSING_DIMENSION].update(_holes(runs, by.rule))
    else:
        skipped.add(MISSING_DIMENSION)
    if registered is not None:
        met[UNREGISTERED].update(key for key in keys if key[0] not in registered)
        met[NOT_IN_SET].update((name, 0) for name in registered - {config_dir for config_dir, _ in keys})
    else:
        skipped |= {UNREGISTERED, NOT_IN_SET}
    return tuple(_count(kind, met[kind.flag], keys) for kind in CATALOGUE if kind.flag not in skipped)


def subject_runs(runs: Iterable[ImportedRun]) -> tuple[SubjectRuns, ...]:
    """The verdicts of imported runs as scoring rules read them, in the order of the runs."""
    by_config: dict[str, list[list[ScoredVerdict]]] = {}
    for run in runs:
        by_config.setdefault(run.config_dir, []).append(_verdicts(run))
    return tuple(SubjectRuns(config_dir, tuple(verdicts)) for config_dir, verdicts in by_config.items())


def _count(kind: Anomaly, met: Counter[RunKey], keys: set[RunKey]) -> AnomalyCount:
    where = {key for key, times in met.items() if times}
    runs, configurations = len(where & keys), len({config_dir for config_dir, _ in where})
    total = {"runs": runs, "configurations": configurations}.get(kind.unit, met.total())
    return AnomalyCount(**kind._asdict(), count=total, runs=runs, configurations=configurations)


def _of_run(run: ImportedRun, by: SuiteLayout) -> Iterator[tuple[str, int]]:
    for trial in run.trials:
        for flag in _of_trial(trial):
            yield flag, 1
    yield MISSING_FILE, _missing_files(run, by)
    yield SPLIT_RUN, int(_split(run))


def _of_trial(trial: ImportedTrial) -> Iterator[str]:
    yield from trial.verdict.flags
    for call in trial.calls:
        yield from call.flags
        for flag in call.answer.flags if isinstance(call.answer, Reply) else ():
            yield STALE_CHAIN if flag == STALE and len(generated(trial.scenario)) > 2 else flag


def _missing_files(run: ImportedRun, by: SuiteLayout) -> int:
    """Turn files that a run lacks. A run without a whole experiment comes from another version and lacks nothing."""
    experiments = {position.scenario.experiment for position in by.turns.values()}
    missing = 0
    for condition in {trial.condition for trial in run.trials}:
        own = [trial for trial in run.trials if trial.condition == condition]
        if {trial.scenario.experiment for trial in own} == experiments:
            missing += len(by.turns) - sum(len(trial.calls) for trial in own)
    return missing


def _split(run: ImportedRun) -> bool:
    times = []
    for call in (call for trial in run.trials for call in trial.calls):
        with suppress(ValueError, OverflowError):
            times.append(datetime.fromisoformat(call.timestamp).timestamp())
    return bool(times) and max(times) - min(times) > timedelta(days=1).total_seconds()


def _holes(runs: Sequence[ImportedRun], rule: ScoringRule) -> Iterator[RunKey]:
    """Runs without data for a dimension, among configurations that have data for all of them."""
    tested = {subject.config_dir for subject in subject_runs(runs) if published_row(subject, rule).fully_tested}
    for run in runs:
        if run.config_dir in tested and rule.required - run_dimensions(_verdicts(run), rule).keys():
            yield run.config_dir, run.run


def _verdicts(run: ImportedRun) -> list[ScoredVerdict]:
    return [
        ScoredVerdict(trial.scenario.id, trial.scenario.experiment, trial.verdict.grade.values)
        for trial in run.trials
        # The publisher did not have what could be read of an empty verdict.
        if isinstance(trial.verdict.grade, Verdict) and EMPTY_VERDICT not in trial.verdict.flags
    ]
