"""From flags, environment and models.yaml to a job. What can be wrong is refused here, before any request."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.cli import judges, place_lookup, rosters, stored_names, suite_defaults
from independence.cli.judges import OfflineOptions
from independence.cli.session import ResolvedRun
from independence.cli.subjects import SubjectSources, choose
from independence.clients import dialects
from independence.config import environment, limits, registry
from independence.config.endpoints import Endpoint, check_key
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, SIM
from independence.engine import plan, stored_trials
from independence.engine.plan import GridPart, Selection, Trial
from independence.engine.run_context import Parallelism
from independence.errors import StoreError, UsageError
from independence.exchange.requests import in_published_words
from independence.judge.spec import HYBRID, OFFLINE, JudgeSpec, kind
from independence.stats.allocation import LEAST
from independence.store import name_lookup, scopes
from independence.store.queries import imported
from independence.suites import load
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite
from independence.types import Sampling

DEFAULT_FILE = Path("models.yaml")
RUNS = 3
CALLS = 20


class RunRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A run as asked for on the command line."""

    suite: str = "v2"
    models: tuple[str, ...] = ()
    models_file: Path | None = None
    roster: str | None = None  # `default`: the roster of the models file, else of the registry that ships
    runs: int | None = None  # None: RUNS, or the least where `calls` are spread
    run_number: int | None = None  # this run alone
    calls: int | None = None  # a subject's calls, spread over scenarios where the noise is
    experiments: tuple[str, ...] = ()
    grid: Path | None = None  # its prompts are asked in place of the suite's
    part: GridPart = GridPart()  # of the suite's grid
    variants: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    no_judge: bool = False
    offline: OfflineOptions = OfflineOptions()
    parallel: int = 8
    parallel_tasks: int | None = None  # None: CALLS
    sampling: Sampling = Sampling()
    local_url: str | None = None
    local_model: str | None = None
    local_timeout: float | None = None  # None: environment.LOCAL_TIMEOUT_S
    max_cost: float | None = None
    allow_unpriced: bool = False
    rps: float | None = None
    burst: int | None = None
    seed: int = 0
    dry_run: bool = False  # no model is asked: no key is needed


class RunPlan(NamedTuple):
    """What is to be asked and graded, whoever serves it."""

    suite: Suite  # with the personas among its variants
    edition: str
    personas: Mapping[str, str]
    trials: Sequence[Trial]
    judges: Sequence[JudgeSpec]
    notes: Sequence[str] = ()  # what to say about the plan

    @property
    def grading(self) -> list[str]:
        """Endpoints that judges need."""
        return [judge.endpoint for judge in self.judges if judge.asks]


def make_plan(
    wanted: RunRequest, known: Registry, env: Mapping[str, str], connection: sqlite3.Connection | None = None
) -> RunPlan:
    """The plan alone: no key and no address is needed for it. `connection` tells the noise of stored runs.

    Raises UsageError.
    """
    loaded = _loaded(wanted)
    suite, personas, variants = _personas(loaded, wanted.variants)
    runs = _runs(wanted)
    selection = plan.select(suite, variants, wanted.modes, runs, wanted.experiments)
    selection = msgspec.structs.replace(
        plan.narrowed(suite, selection, wanted.part), seed=wanted.seed, only_run=wanted.run_number
    )
    subjects = choose(_sources(wanted, suite, env), known, wanted.sampling)
    graders = () if wanted.no_judge else _judges(wanted, suite, known, env)
    notes = [*_from_environment(wanted, suite, env), *_sample_notes(suite, selection, wanted.part)]
    if said := load.shared_name(suite.suite, load.locate(wanted.suite)):
        notes.append(said)
    if wanted.calls is not None and connection is not None:
        from independence.cli import replicates

        asked = replicates.ReplicateBudget(wanted.suite, wanted.calls, max(runs, LEAST))
        who = replicates.SubjectsAndJudges(subjects, graders)
        edition = LoadedSuite(suite, loaded.edition)
        selection, spread = replicates.spread_calls(connection, edition, selection, who, asked)
        notes += spread
    return RunPlan(suite, loaded.edition, personas, plan.trials(suite, selection, subjects), graders, notes)


def _runs(wanted: RunRequest) -> int:
    """How many runs are planned. Raises UsageError where two options say it differently."""
    if wanted.run_number is not None:
        if wanted.runs is not None or wanted.calls is not None:
            raise UsageError("--run-number asks one run; leave out --runs and --replicates, or leave it out")
        if wanted.run_number < 1:
            raise UsageError(f"--run-number {wanted.run_number}: runs are counted from 1")
        return wanted.run_number
    least = RUNS if wanted.calls is None else LEAST
    return least if wanted.runs is None else wanted.runs


def _loaded(wanted: RunRequest) -> LoadedSuite:
    loaded = load.load(wanted.suite)
    if wanted.grid is None:
        return loaded
    from independence.exchange.rent import words  # only such a run needs it

    return words.read_grid(wanted.grid, loaded)


