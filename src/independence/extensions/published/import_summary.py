"""An imported result set in numbers, and how often each kind of anomaly was met."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import msgspec

from independence.extensions.published.dialogues import ImportedRun, ImportedTrial, SuiteLayout, generated
from independence.extensions.published.responses import EMPTY_VERDICT, STALE, STALE_CHAIN, Anomaly, catalogue
from independence.extensions.published.scoring_rules import (
    ScoredVerdict,
    ScoringRule,
    SubjectRuns,
    published_row,
    run_dimensions,
)
from independence.report.files.table import Column, Table
from independence.types import Reply, Verdict

RunKey = tuple[str, int]  # config_dir, run


class AnomalyCount(Anomaly, frozen=True):
    """How often one kind of anomaly was met: `count` in `unit`, in so many runs and configurations."""

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
    unknown_turns: dict[str, int]  # EXPERIMENT/TURN of those that lie where response files do -> files
    unreadable: tuple[str, ...]  # response files that are not readable JSON of the right shape; skipped
    anomalies: tuple[AnomalyCount, ...]
    older: int  # configurations of the older layout, whose names say neither effort nor temperature


def table(summary: ImportSummary) -> Table:
    """How often each kind of anomaly was met, under what was read."""
    sizes = ", ".join(f"{count} of {size} files" for size, count in summary.run_sizes.items())
    held = f"{summary.replies:,} replies, {summary.verdicts:,} verdicts, {summary.files:,} files"
    unknown = f"{summary.unknown_files} files are no part of the layout; ignored."
    columns = (Column("id", "#"), Column("about", "Anomaly, tolerated and flagged"), Column("count", "Count", "count"))
    rows = tuple((one.id, one.about, one.count) for one in summary.anomalies)
    title = f"{summary.configurations} configurations, {summary.runs} runs ({sizes}); {held}"
    return Table("anomalies", title, columns, rows, (unknown,) if summary.unknown_files else ())


class FileCounts(msgspec.Struct):
    """What a reader met, besides results."""

    files: int = 0
    unknown: int = 0
    unknown_turns: Counter[tuple[str, str]] = msgspec.field(default_factory=Counter)  # experiment and turn -> files
    unreadable: list[str] = []
    older: set[str] = set()  # configurations


def summarise(
    runs: Sequence[ImportedRun], found: FileCounts, by: SuiteLayout, registered: frozenset[str] | None
) -> ImportSummary:
    """Count everything. `registered`: the configuration directories of a models file; None where there is none."""
    trials = [trial for run in runs for trial in run.trials]
    answers = [call.answer for trial in trials for call in trial.calls]
    replies = sum(isinstance(answer, Reply) for answer in answers)
    sizes = Counter(sum(len(trial.calls) for trial in run.trials) for run in runs)
    return ImportSummary(
        files=found.files, replies=replies, blank=len(answers) - replies,
        verdicts=sum(isinstance(trial.verdict.grade, Verdict) for trial in trials),
        name_extractions=sum(bool(run.name_extraction) for run in runs), runs=len(runs),
        configurations=len({run.config_dir for run in runs}), run_sizes=dict(sorted(sizes.items(), reverse=True)),
        unknown_files=found.unknown, unknown_turns={"/".join(at): n for at, n in sorted(found.unknown_turns.items())},
        unreadable=tuple(found.unreadable), anomalies=_anomalies(runs, by, registered),
        older=len(found.older),
    )  # fmt: skip


def _anomalies(
    runs: Sequence[ImportedRun], by: SuiteLayout, registered: frozenset[str] | None
) -> tuple[AnomalyCount, ...]:
    """Counts in the catalogue's order, without the kinds that cannot be looked for here."""
    met: dict[str, Counter[RunKey]] = defaultdict(Counter)
    for run in runs:
        key = run.config_dir, run.run
        for flag in (flag for trial in run.trials for flag in _flags(trial)):
            met[flag][key] += 1
        met["missing_file"][key] += _missing_files(run, by)
        met["split_run"][key] += _is_split(run)
    keys = {(run.config_dir, run.run) for run in runs}
    unknown = set[str]()
    if by.rule:
        met["missing_dimension"].update(_holes(runs, by.rule))
    else:
        unknown |= {"missing_dimension"}
    if registered is not None:
        met["unregistered"].update(key for key in keys if key[0] not in registered)
        met["not_in_set"].update((name, 0) for name in registered - {config for config, _ in keys})
    else:
        unknown |= {"unregistered", "not_in_set"}
    out = []
    for kind in catalogue():
        if kind.flag not in unknown:
            where = {key for key, times in met[kind.flag].items() if times}
            broken, configs = len(where & keys), len({config for config, _ in where})
            total = {"runs": broken, "configurations": configs}.get(kind.unit, met[kind.flag].total())
            about = msgspec.structs.asdict(kind)
            out.append(AnomalyCount(**about, count=total, runs=broken, configurations=configs))
    return tuple(out)


def _flags(trial: ImportedTrial) -> Iterator[str]:
    yield from trial.verdict.flags
    for call in trial.calls:
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


def _is_split(run: ImportedRun) -> bool:
    times = []
    for call in (call for trial in run.trials for call in trial.calls):
        with suppress(ValueError, OverflowError):
            times.append(datetime.fromisoformat(call.answered_at or "").timestamp())
    return bool(times) and max(times) - min(times) > timedelta(days=1).total_seconds()


def _holes(runs: Sequence[ImportedRun], rule: ScoringRule) -> Iterator[RunKey]:
    """Runs without data for a dimension, among configurations that have data for all of them."""
    tested = {subject.config_dir for subject in subject_runs(runs) if published_row(subject, rule).fully_tested}
    for run in runs:
        if run.config_dir in tested and rule.required - run_dimensions(_verdicts(run), rule).keys():
            yield run.config_dir, run.run


def subject_runs(runs: Iterable[ImportedRun]) -> tuple[SubjectRuns, ...]:
    """The verdicts of imported runs as scoring rules read them, in the order of the runs."""
    by_config: dict[str, list[list[ScoredVerdict]]] = {}
    for run in runs:
        by_config.setdefault(run.config_dir, []).append(_verdicts(run))
    return tuple(SubjectRuns(config_dir, tuple(verdicts)) for config_dir, verdicts in by_config.items())


def _verdicts(run: ImportedRun) -> list[ScoredVerdict]:
    return [
        ScoredVerdict(trial.scenario.id, trial.scenario.experiment, trial.verdict.grade.values)
        for trial in run.trials
        # The publisher did not have what could be read of an empty verdict.
        if isinstance(trial.verdict.grade, Verdict) and EMPTY_VERDICT not in trial.verdict.flags
    ]
