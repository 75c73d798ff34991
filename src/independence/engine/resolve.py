"""From options, environment, models file and store to what is run. What can be wrong is refused before any request."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import msgspec

from independence.clients.listing import ServerPages
from independence.config import environment
from independence.config.endpoints import Endpoint
from independence.config.options import RUNS, ConnectionOptions, GradeOptions, RunOptions, SuitePart
from independence.config.subjects import OPENROUTER, PYTHON
from independence.engine import connections, dialogue, examining, models, plan, replicates, subjects, trust
from independence.engine.connections import KeyUse
from independence.engine.models import Models
from independence.engine.plan import Selection, StoredNoise, Trial
from independence.engine.run_context import Parallelism
from independence.errors import StoreError, UsageError
from independence.judge.protocol import Judge
from independence.store import queries, scopes
from independence.store.decisions import PlannedDecision
from independence.suites import digest, load
from independence.suites.load import LoadedSuite
from independence.suites.persona_file import NOTHING
from independence.suites.schema import Suite
from independence.types import Where, brief

InPublishedWords = Callable[[sqlite3.Connection, Iterable[Trial]], list[Trial]]


class RunPlan(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything a run needs: nothing is looked up any more."""

    suite: Suite  # with the personas among its variants
    edition: str
    trials: Sequence[Trial]  # that are asked or graded
    others: Sequence[Trial] = ()  # that are planned, and asked by other commands: of a shard
    judges: Sequence[Judge]
    options: ConnectionOptions
    endpoints: Mapping[str, Endpoint] = {}
    local: ServerPages | None = None  # what the server of `local/` ids told; None where it was not asked
    personas: Mapping[str, str] = {}
    notes: Sequence[str] = ()  # what to say about the plan
    grading_only: bool = False  # the trials are from the store: nothing is planned
    trust_judge: bool = False  # judges are not examined first
    command: str = "run"  # what the ledger of the store calls it
    stage: str = ""  # of a purchase in several stages, and what those before it say
    decision: PlannedDecision | None = None  # that the trials are bought for

    __repr__ = brief

    @cached_property
    def where(self) -> Where:
        """The edition that is asked or graded."""
        return Where(self.suite.suite, self.edition)

    @cached_property
    def wording(self) -> str:
        """Digest of what models and judges read, personas aside."""
        shipped = {name: text for name, text in self.suite.variants.items() if name not in self.personas}
        return digest.wording(msgspec.structs.replace(self.suite, variants=shipped))

    @cached_property
    def rubrics(self) -> dict[str, str]:
        """Scenario -> rubric digest."""
        return {s.id: digest.rubric(self.suite, s) for s in self.suite.scenarios}

    @cached_property
    def shares(self) -> Parallelism:
        """How much runs at once."""
        return Parallelism(self.options.parallel, self.options.calls, bought=bool(self.stage))

    @cached_property
    def asked(self) -> list[str]:
        """Endpoints that subjects need."""
        return [] if self.grading_only else [trial.subject.endpoint for trial in self.trials]

    @cached_property
    def grading(self) -> list[str]:
        """Endpoints that judges need."""
        return [judge.endpoint for judge in self.judges if judge.endpoint]


def _known(options: RunOptions, connection: sqlite3.Connection) -> Models:
    """What is known of models: by the file, the store, and the registry that ships where its roster is asked."""
    file = options.connection.models_file
    known = subjects.with_roster(models.read(file), file, options.roster)
    return msgspec.structs.replace(known, stored=models.stored(connection))


def local_server(options: RunOptions, suite: Suite, connection: sqlite3.Connection) -> Endpoint | None:
    """The endpoint of `local/` ids, where a run asks it: what it tells of its models is part of who they are."""
    env, known = environment.read(), _known(options, connection)
    asked = subjects.asked(options, suite, known, env)
    names = [one if isinstance(one, str) else one.label for one in asked]
    names += () if options.no_judge else options.judges or (subjects.default_judge(suite, env),)
    return models.local_server(options.connection, names, known, env)


