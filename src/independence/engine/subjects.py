"""Who is asked: named by options, else by the suite's environment variable, else listed in a models file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.config import environment, registry
from independence.config.options import RUNS, RunOptions
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, Subject, from_json
from independence.errors import UsageError
from independence.store import queries, scopes
from independence.store.scopes import Names
from independence.suites.schema import Suite
from independence.types import Sampling, Where

PUBLISHED_RUN_USD = 0.053  # one run of V2, its verdicts included: the mean over the published results


class EnvironmentModel(NamedTuple):
    """A model that the environment names, and by which variable."""

    model: str
    variable: str


def choose(options: RunOptions, suite: Suite, known: Registry, env: Mapping[str, str]) -> list[Subject]:
    """The subjects, at the suite's temperature where nothing else gives them one. Raises UsageError."""
    names, usual = asked(options, suite, known, env), Sampling(suite.default.temperature)
    try:
        found = registry.choose(known, names, options.sampling, usual)
    except UsageError as error:
        by_environment = named_by_environment(options, suite, env)
        if by_environment is None:
            raise
        what = f"{by_environment.variable} names the model that suite {suite.suite} asks"
        raise UsageError(f"{what}: {error}") from error
    chosen = {}
    for subject in found:
        # A limit of its answers that is the suite's own makes no other subject of it.
        limit = subject.sampling.max_tokens if subject.sampling.max_tokens != suite.delivery.max_tokens else None
        sampling = msgspec.structs.replace(subject.sampling, max_tokens=limit)
        one = msgspec.structs.replace(subject, sampling=sampling)
        chosen[one.config_dir] = one
    return list(chosen.values())


def asked(
    options: RunOptions, suite: Suite, known: Registry, env: Mapping[str, str]
) -> Sequence[str] | Sequence[Subject]:
    """The names that are given, or the subjects that are listed. Raises UsageError where there is nobody to ask."""
    by_environment = named_by_environment(options, suite, env)
    names = [by_environment.model] if by_environment else _named(options)
    if options.roster and names:
        raise UsageError("--roster names the models itself; leave out -m and --local-model, or leave it out")
    if options.roster:
        return known.of_roster()
    return names or _listed(options, known, env)


def named_by_environment(options: RunOptions, suite: Suite, env: Mapping[str, str]) -> EnvironmentModel | None:
    """The model that the suite's environment variable names, where no option says whom to ask."""
    reached = options.connection
    if _named(options) or reached.models_file or reached.local_url or options.roster:
        return None
    return model_of_variable(env, suite.default.asks)


def model_of_variable(env: Mapping[str, str], variable: str) -> EnvironmentModel | None:
    """The model that a variable names; None without a variable, and where it names none."""
    name = env.get(variable, "").strip() if variable else ""
    vendor, _, rest = name.partition("/")
    if environment.is_placeholder(name):
        return None
    return EnvironmentModel(rest if vendor == OPENROUTER and "/" in rest else name, variable)


def _named(options: RunOptions) -> list[str]:
    """Names that options give."""
    names, reached = list(options.models), options.connection
    if model := reached.local_model:
        names.append(model if model.startswith(f"{LOCAL}/") else f"{LOCAL}/{model}")
    if not names and reached.local_url and not reached.models_file and not options.roster:
        names.append(LOCAL)
    return names


def _listed(options: RunOptions, known: Registry, env: Mapping[str, str]) -> list[Subject] | list[str]:
    """The active entries of the models file, else the model of LOCAL_MODEL_URL. Raises UsageError without either."""
    reached = options.connection
    active = [subject for subject in known.subjects if subject.active]
    if not active and reached.models_file:
        raise UsageError(f"no models: {reached.models_file} lists no active one; add one, or name models with -m")
    if not active and env.get("LOCAL_MODEL_URL", "").strip():
        return [LOCAL]
    if not active:
        raise UsageError(_ways(options.runs or RUNS))
    return active


def with_roster(listed: Registry, file: Path | None, roster: str | None) -> Registry:
    """What a run knows: what its models file lists, or for a roster that this lacks the registry that ships.

    Raises UsageError where the file that was named has none.
    """
    if roster is None or listed.roster:
        return listed
    if file is not None:
        raise UsageError(f"--roster: {file} has no `roster:`; leave --models-file out, or add one there")
    shipped = registry.load(Path(registry.PUBLISHED))
    return msgspec.structs.replace(shipped, redirected=listed.redirected)


