"""From stored subjects to a job that asks them once more. Imports are nobody's configuration and are left alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.cli import judges as graders
from independence.cli import run_request as jobs
from independence.cli.judges import OfflineOptions
from independence.cli.run_request import RunRequest
from independence.cli.session import ResolvedRun
from independence.cli.terminal import note
from independence.config import environment
from independence.config.endpoints import Endpoint
from independence.config.subjects import OPENROUTER, SIM, Subject, from_json
from independence.engine import extended_plan
from independence.engine.plan import MOST, Trial
from independence.errors import StoreError, UsageError
from independence.judge.spec import DEFAULT_JUDGE, JudgeSpec
from independence.report import board, judge_choice
from independence.store import name_lookup, planned_trials, queries, scopes
from independence.store.name_lookup import Names
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite

TOP = 10


class RerunRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Stored subjects to ask again, as asked for on the command line."""

    suite: str | None = None
    variant: str | None = None
    mode: str | None = None
    models: tuple[str, ...] = ()
    top_n: int | None = None
    target_runs: int | None = None
    run_number: int | None = None  # this run alone
    judges: tuple[str, ...] = ()
    no_judge: bool = False
    offline: OfflineOptions = OfflineOptions()
    models_file: Path | None = None
    parallel: int = 8
    parallel_tasks: int | None = None
    local_url: str | None = None
    local_timeout: float | None = None
    max_cost: float | None = None
    allow_unpriced: bool = False
    rps: float | None = None
    burst: int | None = None
    dry_run: bool = False


class RerunPlan(NamedTuple):
    """What there is to do."""

    suite: Suite  # in the stored words, personas among its variants
    edition: str
    trials: Sequence[Trial]
    judges: Sequence[JudgeSpec]

    @property
    def simulated(self) -> bool:
        """Whether a simulated model takes part."""
        return any(t.subject.endpoint == SIM for t in self.trials) or any(j.endpoint == SIM for j in self.judges)

    @property
    def summary(self) -> str:
        """Who is asked again, up to which run."""
        runs: dict[str, int] = {}
        for trial in self.trials:
            runs[trial.subject.label] = max(trial.run, runs.get(trial.subject.label, 0))
        condition = self.trials[0].dialogue.condition
        who = ", ".join(f"{label} (to run {last})" for label, last in runs.items())
        return f"rerun of {self.suite.suite}@{self.edition}, {condition}: {who}"


def choose(wanted: RerunRequest, connection: sqlite3.Connection) -> RerunPlan:
    """Subjects, their plans and judges, from what the store holds. Raises UsageError, StoreError."""
    if wanted.target_runs is not None and wanted.target_runs < 1:
        raise UsageError(f"-R {wanted.target_runs}: at least 1 run is needed")
    if wanted.run_number is not None and wanted.target_runs is not None:
        raise UsageError("--run-number asks one run and -R fills all up to one; give one of the two")
    if wanted.run_number is not None and wanted.run_number < 1:
        raise UsageError(f"--run-number {wanted.run_number}: runs are counted from 1")
    scope = _place(wanted, connection)
    known = _subjects(connection, scope)
    there: dict[str, list[planned_trials.PlannedTrial]] = {}
    for trial in planned_trials.trials(connection, scope.where):
        there.setdefault(trial.config_dir, []).append(trial)
    graded = queries.verdicts(connection, scope.where)
    judges = wanted.judges or (judge_choice.usual_judge(graded) or DEFAULT_JUDGE,)
    names = (
        _config_dirs_named(wanted.models, known, there) if wanted.models else _best(wanted, connection, scope, known)
    )
    personas = queries.personas(connection, scope.where)
    suite = msgspec.structs.replace(scope.suite, variants={**scope.suite.variants, **personas})
    last = wanted.run_number or wanted.target_runs
    trials: list[Trial] = []
    for name in names:
        trials += extended_plan.extend(suite, scope.condition, known[name], there[name], last)
        if len(trials) > MOST:
            raise UsageError(f"more than {MOST:,} dialogues, the most of one command; ask for fewer runs (-R)")
    trials = [trial for trial in trials if wanted.run_number in (None, trial.run)]
    known_models = jobs.models(wanted.models_file)
    specs = () if wanted.no_judge else graders.specs(judges, known_models, suite, wanted.offline)
    return RerunPlan(suite, scope.edition, trials, specs)