def run(
    options: RunOptions,
    loaded: LoadedSuite,
    connection: sqlite3.Connection,
    stored_noise: StoredNoise | None = None,
    local: ServerPages | None = None,
) -> RunPlan:
    """The run of a suite; subjects may be named as the store's boards print them. Raises UsageError.

    `stored_noise`: calls are spread over scenarios by it; None: whole runs. `local`: what the server of `local/` ids
    tells, where one is asked.
    """
    env = environment.read()
    known = _known(options, connection).with_local(local, env)
    suite, personas, variants = with_personas(loaded, load.asked_under(options.suite, options.variants), options.values)
    wanted = options.runs if options.run_number is None else options.run_number
    runs = RUNS if wanted is None else wanted
    selection = plan.select(suite, variants, options.modes, runs, options.experiments)
    selection = msgspec.structs.replace(
        plan.narrowed(suite, selection, options.part), seed=options.seed, only_run=options.run_number
    )
    where = Where(suite.suite, loaded.edition)
    chosen = subjects.distinct(connection, where, subjects.choose(options, suite, known, env))
    graders = subjects.graders(options, suite, known, env)
    notes = [*_from_environment(options, suite, env), *_sample_notes(suite, selection, options.part)]
    if shared := load.shared_name(suite.suite, load.locate(options.suite)):
        notes.append(shared)
    if stored_noise is not None:
        known_noise = load.shipped_noise(load.locate(options.suite), suite)
        noise = replicates.NoiseSource(connection, suite, loaded.edition, known_noise, stored_noise)
        verdicts = sum(bool(judge.endpoint) for judge in graders)
        selection, spread = replicates.spread_calls(noise, selection, chosen, verdicts)
        notes += spread
    trials, others = plan.trials(suite, selection, chosen), list[Trial]()
    if options.part_of_plan is not None:
        trials, others = plan.sharded(trials, *options.part_of_plan)
        notes.append(_shard_note(options, trials, others))
    made = RunPlan(
        suite=suite,
        edition=loaded.edition,
        personas=personas,
        trials=trials,
        others=others,
        judges=graders,
        notes=[*notes, *subjects.of_other_weights(connection, where, chosen), *subjects.of_functions(chosen)],
        options=options.connection,
        local=local,
        trust_judge=options.trust_judge,
    )
    redirection = connections.redirection(made.asked + made.grading, env)
    return reached(msgspec.structs.replace(made, notes=[*made.notes, *redirection]), known, env)


def reached(made: RunPlan, known: Models, env: Mapping[str, str]) -> RunPlan:
    """The plan with its endpoints. Raises UsageError for an address or a key that is missing."""
    if made.options.executor != ConnectionOptions().executor and PYTHON in made.asked + made.grading:
        raise UsageError("Python functions are asked in this process alone", "leave --executor out")
    if not made.options.dry_run:
        asked = dict.fromkeys(trial.subject for trial in made.trials if not made.grading_only)
        subjects = dict.fromkeys(one.model_id for one in asked if one.endpoint == OPENROUTER)
        judges = [judge.name for judge in made.judges if judge.endpoint == OPENROUTER]
        use = KeyUse(list(subjects), judges, made.asked, grading_only=made.grading_only)
        connections.check_openrouter_key(use, env)
    endpoints = connections.endpoints(made.asked + made.grading, known.registry, env, made.options)
    sent = map(str, trust.destinations(endpoints.values(), known.registry, env))
    return msgspec.structs.replace(made, endpoints=endpoints, notes=[*made.notes, *sent])


def _from_environment(options: RunOptions, suite: Suite, env: Mapping[str, str]) -> list[str]:
    """What to say of models that the suite's environment variables name."""
    asked = subjects.named_by_environment(options, suite, env)
    grading = None if options.judges or options.no_judge else subjects.judge_of_environment(suite, env)
    notes = [f"{asked.variable} names the model: {asked.model}"] if asked else []
    return notes + ([f"{grading.variable} names the judge: {grading.model}"] if grading else [])


