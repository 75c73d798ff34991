"""From flags, environment and models.yaml to a job. What can be wrong is refused here, before any request."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.cli import defaults, judges
from independence.cli.judges import Offline
from independence.cli.session import Job
from independence.config import environment, limits, registry
from independence.config.endpoints import Endpoint
from independence.config.registry import Overrides, Registry
from independence.config.subjects import LOCAL, OPENROUTER, SIM
from independence.engine import plan, stored
from independence.engine.bench import Shares
from independence.engine.plan import Condition, Part, Selection, Trial
from independence.errors import StoreError, UsageError
from independence.exchange.regrade import in_published_words
from independence.judge.spec import HYBRID, OFFLINE, JudgeSpec, kind
from independence.report import place
from independence.stats.allocation import LEAST
from independence.store.queries import PUBLISHED
from independence.suites import load
from independence.suites.load import Loaded
from independence.suites.schema import Suite

DEFAULT_FILE = Path("models.yaml")
RUNS = 3
CALLS = 20


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A run as asked for on the command line."""

    suite: str = "v2"
    models: tuple[str, ...] = ()
    models_file: Path | None = None
    runs: int | None = None  # None: RUNS, or the least where `calls` are spread
    calls: int | None = None  # a subject's calls, spread over scenarios where the noise is
    experiments: tuple[str, ...] = ()
    part: Part = Part()  # of the suite's grid
    variants: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    no_judge: bool = False
    offline: Offline = Offline()
    parallel: int = 8
    parallel_tasks: int | None = None  # None: CALLS
    overrides: Overrides = Overrides()
    local_url: str | None = None
    local_model: str | None = None
    local_timeout: float | None = None  # None: environment.LOCAL_TIMEOUT_S
    max_cost: float | None = None
    allow_unpriced: bool = False
    rps: float | None = None
    burst: int | None = None
    seed: int = 0


class Planned(NamedTuple):
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


def planned(
    wanted: Wanted, known: Registry, env: Mapping[str, str], connection: sqlite3.Connection | None = None
) -> Planned:
    """The plan alone: no key and no address is needed for it. `connection` tells the noise of stored runs.

    Raises UsageError.
    """
    loaded = load.load(wanted.suite)
    suite, personas, variants = _personas(loaded, wanted.variants)
    least = RUNS if wanted.calls is None else LEAST
    runs = least if wanted.runs is None else wanted.runs
    selection = plan.select(suite, variants, wanted.modes, runs, wanted.experiments)
    selection = msgspec.structs.replace(plan.narrowed(suite, selection, wanted.part), seed=wanted.seed)
    names = _names(wanted, known, env)
    subjects = registry.choose(defaults.at_its_temperature(known, names, suite), names, wanted.overrides)
    graders = () if wanted.no_judge else _judges(wanted, suite, known, env)
    notes = _drawn(suite, selection, wanted.part)
    if wanted.calls is not None and connection is not None:
        from independence.cli import replicates

        asked = replicates.Asked(wanted.suite, wanted.calls, max(runs, LEAST))
        who = replicates.Who(subjects, graders)
        selection, notes = replicates.spread_calls(connection, Loaded(suite, loaded.edition), selection, who, asked)
    return Planned(suite, loaded.edition, personas, plan.trials(suite, selection, subjects), graders, notes)


def _drawn(suite: Suite, selection: Selection, part: Part) -> list[str]:
    """What to say of a sample."""
    if part.limit is None:
        return []
    count, seed = len(plan.dialogues(suite, selection)) // len(selection.conditions), part.seed or 0
    return [f"a balanced sample of whole cells: {count} of {len(suite.scenarios)} scenarios (--seed {seed})"]


def resolve(wanted: Wanted, connection: sqlite3.Connection, loopback: Endpoint | None = None) -> Job:
    """Build the job. `loopback` serves `sim/` ids. Raises UsageError."""
    env, known = environment.read(), models(wanted.models_file)
    made = planned(wanted, known, env, connection)
    asked = [trial.subject.endpoint for trial in made.trials]
    judges.key_needed(OPENROUTER in made.grading and OPENROUTER not in asked, env)
    return Job(
        *made[:5], endpoints(asked + made.grading, known, env, wanted, loopback),
        shares(wanted.parallel, wanted.parallel_tasks), cap(wanted.max_cost), wanted.allow_unpriced,
        notes=(*known.notes, *made.notes),
    )  # fmt: skip


class Regrade(msgspec.Struct, frozen=True, kw_only=True):
    """Stored dialogues to grade, as asked for on the command line."""

    suite: str | None
    variant: str | None
    mode: str | None
    models: tuple[str, ...]
    judges: tuple[str, ...]
    offline: Offline = Offline()
    models_file: Path | None = None
    parallel: int = 8
    parallel_tasks: int | None = None  # None: CALLS
    local_url: str | None = None
    max_cost: float | None = None
    allow_unpriced: bool = False
    rps: float | None = None
    burst: int | None = None


def regrade(wanted: Regrade, connection: sqlite3.Connection, loopback: Endpoint | None = None) -> Job:
    """Build the job of `judge`: every finished dialogue of one place. Raises UsageError, StoreError."""
    known, env = models(wanted.models_file), environment.read()
    where = place.find(connection, wanted.suite, wanted.variant, wanted.mode)
    trials = stored.trials(connection, where.suite, where.edition, Condition(where.variant, where.mode))
    if where.edition == PUBLISHED:
        trials = in_published_words(connection, trials)
    if wanted.models:
        trials = [t for t in trials if {t.subject.label, t.subject.model_id} & set(wanted.models)]
    if not trials:
        raise StoreError("no finished dialogue fits; `independence leaderboard` shows what the store holds")
    graders = judges.specs(wanted.judges, known, where.suite, wanted.offline)
    grading = [judge.endpoint for judge in graders if judge.asks]
    asked = Wanted(local_url=wanted.local_url, rps=wanted.rps, burst=wanted.burst, parallel_tasks=wanted.parallel_tasks)
    return Job(
        where.suite, where.edition, {}, trials, graders, endpoints(grading, known, env, asked, loopback),
        shares(wanted.parallel, wanted.parallel_tasks), cap(wanted.max_cost), wanted.allow_unpriced, stored=True,
        notes=known.notes,
    )  # fmt: skip


