"""More runs of stored subjects: the same configuration, words and seeds, so that what is there is not asked again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from independence.clients.listing import ServerPages
from independence.config import environment
from independence.config.endpoints import Endpoint
from independence.config.options import RerunOptions
from independence.config.subjects import LOCAL, Subject, asked_with, from_json
from independence.engine import examining, models, plan
from independence.engine.plan import MOST, Selection, Trial
from independence.engine.resolve import RunPlan, reached
from independence.errors import StoreError, UsageError
from independence.judge.protocol import DEFAULT_JUDGE
from independence.store import plans, queries, scopes
from independence.store.plans import PlannedTrial
from independence.store.scopes import BoardScope, Names
from independence.suites.schema import Suite
from independence.types import Condition, Sampling, grouped

TOP = 10
_ASK_ANEW = (
    "`independence suites adopt` makes a suite of the published words of v1, lite or v2, and `independence run` asks "
    "models"
)


Ranked = Callable[[sqlite3.Connection, BoardScope], Sequence[tuple[str, str]]]  # (config_dir, label), best first
UsualJudge = Callable[[sqlite3.Connection, BoardScope], str | None]  # whose verdicts boards show


def local_server(options: RerunOptions, connection: sqlite3.Connection) -> Endpoint | None:
    """The endpoint of `local/` ids, where it has an address, and stored subjects or judges may be at it."""
    env, reached = environment.read(), options.connection
    if not reached.local_url and not env.get("LOCAL_MODEL_URL", "").strip():
        return None
    usual = (one.judge for info in queries.editions(connection) for one in queries.judges(connection, info.where))
    names = [] if options.no_judge else list(options.judges or usual)
    names += {one.endpoint for one in models.stored(connection).values()} & {LOCAL}
    return models.local_server(reached, names, models.read(reached.models_file), env)


def rerun(
    options: RerunOptions,
    connection: sqlite3.Connection,
    ranked: Ranked,
    usual_judge: UsualJudge,
    local: ServerPages | None = None,
) -> RunPlan:
    """The runs to add. Imports are nobody's configuration and are left alone. Raises UsageError, StoreError.

    `local`: what the server of `local/` ids tells, where one is asked.
    """
    scope = _scope(options, connection)
    known = {name: from_json(text) for name, text in queries.configurations(connection, scope.where).items()}
    there = grouped(plans.planned_trials(connection, scope.where), lambda trial: trial.config_dir)
    if options.models:
        names = _named(options.models, known, there)
    else:
        names = [config for config, _ in ranked(connection, scope)[: _top(options, scope.suite)] if config in known]
    if not names:
        raise StoreError("no subject here was stored with its configuration; ask it once more with `independence run`")
    personas = queries.personas(connection, scope.where)
    own = examining.with_dialogues(scope.suite)
    suite = msgspec.structs.replace(own, variants={**scope.suite.variants, **personas})
    chosen = _with_settings(options.sampling, [known[name] for name in names], known)
    trials = _extended(options, suite, scope.condition, chosen, there)
    env = environment.read()
    registered = models.read(options.connection.models_file).with_local(local, env)
    for subject in (one for one in chosen if one.endpoint == LOCAL):
        registered.local.check(subject.model, subject.sampling.provider)
    graders = options.judges or (usual_judge(connection, scope) or DEFAULT_JUDGE,)
    specs = () if options.no_judge else registered.judges(graders, suite)
    made = RunPlan(
        suite=suite,
        edition=scope.edition,
        trials=trials,
        judges=specs,
        options=options.connection,
        notes=(_summary(scope, trials),),
        local=local,
        trust_judge=options.trust_judge,
        command="rerun",
    )
    return reached(made, registered, env)


def _with_settings(sampling: Sampling, chosen: Iterable[Subject], known: Mapping[str, Subject]) -> dict[Subject, str]:
    """The subjects at these settings, as they are known where they are -> the configuration they were made of."""
    out: dict[Subject, str] = {}
    for subject in chosen:
        one = asked_with(subject, sampling) if sampling != Sampling() else subject
        out.setdefault(known.get(one.config_dir, one), subject.config_dir)
    return out


def _extended(
    options: RerunOptions,
    suite: Suite,
    condition: Condition,
    chosen: Mapping[Subject, str],
    there: Mapping[str, Sequence[PlannedTrial]],
) -> list[Trial]:
    last = options.run_number or options.target_runs
    trials: list[Trial] = []
    for subject, source in chosen.items():
        own = there.get(subject.config_dir)
        trials += extended(suite, condition, subject, own or there[source], last if own else last or 1)
        if len(trials) > MOST:
            raise UsageError(f"more than {MOST:,} dialogues, the most of one command; ask for fewer runs (-R)")
    return [trial for trial in trials if options.run_number in (None, trial.run)]


def _summary(scope: BoardScope, trials: Iterable[Trial]) -> str:
    """Who is asked again, up to which run."""
    runs: dict[str, int] = {}
    for trial in trials:
        runs[trial.subject.label] = max(trial.run, runs.get(trial.subject.label, 0))
    who = ", ".join(f"{label} (to run {last})" for label, last in runs.items())
    return f"rerun of {scope.where.edition_name}, {scope.condition}: {who}"


def _scope(options: RerunOptions, connection: sqlite3.Connection) -> BoardScope:
    """What is asked again, among editions of one's own."""
    known = queries.editions(connection)
    own = [info for info in known if not queries.imported(info.edition)]
    if known and not own:
        raise StoreError(f"the store holds imports only, which cannot be asked again; {_ASK_ANEW}")
    name, _, edition = (options.suite or "").partition("@")
    if queries.imported(edition):
        raise UsageError(f"--suite {options.suite}: imports cannot be asked again; {_ASK_ANEW}")
    fitting = [info for info in own if info.suite == name] if name else own
    asked = options.suite
    if not edition and fitting and len({info.suite for info in fitting}) == 1:
        asked = f"{fitting[0].suite}@{fitting[0].edition}"
    return scopes.find(connection, asked, options.variant, options.mode)