def _sample_notes(suite: Suite, selection: Selection, part: SuitePart) -> list[str]:
    """What to say of a sample."""
    seed = part.sample_seed or 0
    if part.scenarios is not None:
        each = part.scenarios // len({scenario.experiment for scenario in suite.scenarios})
        return [f"a part of the suite, {each} scenarios of each experiment (--seed {seed}): an edition of its own"]
    if part.limit is None:
        return []
    count = len(plan.dialogues(suite, selection)) // len(selection.conditions)
    return [f"a balanced sample of whole cells: {count} of {len(suite.scenarios)} scenarios (--seed {seed})"]


def _shard_note(options: RunOptions, trials: Sequence[Trial], others: Sequence[Trial]) -> str:
    """What to say of a shard."""
    whole = len(trials) + len(others)
    return f"shard {options.shard}: {len(trials)} of {whole} dialogues; `merge` puts the stores of all shards together"


def with_personas(
    loaded: LoadedSuite, variants: Iterable[str], values: Mapping[str, str] = NOTHING
) -> tuple[Suite, dict[str, str], list[str]]:
    """Read `.md` variants; a persona's name carries its digest, so an edited file never mixes with the old one."""
    suite, personas, names = loaded.suite, {}, []
    for variant in variants:
        if variant in suite.variants or not (load.is_text(variant) or load.is_persona(variant)):
            names.append(variant)
            continue
        name, text = load.persona(variant, values)
        suite = msgspec.structs.replace(suite, variants={**suite.variants, name: text})
        personas[name] = text
        names.append(name)
    return suite, personas, names


def judging_server(options: GradeOptions) -> Endpoint | None:
    """The endpoint of `local/` ids, where a judge is at it."""
    known = models.read(options.connection.models_file)
    return models.local_server(options.connection, options.judges, known, environment.read())


def grading(
    options: GradeOptions,
    connection: sqlite3.Connection,
    in_published_words: InPublishedWords,
    local: ServerPages | None = None,
) -> RunPlan:
    """The grading of every finished dialogue of one edition, under some conditions. Raises UsageError, StoreError.

    `local`: what the server of `local/` ids tells, where one is asked.
    """
    env = environment.read()
    known = models.read(options.connection.models_file).with_local(local, env)
    scope, *others = scopes.under(connection, options.suite, options.variants, options.modes)
    suite, notes = examining.with_dialogues(scopes.grading(connection, scope)), list[str]()
    if newest := scopes.newest(connection, scope, options.suite):
        notes.insert(0, newest)
    trials = [trial for one in (scope, *others) for trial in dialogue.trials(connection, suite, one.where)]
    if queries.imported(scope.edition):
        trials = in_published_words(connection, trials)
        as_published = suite.judged_as_published
        ours = f"by the rubrics of our suite {suite.suite}: those that they were published with are unknown"
        whose = "by the judge prompts that they were published with" if as_published else ours
        notes.append(f"imported dialogues are graded as they were held, {whose}")
    if options.experiments:
        plan.check_experiments(scope.suite, options.experiments)
        trials = [trial for trial in trials if trial.dialogue.scenario.experiment in options.experiments]
    if options.models:
        called = scopes.of_edition(connection, scope.where)
        chosen = {called[config].label for config in scopes.subjects(options.models, called, "here")}
        trials = [trial for trial in trials if trial.subject.label in chosen]
    if not trials:
        raise StoreError(
            "nothing to grade: no finished dialogue fits, or its words are not in this store",
            "`independence leaderboard` shows what the store holds; `import --published` brings the published words",
        )
    made = RunPlan(
        suite=suite,
        edition=scope.edition,
        trials=trials,
        judges=known.judges(options.judges, suite),
        options=options.connection,
        notes=notes,
        local=local,
        grading_only=True,
        trust_judge=options.trust_judge,
        command="judge",
    )
    return reached(made, known, env)
