"""Imported results of the bench as rows of the store, under the edition `published`; twice changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from independence.config.registry import Registry
from independence.config.subjects import SIM
from independence.errors import UsageError
from independence.exchange.storing import ImportedRows
from independence.extensions.published.dialogues import ImportedRun, trial_row, turn_positions
from independence.extensions.published.import_summary import ImportSummary
from independence.extensions.published.responses import EMPTY_VERDICT
from independence.judge.protocol import verdict_key
from independence.store import names
from independence.store.queries import PUBLISHED, REREAD
from independence.store.records import EditionRow, Sidecar, SubjectRow, VerdictRow
from independence.suites import digest, load
from independence.suites.schema import Suite
from independence.suites.without_texts import without_texts
from independence.types import Grade, Verdict

UNKNOWN_JUDGE = "unknown"  # whose verdicts were published without a name


def rows(suite: Suite, runs: Iterable[ImportedRun], labels: Mapping[str, str] = MappingProxyType({})) -> ImportedRows:
    """The rows that hold a result set; `labels` by config_dir."""
    known, ours = (msgspec.json.encode(one).decode() for one in (without_texts(suite), suite))
    out = ImportedRows(EditionRow(suite.suite, PUBLISHED, known, ours))
    for run in runs:
        config = run.config_dir
        out.subjects[config] = subject_row(suite, PUBLISHED, config, run.model_id, labels.get(config, run.model_id))
        published = {(trial.condition, trial.scenario.id): trial for trial in run.trials}
        for condition in dict.fromkeys(trial.condition for trial in run.trials):
            for scenario in suite.scenarios:  # what a run lacks is planned too
                row = trial_row(suite, PUBLISHED, scenario, config_dir=config, run=run.run, condition=condition)
                out.trials.append(row)
                if found := published.get((condition, scenario.id)):
                    out.calls.extend(found.calls)
                    grade, judge, flags = found.verdict
                    if grade is not None:
                        dates = [call.answered_at for call in found.calls if call.answered_at is not None]
                        reread = isinstance(grade, Verdict) and EMPTY_VERDICT in flags
                        graded = verdict_row(
                            row.key, found.calls[-1].after, judge, grade, judged_at=max(dates, default=None),
                            rubric=REREAD if reread else PUBLISHED,
                        )  # fmt: skip
                        out.verdicts.append(graded)
        if run.name_extraction:
            out.sidecars.append(Sidecar(config, run.run, names.SIDECAR, run.name_extraction))
    return out


def refuse_older(path: Path, older: int, suite: str | None) -> None:
    """Raises UsageError for folders of the older layout where nobody says whose they are."""
    if older and suite is None:
        raise UsageError(
            f"{path}: folders named like `vendor--model` are of the older layout of several suites",
            "say which one this is: --suite v1 or --suite lite",
        )


def refuse_other(path: Path, suite: Suite, summary: ImportSummary) -> None:
    """Raises UsageError where half of the runs or more have a turn of another published suite that `suite` lacks."""
    frequent = {turn for turn, files in summary.unknown_turns.items() if 2 * files >= summary.runs}
    for name in load.built_in() if frequent else ():
        other = load.load(name).suite
        theirs = {f"{at.scenario.experiment}/{turn}" for turn, at in turn_positions(other).items()}
        lacking = sorted(frequent & theirs)
        if lacking and other.index is not None and other.index.published_rule is not None:
            what = f"looks like results of suite {name}, not of {suite.suite}, which has no {', '.join(lacking[:2])}"
            raise UsageError(f"{path}: {what}", f"import it with --suite {name}")


def published_labels(runs: Iterable[ImportedRun], known: Registry) -> dict[str, str]:
    """Labels as published: `display_label`, or the id behind its vendor; an unlisted configuration keeps its raw id."""
    labels = {one.config_dir: one.display_label or one.label.removeprefix("local/") for one in known.subjects}
    taken = set(labels.values())
    for run in runs:
        if run.config_dir not in labels:
            labels[run.config_dir] = run.config_dir if run.model_id in taken else run.model_id
            taken.add(labels[run.config_dir])
    return labels


def subject_row(suite: Suite, edition: str, config_dir: str, model_id: str, label: str) -> SubjectRow:
    """A subject of an import; an exported run of a simulated one says so in the model's id."""
    simulated = model_id.startswith(f"{SIM}/")
    return SubjectRow(
        suite=suite.suite, edition=edition, config_dir=config_dir, label=label, model_id=model_id, simulated=simulated
    )  # fmt: skip


def verdict_row(
    trial: str, at: str, judge: str, grade: Grade, *, judged_at: str | None, rubric: str = PUBLISHED
) -> VerdictRow:
    """The verdict of a published judge on a dialogue that ends `at`."""
    settings = digest.canonical({"judge": judge, "published": True}).decode()
    return VerdictRow(
        key=verdict_key(at, PUBLISHED, settings), trial=trial, judge=judge or UNKNOWN_JUDGE, rubric=rubric, context=at,
        settings=settings, grade=grade, judged_at=judged_at,
    )  # fmt: skip