def _named(names: Iterable[str], known: Mapping[str, Subject], there: Mapping[str, object]) -> list[str]:
    """config_dirs of labels and ids, in order. Raises StoreError for a name that nothing here answers to."""
    stored = {at: Names(at, one.label, one.model_id) for at, one in known.items() if at in there}
    try:
        return scopes.subjects(names, stored, "here", what="stored subject")
    except StoreError as error:
        raise StoreError(f"{error}; `independence run` asks new ones") from error


def _top(options: RerunOptions, suite: Suite) -> int:
    """How many of the best are meant. Raises UsageError where there is no board to take them by."""
    top = TOP if options.top_n is None else options.top_n
    if top < 1:
        raise UsageError(f"-n {top}: at least 1 subject is needed")
    if suite.index is None:
        raise UsageError(f"suite {suite.suite} has no index to take the best by; name subjects with -m")
    return top


def extended(
    suite: Suite, condition: Condition, subject: Subject, placed: Sequence[PlannedTrial], runs: int | None = None
) -> list[Trial]:
    """Runs 1..`runs` of every scenario that is planned for a subject; without `runs` one more of each than there is.

    A run draws on the seed it was stored with, what follows a dialogue on the seed of that; runs that are new draw on
    the newest seed. `placed` holds the subject's trials under the condition, at least one.
    """
    seeds = {(trial.scenario, trial.run): _seed(trial) for trial in placed}
    newest = _seed(max(placed, key=lambda trial: (trial.planned_at, trial.run)))
    target = {name: runs or max(t.run for t in placed if t.scenario == name) + 1 for name, _ in seeds}
    plans = {}
    for seed in {*seeds.values(), newest}:
        made = plan.trials(suite, Selection((condition,), max(target.values()), seed=seed), [subject])
        plans[seed] = {(trial.dialogue.scenario.id, trial.run): trial for trial in made}
    return [
        plans[seeds.get((_stem(suite, scenario), run), newest)][scenario, run]
        for scenario, run in plans[newest]
        if run <= target.get(scenario, 0)
    ]


def _seed(trial: PlannedTrial) -> int:
    return int(msgspec.json.decode(trial.shape, type=dict[str, Any]).get("seed", 0))


def _stem(suite: Suite, scenario: str) -> str:
    """The dialogue that a scenario goes back to."""
    follows = suite.scenario(scenario).follows
    return _stem(suite, follows) if follows else scenario
