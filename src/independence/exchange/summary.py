"""What a reader found, in numbers. Nothing here prints or decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from independence.exchange.dialogues import Guide
from independence.exchange.rows import ImportedRun
from independence.exchange.tally import AnomalyCount, counted
from independence.types import Reply, Verdict


class Summary(msgspec.Struct, frozen=True):
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
    older: int = 0  # configurations of the older layout, whose names say neither effort nor temperature

    def count(self, flag: str) -> int:
        """How often a kind of oddity was met. Raises KeyError for one that was not looked for."""
        return {anomaly.flag: anomaly.count for anomaly in self.anomalies}[flag]


class Found(NamedTuple):
    """What the reader met on its way, besides runs."""

    files: int
    unknown: int
    unreadable: tuple[str, ...]
    older: int = 0


def summarise(runs: Sequence[ImportedRun], found: Found, by: Guide, registered: frozenset[str] | None) -> Summary:
    """Count everything. `registered`: the configuration directories of a models file; None where there is none."""
    trials = [trial for run in runs for trial in run.trials]
    answers = [call.answer for trial in trials for call in trial.calls]
    replies = sum(isinstance(answer, Reply) for answer in answers)
    return Summary(
        files=found.files,
        replies=replies,
        blank=len(answers) - replies,
        verdicts=sum(isinstance(trial.grade, Verdict) for trial in trials),
        name_extractions=sum(bool(run.name_extraction) for run in runs),
        runs=len(runs),
        configurations=len({run.config_dir for run in runs}),
        run_sizes=dict(sorted(Counter(_size(run) for run in runs).items(), reverse=True)),
        unknown_files=found.unknown,
        unreadable=found.unreadable,
        anomalies=counted(runs, by, registered),
        older=found.older,
    )


def _size(run: ImportedRun) -> int:
    return sum(len(trial.calls) for trial in run.trials)