def _sources(wanted: RunRequest, suite: Suite, env: Mapping[str, str]) -> SubjectSources:
    return SubjectSources(suite, env, wanted.models, wanted.models_file, wanted.local_url, wanted.local_model,
                   wanted.roster, wanted.runs or RUNS)  # fmt: skip


def _from_environment(wanted: RunRequest, suite: Suite, env: Mapping[str, str]) -> list[str]:
    """What to say of models that the suite's environment variables name."""
    asked = _sources(wanted, suite, env).by_environment
    grading = None if wanted.judges or wanted.no_judge else suite_defaults.judge_named(suite, env)
    said = [f"{asked.variable} names the model: {asked.model}"] if asked else []
    return said + ([f"{grading.variable} names the judge: {grading.model}"] if grading else [])


def _sample_notes(suite: Suite, selection: Selection, part: GridPart) -> list[str]:
    """What to say of a sample."""
    if part.limit is None:
        return []
    count, seed = len(plan.dialogues(suite, selection)) // len(selection.conditions), part.seed or 0
    return [f"a balanced sample of whole cells: {count} of {len(suite.scenarios)} scenarios (--seed {seed})"]


def resolve(wanted: RunRequest, connection: sqlite3.Connection, loopback: Endpoint | None = None) -> ResolvedRun:
    """Build the job. `loopback` serves `sim/` ids. Raises UsageError."""
    env, known = environment.read(), rosters.known(models(wanted.models_file), wanted.models_file, wanted.roster)
    names, known = stored_names.resolve_stored_names(connection, wanted.models, known)
    wanted = msgspec.structs.replace(wanted, models=names)
    made = make_plan(wanted, known, env, connection)
    asked = [trial.subject.endpoint for trial in made.trials]
    judges.key_needed(not wanted.dry_run and OPENROUTER in made.grading and OPENROUTER not in asked, env)
    return ResolvedRun(
        *made[:5], endpoints(asked + made.grading, known, env, wanted, loopback),
        shares(wanted.parallel, wanted.parallel_tasks), cap(wanted.max_cost), wanted.allow_unpriced,
        notes=(*known.notes, *made.notes, *_redirected(asked + made.grading, env)),
    )  # fmt: skip


def _redirected(endpoints: Iterable[str], env: Mapping[str, str]) -> list[str]:
    """Which server `openrouter` is, where it is asked and is another one."""
    base = environment.redirected(env)
    said = f"openrouter is {environment.without_credentials(base)} here (OPENROUTER_BASE_URL)"
    return [said] * bool(base and OPENROUTER in endpoints)


class GradingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Stored dialogues to grade, as asked for on the command line."""

    suite: str | None
    variant: str | None
    mode: str | None
    models: tuple[str, ...]
    judges: tuple[str, ...]
    experiments: tuple[str, ...] = ()
    offline: OfflineOptions = OfflineOptions()
    models_file: Path | None = None
    parallel: int = 8
    parallel_tasks: int | None = None  # None: CALLS
    local_url: str | None = None
    max_cost: float | None = None
    allow_unpriced: bool = False
    rps: float | None = None
    burst: int | None = None
    dry_run: bool = False


def resolve_grading(
    wanted: GradingRequest, connection: sqlite3.Connection, loopback: Endpoint | None = None
) -> ResolvedRun:
    """Build the job of `judge`: every finished dialogue of one place. Raises UsageError, StoreError."""
    registered, env = models(wanted.models_file), environment.read()
    scope = place_lookup.find(connection, wanted.suite, wanted.variant, wanted.mode)
    suite, notes = scopes.grading(connection, scope), list(registered.notes)
    trials = stored_trials.trials(connection, suite, scope.where)
    if imported(scope.edition):
        trials = in_published_words(connection, trials)
        notes.append(
            f"imported dialogues are graded as they were held, by the rubrics of our suite {suite.suite}: those that "
            "they were published with are unknown"
        )
    if wanted.experiments:
        plan.check_experiments(scope.suite, wanted.experiments)
        trials = [trial for trial in trials if trial.dialogue.scenario.experiment in wanted.experiments]
    if wanted.models:
        known = name_lookup.of_edition(connection, scope.where)
        chosen = {known[config].label for config in name_lookup.subjects(wanted.models, known, "here")}
        trials = [t for t in trials if t.subject.label in chosen]
    if not trials:
        raise StoreError("no finished dialogue fits; `independence leaderboard` shows what the store holds")
    graders = judges.specs(wanted.judges, registered, suite, wanted.offline)
    grading = [judge.endpoint for judge in graders if judge.asks]
    asked = RunRequest(
        local_url=wanted.local_url,
        rps=wanted.rps,
        burst=wanted.burst,
        parallel_tasks=wanted.parallel_tasks,
        dry_run=wanted.dry_run,
    )
    return ResolvedRun(
        suite, scope.edition, {}, trials, graders, endpoints(grading, registered, env, asked, loopback),
        shares(wanted.parallel, wanted.parallel_tasks), cap(wanted.max_cost), wanted.allow_unpriced, stored=True,
        notes=notes,
    )  # fmt: skip


def shares(subjects: int, calls: int | None) -> Parallelism:
    """How much runs at once. Raises UsageError for less than one."""
    calls = CALLS if calls is None else calls
    for flag, value in (("-p", subjects), ("-pt", calls)):
        if value < 1:
            raise UsageError(f"{flag} {value}: at least 1 is needed")
    return Parallelism(subjects, calls)


def cap(value: float | None) -> float | None:
    """The dollars of `--max-cost`. Raises UsageError for a cap of nothing."""
    if value is not None and not 0 < value < math.inf:
        raise UsageError(f"--max-cost {value}: write dollars above 0, or leave it out for no cap")
    return value


def models(file: Path | None) -> Registry:
    """What a models file lists: the one named, else `./models.yaml` where it is there. Raises DocumentError."""
    path = file or (DEFAULT_FILE if DEFAULT_FILE.is_file() else None)
    known = registry.load(path, dialects.of) if path else Registry()
    return msgspec.structs.replace(known, redirected=bool(environment.redirected(environment.read())))


def _personas(loaded: LoadedSuite, variants: Iterable[str]) -> tuple[Suite, dict[str, str], list[str]]:
    """Read `.md` variants; a persona's name carries its digest, so an edited file never mixes with the old one."""
    suite, personas, names = loaded.suite, {}, []
    for variant in variants:
        if not load.is_persona(variant):
            names.append(variant)
            continue
        name, text = load.persona(Path(variant))
        suite = msgspec.structs.replace(suite, variants={**suite.variants, name: text})
        personas[name] = text
        names.append(name)
    return suite, personas, names


