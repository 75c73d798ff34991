"""What stands between a person and a run, each checked on its own: what fails is a finding, and the next goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from pathlib import Path
from typing import NamedTuple

import aiohttp
import msgspec

from independence.api import probes
from independence.api.catalogue import EndpointLookup
from independence.clients.catalogue import Catalogue
from independence.clients.delivery import Shape
from independence.clients.failures import LOADING, Failure
from independence.clients.features import EFFORT_REFUSED
from independence.clients.listing import EndpointListing, read_pages, refuse_unlike
from independence.clients.transport import open_session
from independence.config import entries, environment
from independence.config.options import ConnectionOptions
from independence.config.subjects import OPENROUTER, PYTHON, SIM, Subject
from independence.engine import models, service
from independence.engine.event_loop import drive
from independence.engine.events import CallWaiting, Event
from independence.engine.models import LocalModels, Models
from independence.errors import UsageError
from independence.judge import kinds
from independence.judge.model import ModelJudge
from independence.judge.protocol import DEFAULT_JUDGE
from independence.report.files import checks, table
from independence.report.files.checks import CheckedModel, Finding, SetKey, finding, refusal
from independence.report.files.table import Table
from independence.store import health, integrity
from independence.types import ChatRequest

_SETTINGS = ("BENCH_", "OPENROUTER_MODEL_")


class CheckedEndpoint(NamedTuple):
    """An endpoint whose address is known, and what it lists."""

    listing: EndpointListing
    catalogue: Catalogue
    obstacle: str = ""  # why no model can be called through it; empty: nothing is known to be in the way
    read: bool = True  # whether it said what it lists, or that it lists nothing


class Doctor(NamedTuple):
    """Who is told what is being done while models and servers are asked."""

    say: Callable[[str], object]  # before each call
    working: Callable[[str], AbstractContextManager[Callable[[str], object]]]  # around what may take long


class Checkup(NamedTuple):
    """What was found."""

    findings: list[Finding]
    keys: list[SetKey]  # empty where a model or an endpoint is named

    @property
    def failed(self) -> bool:
        """Whether something stands in the way of a run."""
        return checks.failed(self.findings)

    def tables(self, notes: Sequence[str] = (), *, terminal: bool = False) -> list[Table]:
        """Findings and keys; on a terminal what to do in a table of its own."""
        shown = [checks.table(self.findings, notes)]
        if terminal:
            shown = [table.without_empty_columns(one) for one in checks.terminal_table(self.findings, notes)]
        return [*shown, *([checks.keys_table(self.keys)] if self.keys else [])]


def checkup(
    db: Path,
    doctor: Doctor,
    *,
    model: str | None = None,
    judge: str | None = None,
    models_file: Path | None = None,
    local_url: str | None = None,
    endpoint: str | None = None,
    whole: bool = False,
) -> Checkup:
    """Every check that applies, in order. `model`, `judge`: to be called; `endpoint`: checked alone.

    `whole`: also compare all of the store with the digests of its rows. Raises UsageError for an unknown endpoint.
    """
    out = list(_store(db, whole=whole))
    env = _settings(environment.read(), out)
    known = _models_file(models_file, out)
    known = msgspec.structs.replace(known, redirected=bool(environment.redirected(env)))
    known = _with_local(known, env, local_url, [name for name in (model, judge) if name], doctor)
    subject = _subject(model, known, out) if model is not None else None
    spec = _judge(judge, subject, known, out) if judge is not None or subject is not None else None
    if PYTHON in {one.endpoint for one in (subject, spec) if one is not None}:
        raise UsageError("doctor looks at servers, and a Python function has none", "`run --runs 1` asks it")
    lookup = EndpointLookup(known.registry, env, local_url)
    meant = [one.endpoint for one in (subject, spec) if one is not None]
    if endpoint is not None:
        meant = [lookup.named(endpoint)]
    alone = model or judge or endpoint
    drive(_online(lookup, meant if alone else lookup.configured(), subject, spec, doctor, out))
    return Checkup(out, [] if alone else keys())


def salvage(db: Path, out: Path) -> list[str]:
    """Copy what is whole of a store into a new one; how many rows of each table, in words. Raises StoreError."""
    return [
        f"{one.table}: {one.rows}{f' of {one.written}' if one.written is not None else ''} rows"
        for one in integrity.salvage(db, out)
        if one.rows or one.written
    ]


def keys() -> list[SetKey]:
    """Which of the keys that endpoints of this package want are set, whatever they hold."""
    env = environment.read()
    rows = [(OPENROUTER, environment.OPENROUTER_KEYS), *((e.name, e.key_variables) for e in entries.shipped().values())]
    return [
        SetKey(name, variable, "placeholder" if environment.is_placeholder(env[variable]) else "set")
        if (variable := next((one for one in variables if env.get(one, "").strip()), ""))
        else SetKey(name, " or ".join(variables), "not set")
        for name, variables in rows
    ]


def _store(db: Path, *, whole: bool) -> Iterator[Finding]:
    try:
        if db.is_file():
            yield from checks.of_store(health.examine(db, whole=whole))
        else:
            free = health.free_bytes(db.parent)
            yield finding("store", "absent", str(db))
            yield checks.of_disk(free, str(db.parent))
    except UsageError as error:
        yield refusal("store", "unusable", str(db), error)


def _settings(env: Mapping[str, str], out: list[Finding]) -> Mapping[str, str]:
    """The environment without settings that make no sense."""
    for read in (environment.settings, environment.log_level):
        try:
            read(env)
        except UsageError as error:
            out.append(refusal("settings", "wrong", "environment", error))
            env = {name: value for name, value in env.items() if not name.startswith(_SETTINGS)}
    return env


def _models_file(file: Path | None, out: list[Finding]) -> Models:
    path = file or models.DEFAULT_FILE
    if file is None and not path.is_file():
        return Models()
    name = str(path)
    try:
        known = models.read(file)
    except UsageError as error:
        out.append(finding("models file", "unreadable", name, problem=str(error)))
        return Models()
    listed = known.registry.subjects
    counts = {"count": len(listed), "active": sum(subject.active for subject in listed)}
    out.append(finding("models file", "read", name, endpoints=len(known.registry.endpoints), **counts))
    return known


def _with_local(
    known: Models, env: Mapping[str, str], local_url: str | None, names: Sequence[str], doctor: Doctor
) -> Models:
    """The registry with what the server of `local/` ids tells, where one is named; its faults are found later."""
    try:
        endpoint = models.local_server(ConnectionOptions(local_url=local_url), names, known, env)
    except UsageError as problem:
        return msgspec.structs.replace(known, local=LocalModels(problem=problem))
    if endpoint is None:
        return known.with_local(None, env)
    once = msgspec.structs.replace(endpoint, retries=0)
    with doctor.working(f"asking {endpoint.printable} which models it has") as say:

        def on_event(event: Event) -> None:
            if isinstance(event, CallWaiting) and event.wait.reason == LOADING:
                say(f"{endpoint.printable} is loading its model; waiting for it, {endpoint.timeout_s:.0f} s at most")

        return known.with_local(drive(service.read_local(once, on_event)), env)


def _subject(name: str, known: Models, out: list[Finding]) -> Subject | None:
    """The configuration of that name: the first where a bare id has several."""
    try:
        first, *others = known.meant(name)
    except UsageError as error:
        out.append(refusal("model", "unknown", name, error))
        return None
    if others:
        labels = ", ".join(f"`{other.label}`" for other in others)
        out.append(finding("configuration", "several", name, count=1 + len(others), label=first.label, labels=labels))
    return first


def _judge(name: str | None, subject: Subject | None, known: Models, out: list[Finding]) -> ModelJudge | None:
    """The judge of that name; without a name the default judge, if it is at the endpoint of the subject."""
    kind = kinds.of(name or DEFAULT_JUDGE)
    if name is not None and not kind.needs_model and not kind.human:
        out.append(finding("judge", "modelless", name))
        return None
    try:
        judge = known.judge(kind.model_of(name or DEFAULT_JUDGE))
    except UsageError as error:
        out.append(refusal("judge", "unknown", str(name), error))
        return None
    if name is None and subject is not None and subject.endpoint != judge.endpoint:
        out.append(finding("judge", "elsewhere", judge.name))
        return None
    return judge


async def _online(
    lookup: EndpointLookup,
    names: Sequence[str],
    subject: Subject | None,
    judge: ModelJudge | None,
    doctor: Doctor,
    out: list[Finding],
) -> None:
    """Endpoints, then subject and judge, one after the other: a local server may answer one request at a time."""
    async with AsyncExitStack() as stack:
        if SIM in names:
            lookup = lookup._replace(loopback=await service.loopback(stack))
        session = await stack.enter_async_context(open_session())
        there = {name: await _endpoint(name, lookup, session, out) for name in dict.fromkeys(names)}
        if subject is not None:
            checked = CheckedModel("model", subject.model_id, subject.model, subject.sampling.effort or "",
                                   temperature_sent=subject.temperature_supported)  # fmt: skip
            shapes = probes.shapes(subject, None)
            at = there[subject.endpoint]
            await _model(checked, probes.of_subject(subject), shapes, at, session, doctor, out)
        if judge is not None:
            checked = CheckedModel("judge", judge.name, judge.model, judge.effort)
            first = len(out)
            shapes = probes.shapes(None, judge)
            await _model(checked, probes.of_judge(judge), shapes, there[judge.endpoint], session, doctor, out)
            if subject is not None and (subject.endpoint, subject.model) == (judge.endpoint, judge.model):
                del out[first : -1 - len(shapes)]  # the catalogue says the same of it as of the subject


async def _endpoint(
    name: str, lookup: EndpointLookup, session: aiohttp.ClientSession, out: list[Finding]
) -> CheckedEndpoint | None:
    """Ask an endpoint about the key and the models it has. None where there is no address to ask at."""
    endpoint, missing = lookup.find(name)
    if missing is not None:
        check, case = ("endpoint", "unaddressed") if endpoint is None else ("key", "missing")
        out.append(refusal(check, case, name, missing))
    if endpoint is None:
        return None
    obstacle = "its key is missing" if missing else ""
    listing = EndpointListing(endpoint, session)
    if name == SIM:
        out.append(finding("key", "unneeded", name))
    elif listing.dialect.key_path and not missing:
        key = await listing.read_key()
        out.append(checks.of_key(endpoint, key))
        obstacle = "its key is refused" if isinstance(key, Failure) and key.scope == "key" else ""
    pages = await read_pages(endpoint, session)
    for one in pages.of_each or (pages,):
        read = endpoint.lists_models
        out.append(checks.of_endpoint(one.endpoint, one.catalogue) if read else finding("endpoint", "unread", name))
        out += checks.of_server(one)
    try:
        refuse_unlike(pages, pages.listed.models)
    except UsageError as error:
        out.append(refusal("endpoint", "unlike", name, error))
    listed = pages.catalogue
    if isinstance(listed, Failure):
        answers = listed.status and listed.scope != "key"
        obstacle = obstacle or ("" if answers else "not asked: its endpoint does not answer")
        return CheckedEndpoint(listing, Catalogue(known=False), obstacle, read=False)
    return CheckedEndpoint(listing, listed, obstacle)


async def _model(
    model: CheckedModel,
    calls: Mapping[str, ChatRequest],
    shapes: Mapping[str, Shape],
    there: CheckedEndpoint | None,
    session: aiohttp.ClientSession,
    doctor: Doctor,
    out: list[Finding],
) -> None:
    """Findings about one model, from the catalogue and from calls."""
    if there is None:
        out.append(finding(model.role, "unreached", model.name))
        return
    if there.listing.endpoint.features.get("effort") == EFFORT_REFUSED:
        model = model._replace(effort="off")
    found = await there.listing.find(there.catalogue, model.model)
    catalogue = there.catalogue if isinstance(found, Failure) else found
    info = catalogue.info(model.model)
    out += checks.of_model(model, catalogue, info) if there.read else [finding(model.role, "unread", model.name)]
    obstacle = there.obstacle or ("it is not in the catalogue" if catalogue.known and info is None else "")
    client = probes.connect(there.listing.endpoint, session, catalogue)
    for check, request in calls.items():
        if request.tool is not None and info is not None and info.rejects("tools"):
            continue
        if obstacle:
            out.append(finding(check, "skipped", model.name, obstacle=obstacle))
            continue
        doctor.say(f"asking {model.name}: {check}")
        result = await probes.make(client, request)
        out.append(probes.read(check, model.name, result))
        if result.general and check == "answer":
            obstacle = "not asked: the call before failed"
    for how, shape in shapes.items():
        if shape.request.tool is not None and info is not None and info.rejects("tools"):
            continue
        if obstacle:
            out.append(finding("delivery", "skipped", model.name, how=how, obstacle=obstacle))
            continue
        doctor.say(f"asking {model.name}: whether every part of a prompt reaches it ({how}, {shape.calls} short calls)")
        out.append(await probes.probe(client, model.name, how, shape))
