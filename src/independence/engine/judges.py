"""From judges as named on the command line to judges as configured."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from independence.config import environment
from independence.config.options import OfflineOptions, RunOptions
from independence.config.registry import Registry
from independence.engine.subjects import EnvironmentModel, model_of_variable
from independence.errors import UsageError
from independence.judge.offline import weights
from independence.judge.spec import CUES, DEFAULT_JUDGE, HUMAN, HYBRID, OFFLINE, JudgeSpec, PurchaseRule, kind
from independence.suites import load
from independence.suites.schema import Suite

_BUYS = f"{HYBRID}:"
_VERSION = re.compile(r"@([0-9a-f]{12})$")


USUAL = OfflineOptions()


def chosen(options: RunOptions, suite: Suite, known: Registry, env: Mapping[str, str]) -> tuple[JudgeSpec, ...]:
    """The judges of a run: those it names, else the suite's own or the judge of all suites. Raises UsageError."""
    if options.no_judge:
        return ()
    if options.judges:
        offline = options.offline
        if offline.weights is None and any(kind(name) in (OFFLINE, HYBRID) for name in options.judges):
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


def specs(
    names: Iterable[str], known: Registry, suite: Suite, offline: OfflineOptions = USUAL
) -> tuple[JudgeSpec, ...]:
    """Judges by name, duplicates dropped. Raises UsageError for an id that cannot be one."""
    distinct = list(dict.fromkeys(name.strip() for name in names))
    if offline.audit is not None:
        return (_audited(distinct, known, suite, offline),)
    out = []
    for name in distinct:
        if name == CUES:
            out.append(JudgeSpec(name, kind=CUES))
        elif kind(name) == CUES:
            raise UsageError(f"judge `{name}`: an older version; its stored verdicts can be read, grade with `{CUES}`")
        elif kind(name) in (OFFLINE, HYBRID):
            out.append(_with_weights(name, known, suite, offline))
        else:
            out.append(model(name, known))
    return tuple(out)


def _with_weights(name: str, known: Registry, suite: Suite, offline: OfflineOptions) -> JudgeSpec:
    """An offline or hybrid judge. A name as boards print it may end with the version of weights of one's own."""
    said = _VERSION.search(name)
    base = name[: said.start()] if said else name
    if base in (HYBRID, _BUYS):
        raise UsageError(f"judge `{name}` names no model to buy verdicts from: write {_BUYS}MODEL")
    judge = _offline(suite, offline.weights)
    if said and said[1] != judge.weights:
        raise UsageError(f"judge `{name}`: its weights are not here; name their file with --weights")
    return judge if base == OFFLINE else _hybrid(model(base.removeprefix(_BUYS), known), judge, offline)


def share(judge: JudgeSpec) -> str:
    """What a judge buys from which model; "" where nothing."""
    if judge.buying is None:
        return ""
    unsure, audit, least = judge.buying.unsure, judge.buying.audit, judge.buying.least
    if judge.buying.audits:
        return f"{judge.name}: {least} verdicts a scenario are bought from {judge.auditor}, drawn at random"
    return (
        f"{judge.name}: the least certain {unsure:.0%} of the verdicts and {audit:.0%} drawn from the rest are bought "
        f"from {judge.auditor}; of a scenario the offline judge does not know {least} at least, drawn at random"
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


def model(name: str, known: Registry) -> JudgeSpec:
    """A judge that is a model. Raises UsageError for a name that is none, or that no model can have."""
    if not name:
        raise UsageError("--judge is empty:", f"name a model id, `{CUES}`, `{OFFLINE}` or `{_BUYS}MODEL`")
    if kind(name) == HUMAN:
        raise UsageError(f"judge `{name}` is a person", "`independence import FILE.csv` brings in what people scored")
    if name in (CUES, OFFLINE) or name.startswith(_BUYS):
        raise UsageError(f"judge `{name}` is no model", "a hybrid and an audit buy their verdicts from one")
    labelled = [subject for subject in known.subjects if subject.label == name]
    subject = labelled[0] if labelled else known.default(name)
    return JudgeSpec(subject.model_id if labelled else name, endpoint=subject.endpoint, model=subject.model)


def _audited(names: Sequence[str], known: Registry, suite: Suite, offline: OfflineOptions) -> JudgeSpec:
    assert offline.audit is not None
    models = [name for name in names if name != OFFLINE]
    if len(models) != 1:
        raise UsageError("--audit buys verdicts from one model; name it with one -j")
    asked, judge = model(models[0], known), _offline(suite, offline.weights)
    return msgspec.structs.replace(
        judge, endpoint=asked.endpoint, model=asked.model, auditor=asked.name, buying=PurchaseRule(0, 0, offline.audit)
    )


def _hybrid(asked: JudgeSpec, judge: JudgeSpec, offline: OfflineOptions) -> JudgeSpec:
    name = judge.name.replace(OFFLINE, f"{_BUYS}{asked.name}", 1)
    return msgspec.structs.replace(
        judge, name=name, kind=HYBRID, endpoint=asked.endpoint, model=asked.model, auditor=asked.name,
        buying=_buying(offline),
    )  # fmt: skip


def _buying(options: OfflineOptions) -> PurchaseRule:
    """What a hybrid buys. Raises UsageError where it is more than everything, or nothing."""
    if not 0 < options.unsure_share + options.audit_share <= 1:
        shares = f"--unsure-share {options.unsure_share:g} and --audit-share {options.audit_share:g}"
        raise UsageError(f"{shares}: together they are above 0 and at most 1")
    return PurchaseRule(options.unsure_share, options.audit_share)


def _offline(suite: Suite, path: Path | None) -> JudgeSpec:
    """The offline judge of a suite. Raises UsageError where its weights know none of the suite's fields."""
    judge = weights.load_or_shipped(str(path) if path else "")
    known = {field for fields in judge.about.rubrics.values() for field in fields}
    if not any(known & rubric.fields.keys() for rubric in suite.rubrics.values()):
        raise UsageError(
            f"the offline judge knows none of the fields of suite {suite.suite}; `independence train-judge` learns one "
            "from graded replies, and --weights names it"
        )
    name = OFFLINE if judge.version == weights.shipped().version else f"{OFFLINE}@{judge.version}"
    file = str(path) if path else ""
    return JudgeSpec(name, OFFLINE, weights=judge.version, line=judge.about.line, file=file)
