"""From judges as named on the command line to judges as configured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from independence.config import environment
from independence.config.options import OfflineOptions, RunOptions
from independence.config.registry import Registry
from independence.engine.subjects import EnvironmentModel, model_of_variable
from independence.errors import UsageError
from independence.judge import kinds
from independence.judge.kinds import CUES, JudgeSources
from independence.judge.offline import weights
from independence.judge.protocol import DEFAULT_JUDGE, Judge
from independence.suites import load
from independence.suites.schema import Suite

USUAL = OfflineOptions()


def chosen(options: RunOptions, suite: Suite, known: Registry, env: Mapping[str, str]) -> tuple[Judge, ...]:
    """The judges of a run: those it names, else the suite's own or the judge of all suites. Raises UsageError."""
    if options.no_judge:
        return ()
    if options.judges:
        offline = options.offline
        if offline.weights is None and any(kinds.of(name).predicts for name in options.judges):
            offline = msgspec.structs.replace(offline, weights=own_weights(options.suite))
        return specs(options.judges, known, suite, offline)
    try:
        return specs((default(suite, env),), known, suite)
    except UsageError as error:
        named = named_by_environment(suite, env)
        variable = named.variable if named else ""
        raise UsageError(f"{variable} names the judge of suite {suite.suite}: {error}") from error


def default(suite: Suite, env: Mapping[str, str]) -> str:
    """Who grades: whom the suite's environment variables name; without a usable one, the judge of all suites."""
    named = named_by_environment(suite, env)
    return named.model if named else DEFAULT_JUDGE


def named_by_environment(suite: Suite, env: Mapping[str, str]) -> EnvironmentModel | None:
    """The judge that a suite's environment variables name; None where they name none."""
    return model_of_variable(env, suite.default.judge) or model_of_variable(env, suite.default.scorer)


def specs(names: Iterable[str], known: Registry, suite: Suite, offline: OfflineOptions = USUAL) -> tuple[Judge, ...]:
    """Judges by name, duplicates dropped. Raises UsageError for an id that cannot be one."""
    return kinds.configure(names, JudgeSources(known, suite, offline))


def share(judge: Judge) -> str:
    """What a judge buys from which model; "" where nothing."""
    if judge.purchase is None:
        return ""
    auditor, rule = judge.purchase.auditor.name, judge.purchase.rule
    unsure, audit, least = rule.unsure, rule.audit, rule.least
    if rule.audits:
        return f"{judge.name}: {least} verdicts per scenario are bought from {auditor}, drawn at random"
    return (
        f"{judge.name}: the least certain {unsure:.0%} of the verdicts and {audit:.0%} drawn from the rest are bought "
        f"from {auditor}; at least {least} drawn at random in each scenario that the offline judge does not know"
    )


def own_weights(suite: str) -> Path | None:
    """The weights that lie in a suite's folder; None where there are none. Raises UsageError for an unknown suite."""
    path = load.locate(suite) / weights.FILE
    return path if path.is_file() else None


def check_key(env: Mapping[str, str], *, needed: bool) -> None:
    """Where only the judge needs a key, say how to grade without one."""
    try:
        if needed:
            environment.openrouter(env)
    except UsageError as error:
        raise UsageError(
            f"the judge needs a key: {error}; or grade with --judge {CUES}, or not yet: --no-judge"
        ) from error
