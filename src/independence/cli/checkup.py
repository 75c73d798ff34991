"""The checks of `doctor`, each on its own: what fails is a finding, and the next one goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

import aiohttp
import msgspec

from independence.cli import probes
from independence.cli.endpoint_lookup import EndpointLookup, address
from independence.cli.probes import CheckCall
from independence.cli.terminal import note
from independence.clients import dialects
from independence.clients.catalogue import Catalogue
from independence.clients.failures import RequestFailure
from independence.clients.listing import EndpointListing
from independence.clients.transport import open_session
from independence.config import environment, registry
from independence.config.registry import Registry
from independence.config.subjects import SIM, Subject
from independence.engine import connections, service
from independence.engine.event_loop import drive
from independence.errors import UsageError
from independence.judge import kinds, model
from independence.judge.model import ModelJudge
from independence.judge.protocol import DEFAULT_JUDGE
from independence.report import checks
from independence.report.checks import CheckedModel, Finding
from independence.store import health

_SETTINGS = ("BENCH_", "OPENROUTER_MODEL_")


class CheckedEndpoint(NamedTuple):
    """An endpoint whose address is known, and what it lists."""

    listing: EndpointListing
    catalogue: Catalogue
    obstacle: str = ""  # why no model can be called through it; empty: nothing is known to be in the way


def findings(
    *, model: str | None, judge: str | None, models_file: Path | None, local_url: str | None, db: Path
) -> list[Finding]:
    """Every check that applies, in order."""
    env, wrong = _settings(environment.read())
    known, file = _models_file(models_file)
    known = msgspec.structs.replace(known, redirected=bool(environment.redirected(env)))
    subject, about_subject = _subject(model, known)
    spec, about_judge = _judge(judge, subject, known)
    lookup = EndpointLookup(known, env, local_url)
    meant = [one.endpoint for one in (subject, spec) if one is not None]
    online = drive(_online(lookup, meant if model or judge else lookup.configured(), subject, spec))
    return [*_store(db), *wrong, *file, *about_subject, *about_judge, *online]


def refusal(check: str, of: str, error: UsageError, fix: str = "") -> Finding:
    """An error as a finding; `fix` is for errors that come without advice of their own."""
    return Finding(check, of, "fail", error.problem.removeprefix(f"{of}: "), error.fix or fix)


def _store(db: Path) -> Iterator[Finding]:
    try:
        if db.is_file():
            yield from checks.of_store(health.examine(db))
        else:
            free = health.free_bytes(db.parent)
            yield Finding("store", str(db), "skipped", "not there yet; the first run makes it")
            yield checks.of_disk(free, str(db.parent))
    except UsageError as error:
        yield refusal("store", str(db), error, "name another store with --db")


def _settings(env: Mapping[str, str]) -> tuple[dict[str, str], list[Finding]]:
    """The environment without settings that make no sense, and what is wrong with them."""
    rest, wrong = dict(env), []
    for read in (environment.settings, environment.log_level):
        try:
            read(rest)
        except UsageError as error:
            wrong.append(refusal("settings", "environment", error))
            rest = {name: value for name, value in rest.items() if not name.startswith(_SETTINGS)}
    return rest, wrong


def _models_file(file: Path | None) -> tuple[Registry, list[Finding]]:
    path = registry.located(file or connections.DEFAULT_FILE)
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
    """The configuration of that name: the first where a bare id has several."""
    if name is None:
        return None, []
    try:
        first, *others = known.resolve(name)
    except UsageError as error:
        return None, [refusal("model", name, error, "`independence models` lists what is configured")]
    if not others:
        return first, []
    labels = ", ".join(f"`{other.label}`" for other in others)
    found = f"{1 + len(others)} are active; this is about `{first.label}`"
    return first, [Finding("configuration", name, "ok", found, f"name another by its label: {labels}")]


def _judge(name: str | None, subject: Subject | None, known: Registry) -> tuple[ModelJudge | None, list[Finding]]:
    """The judge of that name; without a name the default judge, if it is at the endpoint of the subject."""
    kind = kinds.of(name or DEFAULT_JUDGE)
    if name is not None and not kind.needs_model and not kind.human:
        return None, [Finding("judge", name, "ok", "no model: no key, no cost")]
    if name is None and subject is None:
        return None, []
    try:
        judge = model.named(kind.model_of(name or DEFAULT_JUDGE), known)
    except UsageError as error:
        return None, [refusal("judge", str(name), error)]
    if name is None and subject is not None and subject.endpoint != judge.endpoint:
        found = "not asked; `run` grades with it by default"
        return None, [Finding("judge", judge.name, "skipped", found, "name your judge with --judge; `cues` needs none")]
    return judge, []


async def _online(
    lookup: EndpointLookup, names: Sequence[str], subject: Subject | None, judge: ModelJudge | None
) -> list[Finding]:
    """Endpoints, then subject and judge, one after the other: a local server may answer one request at a time."""
    async with AsyncExitStack() as stack:
        if SIM in names:
            lookup = lookup._replace(loopback=await service.loopback(stack))
        session = await stack.enter_async_context(open_session())
        there: dict[str, CheckedEndpoint | None] = {}
        out: list[Finding] = []
        for name in dict.fromkeys(names):
            there[name], about = await _endpoint(name, lookup, session)
            out += about
        if subject is not None:
            checked = CheckedModel("model", subject.model_id, subject.model, subject.sampling.effort or "",
                                   temperature_sent=subject.temperature_supported)  # fmt: skip
            out += await _model(checked, probes.of_subject(subject), there[subject.endpoint], session)
        if judge is not None:
            checked = CheckedModel("judge", judge.name, judge.model, judge.effort)
            twice = subject is not None and (subject.endpoint, subject.model) == (judge.endpoint, judge.model)
            out += await _model(
                checked, probes.of_judge(judge), there[judge.endpoint], session, from_catalogue=not twice
            )
        return out


async def _endpoint(
    name: str, lookup: EndpointLookup, session: aiohttp.ClientSession
) -> tuple[CheckedEndpoint | None, list[Finding]]:
    """Ask an endpoint about the key and the models it has. None where there is no address to ask at."""
    endpoint, missing = lookup.find(name)
    if endpoint is None:
        return None, [refusal("endpoint", name, missing, "give its address with --local-url")] if missing else []
    out = [refusal("key", name, missing, "export it or put it into .env")] if missing else []
    try:
        where = address(endpoint)
    except UsageError as error:
        return None, [*out, Finding("endpoint", name, "fail", str(error), "correct it")]
    obstacle = "its key is missing" if missing else ""
    listing = EndpointListing(endpoint, session)
    if name == SIM:
        out.append(Finding("key", name, "skipped", "simulated subjects need none"))
    elif listing.dialect.key_path and not missing:
        key = await listing.read_key()
        out.append(checks.of_key(endpoint, key))
        obstacle = "its key is refused" if isinstance(key, RequestFailure) and key.action == "key" else ""
    listed = await listing.read_catalogue()
    out.append(checks.of_endpoint(endpoint, where, listed))
    if isinstance(listed, RequestFailure):
        answers = listed.status and listed.action != "key"
        obstacle = obstacle or ("" if answers else "its endpoint is of no use")
        listed = Catalogue(known=False)
    return CheckedEndpoint(listing, listed, obstacle), out


async def _model(
    model: CheckedModel,
    calls: Sequence[CheckCall],
    there: CheckedEndpoint | None,
    session: aiohttp.ClientSession,
    *,
    from_catalogue: bool = True,
) -> list[Finding]:
    """Findings about one model, from the catalogue and from calls."""
    if there is None:
        return [Finding(model.role, model.name, "skipped", "its endpoint cannot be asked")]
    found = await there.listing.find(there.catalogue, model.model)
    catalogue = there.catalogue if isinstance(found, RequestFailure) else found
    info = catalogue.info(model.model)
    out = [*checks.of_model(model, catalogue, info)] if from_catalogue else []
    obstacle = there.obstacle or ("it is not in the catalogue" if catalogue.known and info is None else "")
    client = probes.connect(there.listing.endpoint, session, catalogue)
    for call in calls:
        if call.request.tool is not None and info is not None and info.rejects("tools"):
            continue
        if obstacle:
            out.append(Finding(call.check, model.name, "skipped", obstacle))
            continue
        note(f"asking {model.name}: {call.check}")
        result = await probes.make(client, call.request)
        out.append(call.read(model.name, result))
        if result.general and call.check == "answer":
            obstacle = "the call before found its endpoint in trouble"
    return out