def shares(subjects: int, calls: int | None) -> Shares:
    """How much runs at once. Raises UsageError for less than one."""
    calls = CALLS if calls is None else calls
    for flag, value in (("-p", subjects), ("-pt", calls)):
        if value < 1:
            raise UsageError(f"{flag} {value}: at least 1 is needed")
    return Shares(subjects, calls)


def cap(value: float | None) -> float | None:
    """The dollars of `--max-cost`. Raises UsageError for a cap of nothing."""
    if value is not None and not value > 0:
        raise UsageError(f"--max-cost {value}: write dollars above 0")
    return value


def models(file: Path | None) -> Registry:
    """What a models file lists: the one named, else `./models.yaml` where it is there. Raises DocumentError."""
    if file is not None:
        return registry.load(file)
    return registry.load(DEFAULT_FILE) if DEFAULT_FILE.is_file() else Registry()


def _personas(loaded: Loaded, variants: Iterable[str]) -> tuple[Suite, dict[str, str], list[str]]:
    """Read `.md` variants; a persona's name carries its digest, so an edited file never mixes with the old one."""
    suite, personas, names = loaded.suite, {}, []
    for variant in variants:
        if not variant.endswith(".md"):
            names.append(variant)
            continue
        name, text = persona(Path(variant))
        suite = msgspec.structs.replace(suite, variants={**suite.variants, name: text})
        personas[name] = text
        names.append(name)
    return suite, personas, names


def persona(path: Path) -> tuple[str, str]:
    """A user's system prompt: its name on boards and its text. Raises UsageError."""
    text = load.persona(path)
    return f"{path.stem}-{hashlib.sha256(text.encode()).hexdigest()[:4]}", text


def _names(wanted: Wanted, known: Registry, env: Mapping[str, str]) -> Sequence[str]:
    names = list(wanted.models)
    if wanted.local_model:
        names.append(_local_id(wanted.local_model))
    if not names and wanted.local_url and env.get("LOCAL_MODEL_ID"):
        names.append(_local_id(env["LOCAL_MODEL_ID"]))
    if not names and not wanted.local_url:
        names = [subject.label for subject in known.subjects if subject.active]
    if not names and wanted.local_url:
        raise UsageError("--local-url says where, not what: add --local-model ID or -m local/ID")
    if not names and wanted.models_file:
        raise UsageError(f"no models: {wanted.models_file} lists no active one; add one, or name models with -m")
    if not names:
        raise UsageError(
            "no models: name them with -m, or list them in models.yaml (--models-file); "
            "`independence demo` starts without any"
        )
    return names


def _local_id(model: str) -> str:
    return model if model.startswith(f"{LOCAL}/") else f"{LOCAL}/{model}"


def _judges(wanted: Wanted, suite: Suite, known: Registry, env: Mapping[str, str]) -> tuple[JudgeSpec, ...]:
    if wanted.judges:
        offline = wanted.offline
        if offline.weights is None and any(kind(name) in (OFFLINE, HYBRID) for name in wanted.judges):
            offline = msgspec.structs.replace(offline, weights=judges.own_weights(wanted.suite))
        return judges.specs(wanted.judges, known, suite, offline)
    try:
        return judges.specs((defaults.judge(suite, env),), known, suite)
    except UsageError as error:
        raise UsageError(f"{suite.default.judge} names the judge of suite {suite.suite}: {error}") from error


def endpoints(
    names: Iterable[str], known: Registry, env: Mapping[str, str], wanted: Wanted, loopback: Endpoint | None
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
            out[name] = environment.openrouter(env)
        else:
            out[name] = _configured(name, known, env)
    flags = limits.Flags(wanted.rps, wanted.burst, wanted.parallel_tasks, wanted.local_timeout)
    return limits.bounded(out, known, environment.settings(env), flags)


def _configured(name: str, known: Registry, env: Mapping[str, str]) -> Endpoint:
    entry = next((entry for entry in known.endpoints if entry.name == name), None)
    if entry is None:
        raise UsageError(f"endpoint `{name}` is not declared; add it to `endpoints:` of models.yaml (--models-file)")
    key = env.get(entry.api_key_env, "") if entry.api_key_env else ""
    if entry.api_key_env and environment.is_placeholder(key):
        raise UsageError(f"endpoint `{name}` reads its key from {entry.api_key_env}, which is not set")
    return Endpoint(
        name, entry.base_url.rstrip("/"), entry.dialect, key, entry.max_concurrency or 20, backoff_s=entry.backoff_s,
        key_source=entry.api_key_env or "",
    )  # fmt: skip


def needs_loopback(wanted: Wanted) -> bool:
    """True when a subject or judge is simulated, so that the loopback endpoint has to be up. Raises UsageError."""
    named = [*wanted.models, *wanted.judges]
    if not wanted.judges and not wanted.no_judge:
        named.append(defaults.judge(load.load(wanted.suite).suite, environment.read()))
    return judges.simulated(named) or (not wanted.models and _lists_sim(wanted.models_file))


def _lists_sim(file: Path | None) -> bool:
    return any(subject.simulated and subject.active for subject in models(file).subjects)