def job(wanted: RerunRequest, chosen: RerunPlan, loopback: Endpoint | None) -> ResolvedRun:
    """The job of what was chosen. Raises UsageError for an address or a key that is missing."""
    env, known = environment.read(), jobs.models(wanted.models_file)
    asked = [trial.subject.endpoint for trial in chosen.trials]
    grading = [judge.endpoint for judge in chosen.judges if judge.asks]
    graders.key_needed(not wanted.dry_run and OPENROUTER in grading and OPENROUTER not in asked, env)
    reached = RunRequest(
        local_url=wanted.local_url, local_timeout=wanted.local_timeout, rps=wanted.rps, burst=wanted.burst,
        parallel_tasks=wanted.parallel_tasks, dry_run=wanted.dry_run,
    )  # fmt: skip
    return ResolvedRun(
        chosen.suite, chosen.edition, {}, chosen.trials, chosen.judges,
        jobs.endpoints(asked + grading, known, env, reached, loopback),
        jobs.shares(wanted.parallel, wanted.parallel_tasks), jobs.cap(wanted.max_cost), wanted.allow_unpriced,
        notes=known.notes,
    )  # fmt: skip


def _place(wanted: RerunRequest, connection: sqlite3.Connection) -> BoardScope:
    """The place asked for, among editions of one's own."""
    known = queries.editions(connection)
    own = [info for info in known if not queries.imported(info.edition)]
    if known and not own:
        raise StoreError("the store holds imports only, which cannot be asked again; `independence run` asks models")
    name, _, edition = (wanted.suite or "").partition("@")
    if queries.imported(edition):
        raise UsageError(f"--suite {wanted.suite}: imports cannot be asked again; `independence run` asks models")
    fitting = [info for info in own if info.suite == name] if name else own
    asked = wanted.suite
    if not edition and fitting and len({info.suite for info in fitting}) == 1:
        asked = f"{fitting[0].suite}@{fitting[0].edition}"
    return scopes.find(connection, asked, wanted.variant, wanted.mode)


def _subjects(connection: sqlite3.Connection, scope: BoardScope) -> dict[str, Subject]:
    stored = queries.configurations(connection, scope.where)
    return {name: from_json(config) for name, config in stored.items()}


def _config_dirs_named(names: Iterable[str], known: Mapping[str, Subject], there: Mapping[str, object]) -> list[str]:
    """config_dirs of labels and ids, in order. Raises StoreError for a name that nothing here answers to."""
    stored = {at: Names(at, one.label, one.model_id) for at, one in known.items() if at in there}
    try:
        return name_lookup.subjects(names, stored, "here", what="stored subject")
    except StoreError as error:
        raise StoreError(f"{error}; `independence run` asks new ones") from error


def _best(
    wanted: RerunRequest, connection: sqlite3.Connection, scope: BoardScope, known: Mapping[str, Subject]
) -> list[str]:
    """config_dirs of the first rows of the strict board. Raises UsageError where there is no board."""
    top = TOP if wanted.top_n is None else wanted.top_n
    if top < 1:
        raise UsageError(f"-n {top}: at least 1 subject is needed")
    if scope.suite.index is None:
        raise UsageError(f"suite {scope.suite.suite} has no index to take the best by; name subjects with -m")
    rows = board.board(connection, scope).rows[:top]
    unknown = [row.label for row in rows if row.config not in known]
    if unknown:
        note(f"left out, stored without their configuration by an older version: {', '.join(unknown)}")
    names = [row.config for row in rows if row.config in known]
    if not names:
        raise StoreError("no subject here was stored with its configuration; ask it once more with `independence run`")
    return names
