"""From judges as named on the command line to judges as configured."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from independence.config import environment
from independence.config.registry import Registry
from independence.config.subjects import SIM
from independence.errors import UsageError
from independence.judge.spec import CUES, HUMAN, HYBRID, OFFLINE, JudgeSpec, PurchaseRule, kind
from independence.suites import load
from independence.suites.schema import Suite

_BUYS = f"{HYBRID}:"
_VERSION = re.compile(r"@([0-9a-f]{12})$")


class OfflineOptions(msgspec.Struct, frozen=True):
    """How offline judges are used: by which weights, and what is bought from models beside them."""

    unsure_share: float = PurchaseRule().unsure
    audit_share: float = PurchaseRule().audit
    weights: Path | None = None
    audit: int | None = None  # verdicts a scenario that are bought to correct the offline judge

    @property
    def buying(self) -> PurchaseRule:
        """What a hybrid buys. Raises UsageError where it is more than everything, or nothing."""
        if not 0 < self.unsure_share + self.audit_share <= 1:
            shares = f"--unsure-share {self.unsure_share:g} and --audit-share {self.audit_share:g}"
            raise UsageError(f"{shares}: together they are above 0 and at most 1")
        return PurchaseRule(self.unsure_share, self.audit_share)


USUAL = OfflineOptions()


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


def simulated(names: Iterable[str]) -> bool:
    """Whether a simulated model is among judges or subjects that are called so."""
    return any(name.removeprefix(_BUYS).startswith((f"{SIM}/", f"{SIM}--")) for name in names)


def own_weights(suite: str) -> Path | None:
    """The weights that lie in a suite's folder; None where there are none. Raises UsageError for an unknown suite."""
    from independence.judge.offline.weights import FILE

    path = load.locate(suite) / FILE
    return path if path.is_file() else None


def key_needed(needed: bool, env: Mapping[str, str]) -> None:
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
        buying=offline.buying,
    )  # fmt: skip


def _offline(suite: Suite, path: Path | None) -> JudgeSpec:
    """The offline judge of a suite. Raises UsageError where its weights know none of the suite's fields."""
    from independence.judge.offline import weights

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