def _judges(wanted: RunRequest, suite: Suite, known: Registry, env: Mapping[str, str]) -> tuple[JudgeSpec, ...]:
    if wanted.judges:
        offline = wanted.offline
        if offline.weights is None and any(kind(name) in (OFFLINE, HYBRID) for name in wanted.judges):
            offline = msgspec.structs.replace(offline, weights=judges.own_weights(wanted.suite))
        return judges.specs(wanted.judges, known, suite, offline)
    try:
        return judges.specs((suite_defaults.judge(suite, env),), known, suite)
    except UsageError as error:
        named = suite_defaults.judge_named(suite, env)
        raise UsageError(
            f"{named.variable if named else ''} names the judge of suite {suite.suite}: {error}"
        ) from error


def endpoints(
    names: Iterable[str], known: Registry, env: Mapping[str, str], wanted: RunRequest, loopback: Endpoint | None
) -> dict[str, Endpoint]:
    """The endpoints that subjects and judges need. Raises UsageError for a key or an address that is missing."""
    out: dict[str, Endpoint] = {}
    for name in dict.fromkeys(names):
        if name == SIM:
            assert loopback is not None
            out[name] = loopback
        elif name == LOCAL:
            out[name] = environment.local(env, wanted.local_url, wanted.local_timeout or environment.LOCAL_TIMEOUT_S)
        elif name == OPENROUTER:
            out[name] = environment.openrouter(env, keyless=wanted.dry_run)
        else:
            out[name] = _configured(name, known, env, keyless=wanted.dry_run)
    flags = limits.RateFlags(wanted.rps, wanted.burst, wanted.parallel_tasks, wanted.local_timeout)
    return limits.bounded(out, known, environment.settings(env), flags)


def _configured(name: str, known: Registry, env: Mapping[str, str], *, keyless: bool) -> Endpoint:
    entry = next((entry for entry in known.endpoints if entry.name == name), None)
    if entry is None:
        raise UsageError(f"endpoint `{name}` is not declared", "add it to `endpoints:` of models.yaml (--models-file)")
    key = env.get(entry.api_key_env, "") if entry.api_key_env else ""
    if entry.api_key_env and environment.is_placeholder(key) and not keyless:
        raise UsageError(f"endpoint `{name}` reads its key from {entry.api_key_env}, which is not set")
    source = entry.api_key_env or ""
    return Endpoint(
        name,
        entry.base_url,
        entry.dialect,
        check_key(key.strip(), source),
        entry.max_concurrency or 20,
        backoff_s=entry.backoff_s,
        key_source=source,
    )


def needs_loopback(wanted: RunRequest) -> bool:
    """True when a subject or judge is simulated, so that the loopback endpoint has to be up. Raises UsageError."""
    suite, env = load.load(wanted.suite).suite, environment.read()
    labelled = {subject.label: subject.model_id for subject in models(wanted.models_file).subjects}
    named = [labelled.get(name, name) for name in (*wanted.models, *wanted.judges)]
    if not wanted.judges and not wanted.no_judge:
        named.append(suite_defaults.judge(suite, env))
    by_environment = _sources(wanted, suite, env).by_environment
    if by_environment:
        named.append(by_environment.model)
    return judges.simulated(named) or (not wanted.models and not by_environment and _lists_sim(wanted.models_file))


def _lists_sim(file: Path | None) -> bool:
    known = models(file)
    return judges.simulated(known.roster) or any(subject.simulated and subject.active for subject in known.subjects)