def _ways(runs: int) -> str:
    """Every way to name models, and what those that name many would cost."""
    shipped = registry.load(Path(registry.PUBLISHED))
    active, default = sum(subject.active for subject in shipped.subjects), len(shipped.of_roster())
    dollars = [f"about ${count * runs * PUBLISHED_RUN_USD:.0f}" for count in (active, default)]
    return (
        "no models: name them with -m, list them in models.yaml (--models-file), or give the address of your own "
        "server with --local-url. `--models-file published` asks the "
        f"{active} configurations that the published project lists as active ({dollars[0]} for {runs} runs of v2, by "
        f"what its runs cost on average), `--roster default` the {default} of its default roster ({dollars[1]}); "
        "`estimate-cost` with either says what they cost today; `independence demo` starts without any"
    )


def with_stored(
    connection: sqlite3.Connection, names: Sequence[str], known: Registry
) -> tuple[tuple[str, ...], Registry]:
    """The names, those that stores and boards give to subjects as labels, and the registry with these subjects.

    What the models file lists goes first, and an id that could be one of an endpoint stays an id.
    """
    listed = {name for subject in known.subjects for name in (subject.label, subject.model_id)}
    # A name that can be no model id: nothing else is meant by it.
    doubtful = [
        name
        for name in names
        if name not in listed and ("@" in name or "+" in name or ("/" not in name and not known.redirected))
    ]
    if not doubtful:
        return tuple(names), known
    stored = stored_subjects(connection)
    called_so = {config: Names(config, one.label, one.model_id) for config, one in stored.items()}
    found = {name: stored[own[0]] for name in doubtful if len(own := scopes.fitting(name, called_so)) == 1}
    found = {name: one for name, one in found.items() if "/" not in name or one.model_id != name}
    labels = {subject.label for subject in known.subjects}
    added = {one.label: one for one in found.values() if one.label not in labels}
    subjects = (*known.subjects, *added.values())
    renamed = tuple(found[name].label if name in found else name for name in names)
    return renamed, msgspec.structs.replace(known, subjects=subjects, stored=frozenset(added))


def with_stored_weights(connection: sqlite3.Connection, known: Registry) -> Registry:
    """The registry; where the server of `local/` ids does not answer, with the only name that the store has for the
    weights of a model: a run that is complete needs no server.
    """
    if known.local.problem is None:
        return known
    pins: dict[str, set[str | None]] = {}
    for subject in stored_subjects(connection).values():
        if subject.endpoint == LOCAL:
            pins.setdefault(subject.model, set()).add(subject.sampling.provider)
    weights = {model: name for model, own in pins.items() if len(own) == 1 and (name := next(iter(own))) is not None}
    return msgspec.structs.replace(known, local=known.local._replace(weights=weights))


def stored_subjects(connection: sqlite3.Connection) -> dict[str, Subject]:
    """The subjects of a store, by config_dir, as the edition used last has them."""
    return {
        config: from_json(text)
        for info in reversed(queries.editions(connection))
        for config, text in queries.configurations(connection, info.where).items()
    }


def distinct(connection: sqlite3.Connection, where: Where, chosen: Iterable[Subject]) -> list[Subject]:
    """The subjects; one at `local/` whose given label other weights have in the store is called after its own."""
    stored = queries.subjects(connection, where)
    taken = {label: config for config, (label, _, _) in stored.items()}
    return [
        msgspec.structs.replace(one, display_label=None)
        if one.endpoint == LOCAL and taken.get(one.label, one.config_dir) != one.config_dir
        else one
        for one in chosen
    ]


def of_other_weights(connection: sqlite3.Connection, where: Where, chosen: Iterable[Subject]) -> list[str]:
    """What to say of stored answers that other weights gave under the same id, where a subject has none of its own."""
    stored = {config: from_json(text) for config, text in queries.configurations(connection, where).items()}
    notes = []
    for subject in chosen:
        if subject.endpoint != LOCAL or subject.config_dir in stored:
            continue
        alike = [one for one in stored.values() if _unpinned(one) == _unpinned(subject)]
        if alike:
            others = ", ".join(one.label for one in alike)
            notes.append(
                f"{subject.label}: the store also has answers of {others}, whose weights are others or unknown; "
                "they are kept and not continued"
            )
    return notes


def _unpinned(subject: Subject) -> tuple[str, str, Sampling]:
    """What subjects of one id have in common that differ in their weights."""
    return subject.endpoint, subject.model, msgspec.structs.replace(subject.sampling, provider=None)
