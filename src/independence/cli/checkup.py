"""The checks of `doctor`, each on its own: what fails is a finding, and the next one goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.cli import doors, judges, model_service, run_request, visits
from independence.cli.doors import Directory, Door
from independence.cli.event_loop import drive
from independence.cli.visits import Pair
from independence.clients import dialects
from independence.clients.transport import open_session
from independence.config import environment, registry
from independence.config.registry import Registry
from independence.config.subjects import SIM, Subject
from independence.errors import UsageError
from independence.judge.spec import CUES, DEFAULT_JUDGE, HYBRID, OFFLINE, JudgeSpec
from independence.report import checks
from independence.report.findings import Finding
from independence.store import health

_SETTINGS = ("BENCH_", "OPENROUTER_MODEL_")


class Asked(NamedTuple):
    """What to look at, as asked for on the command line."""

    model: str | None
    judge: str | None
    models_file: Path | None
    local_url: str | None
    db: Path


def findings(asked: Asked) -> list[Finding]:
    """Every check that applies, in order."""
    env, wrong = _settings(environment.read())
    known, file = _models_file(asked.models_file)
    known = msgspec.structs.replace(known, redirected=bool(environment.redirected(env)))
    subject, about_subject = _subject(asked.model, known)
    judge, about_judge = _judge(asked.judge, subject, known)
    online = drive(_online(Directory(known, env, asked.local_url), Pair(subject, judge), asked.model or asked.judge))
    return [*_store(asked.db), *wrong, *file, *about_subject, *about_judge, *online]


def _store(db: Path) -> Iterator[Finding]:
    try:
        if db.is_file():
            yield from checks.of_store(health.examine(db))
        else:
            free = health.free_bytes(db.parent)
            yield Finding("store", str(db), "skipped", "not there yet; the first run makes it")
            yield checks.of_disk(free, str(db.parent))
    except UsageError as error:
        yield doors.wrong("store", str(db), error, "name another store with --db")


def _settings(env: Mapping[str, str]) -> tuple[dict[str, str], list[Finding]]:
    """The environment without settings that make no sense, and what is wrong with them."""
    rest, wrong = dict(env), []
    for read in (environment.settings, environment.log_level):
        try:
            read(rest)
        except UsageError as error:
            wrong.append(doors.wrong("settings", "environment", error))
            rest = {name: value for name, value in rest.items() if not name.startswith(_SETTINGS)}
    return rest, wrong


def _models_file(file: Path | None) -> tuple[Registry, list[Finding]]:
    path = registry.located(file or run_request.DEFAULT_FILE)
    if file is None and not path.is_file():
        return Registry(), []
    try:
        known = registry.load(path, dialects.of)
    except UsageError as error:
        fix = "correct it, or name another with --models-file"
        return Registry(), [Finding("models file", str(path), "fail", str(error), fix)]
    active = sum(subject.active for subject in known.subjects)
    found = f"{len(known.subjects)} configurations, {active} of them active; {len(known.endpoints)} endpoints"
    findings = [Finding("models file", str(path), "ok", found)]
    return known, findings + [Finding("models file", str(path), "warn", n, "leave one out") for n in known.notes]


def _subject(name: str | None, known: Registry) -> tuple[Subject | None, list[Finding]]:
    """The configuration that is meant: the first where a bare id has several."""
    if name is None:
        return None, []
    try:
        first, *others = known.resolve(name)
    except UsageError as error:
        return None, [doors.wrong("model", name, error, "`independence models` lists what is configured")]
    if not others:
        return first, []
    labels = ", ".join(f"`{other.label}`" for other in others)
    found = f"{1 + len(others)} are active; this is about `{first.label}`"
    return first, [Finding("configuration", name, "ok", found, f"name another by its label: {labels}")]


def _judge(name: str | None, subject: Subject | None, known: Registry) -> tuple[JudgeSpec | None, list[Finding]]:
    """The judge that is meant; without a name the default one, if it is asked where the subject is."""
    if name in (CUES, OFFLINE):
        return None, [Finding("judge", name, "ok", "no model: no key, no cost")]
    if name is None and subject is None:
        return None, []
    try:
        judge = judges.model((name or DEFAULT_JUDGE).removeprefix(f"{HYBRID}:"), known)
    except UsageError as error:
        return None, [doors.wrong("judge", str(name), error)]
    if name is None and subject is not None and subject.endpoint != judge.endpoint:
        found = "not asked; `run` grades with it unless told otherwise"
        return None, [Finding("judge", judge.name, "skipped", found, "name your judge with --judge; `cues` needs none")]
    return judge, []


async def _online(directory: Directory, pair: Pair, named: str | None) -> list[Finding]:
    """Endpoints, then models, then calls; without a named model the endpoints that are configured."""
    who = [one for one in pair if one is not None]
    names = [one.endpoint for one in who] if named else doors.configured(directory)
    async with AsyncExitStack() as stack:
        if SIM in names:
            directory = directory._replace(loopback=await model_service.loopback(stack))
        session = await stack.enter_async_context(open_session())
        found: dict[str, Door | None] = {}
        out: list[Finding] = []
        for name in dict.fromkeys(names):
            found[name], about = await doors.knock(name, directory, session)
            out += about
        return out + await visits.carry_out(pair, found, session)
