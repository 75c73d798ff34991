"""Who is asked and who grades: named by options, else by the suite's environment variables, else listed in a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.config import environment, functions, registry
from independence.config.options import RUNS, RunOptions
from independence.config.subjects import LOCAL, PYTHON, Subject, from_json
from independence.engine.models import Models
from independence.errors import UsageError
from independence.judge.protocol import DEFAULT_JUDGE, Judge
from independence.store import queries
from independence.suites.schema import Suite
from independence.types import Sampling, Where

PUBLISHED_RUN_USD = 0.053  # one run of V2, its verdicts included: the mean over the published results


class EnvironmentModel(NamedTuple):
    """A model that the environment names, and by which variable."""

    model: str
    variable: str


def choose(options: RunOptions, suite: Suite, known: Models, env: Mapping[str, str]) -> list[Subject]:
    """The subjects, at the suite's temperature where nothing else gives them one. Raises UsageError."""
    names, usual = asked(options, suite, known, env), Sampling(suite.default.temperature)
    try:
        found = known.subjects(names, options.sampling, usual)
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


def graders(options: RunOptions, suite: Suite, known: Models, env: Mapping[str, str]) -> tuple[Judge, ...]:
    """The judges of a run: those it names, else the suite's own or the judge of all suites. Raises UsageError."""
    if options.no_judge:
        return ()
    try:
        return known.judges(options.judges or (default_judge(suite, env),), suite)
    except UsageError as error:
        named = None if options.judges else judge_of_environment(suite, env)
        if named is None:
            raise
        raise UsageError(f"{named.variable} names the judge of suite {suite.suite}: {error}") from error


def asked(options: RunOptions, suite: Suite, known: Models, env: Mapping[str, str]) -> Sequence[str | Subject]:
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
    return _of_variable(env, suite.default.asks)


def judge_of_environment(suite: Suite, env: Mapping[str, str]) -> EnvironmentModel | None:
    """The judge that a suite's environment variables name; None where they name none."""
    return _of_variable(env, suite.default.judge) or _of_variable(env, suite.default.scorer)


def default_judge(suite: Suite, env: Mapping[str, str]) -> str:
    """Who grades: whom the suite's environment variables name; without a usable one, the judge of all suites."""
    named = judge_of_environment(suite, env)
    return named.model if named else DEFAULT_JUDGE


def _of_variable(env: Mapping[str, str], variable: str) -> EnvironmentModel | None:
    """The model that a variable names; None without a variable, and where it names none."""
    name = env.get(variable, "").strip() if variable else ""
    return None if environment.is_placeholder(name) else EnvironmentModel(name, variable)


def _named(options: RunOptions) -> list[str]:
    """Names that options give."""
    names, reached = list(options.models), options.connection
    if model := reached.local_model:
        names.append(model if model.startswith(f"{LOCAL}/") else f"{LOCAL}/{model}")
    if not names and reached.local_url and not reached.models_file and not options.roster:
        names.append(LOCAL)
    return names


def _listed(options: RunOptions, known: Models, env: Mapping[str, str]) -> list[Subject] | list[str]:
    """The active entries of the models file, else the model of LOCAL_MODEL_URL. Raises UsageError without either."""
    reached = options.connection
    active = [subject for subject in known.registry.subjects if subject.active]
    if not active and reached.models_file:
        raise UsageError(f"no models: {reached.models_file} lists no active one; add one, or name models with -m")
    if not active and env.get("LOCAL_MODEL_URL", "").strip():
        return [LOCAL]
    if not active:
        raise UsageError(_ways(options.runs or RUNS))
    return active


def with_roster(listed: Models, file: Path | None, roster: str | None) -> Models:
    """What a run knows: what its models file lists, or for a roster that this lacks the registry that ships.

    Raises UsageError where the file that was named has none.
    """
    if roster is None or listed.registry.roster:
        return listed
    if file is not None:
        raise UsageError(f"--roster: {file} has no `roster:`; leave --models-file out, or add one there")
    return msgspec.structs.replace(listed, registry=registry.load(Path(registry.PUBLISHED)))


def _ways(runs: int) -> str:
    """Every way to name models, and what those that name many would cost."""
    shipped = Models(registry=registry.load(Path(registry.PUBLISHED)))
    active, default = sum(subject.active for subject in shipped.registry.subjects), len(shipped.of_roster())
    dollars = [f"about ${count * runs * PUBLISHED_RUN_USD:.0f}" for count in (active, default)]
    return (
        "no models: name them with -m, list them in models.yaml (--models-file), or give the address of your own "
        "server with --local-url. `--models-file published` asks the "
        f"{active} configurations that the published project lists as active ({dollars[0]} for {runs} runs of v2, by "
        f"what its runs cost on average), `--roster default` the {default} of its default roster ({dollars[1]}); "
        "`estimate-cost` with either says what they cost today; `independence demo` starts without any"
    )


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


def of_functions(chosen: Iterable[Subject]) -> list[str]:
    """What to say of functions whose version the user did not give."""
    return [
        f"{one.label} has no `version`, so it is named by a digest of its source: edited, it is another subject"
        for one in chosen
        if one.endpoint == PYTHON and not functions.known(one.model).stated
    ]


def _unpinned(subject: Subject) -> tuple[str, str, Sampling]:
    """What subjects of one id have in common that differ in their weights."""
    return subject.endpoint, subject.model, msgspec.structs.replace(subject.sampling, provider=None)
