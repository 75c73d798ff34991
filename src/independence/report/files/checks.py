"""From facts about a store, a key or a model to findings: what is wrong with them and what to do about it.

What a finding says is a line of `checks.yaml`, by check and case. Findings of all checks have one form, and one table
shows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import msgspec

from independence.clients import catalogue
from independence.clients.catalogue import Catalogue, ModelInfo, resolve_effort
from independence.clients.failures import Failure
from independence.clients.limits import FREE
from independence.clients.listing import KeyInfo, ServerPages, connection_advice, lacked_key
from independence.config import documents
from independence.config.endpoints import Endpoint, printable_address
from independence.config.subjects import LOCAL
from independence.errors import UsageError
from independence.report.files import table_layouts
from independence.report.files.table import Table, Value
from independence.store.file import database
from independence.store.health import StoreContents, StoreHealth

SCARCE_BYTES = 200 * 2**20  # a published board of 65 models takes 80 MB
NO_ROOM_BYTES = 10 * 2**20
SHORT_CONTEXT = 8192  # tokens; a dialogue with its system prompt, two answers of 2,048 and the judge's rubric
_LITTLE_USD = 0.5
_NEAR = 3  # names that may have been meant

State = Literal["ok", "warn", "fail", "skipped"]


class Finding(NamedTuple):
    """The result of one check."""

    check: str
    of: str  # endpoint, model or file
    result: State
    found: str
    fix: str = ""
    usd: float | None = None  # what finding it out cost; None: no model was asked


class SetKey(NamedTuple):
    """Whether a key is set: never the key."""

    endpoint: str
    variable: str  # that holds it, or that would
    state: Literal["set", "placeholder", "not set"]


class FindingText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a finding says, with slots for its facts."""

    result: State = "fail"
    found: str = ""
    fix: str = ""


@cache
def texts() -> Mapping[str, Mapping[str, FindingText]]:
    """What findings say, by check and case."""
    return documents.packaged(Path(__file__).with_name("checks.yaml"), dict[str, dict[str, FindingText]])


def finding(check: str, case: str, of: str, *, usd: float | None = None, **facts: object) -> Finding:
    """What is found in a case, with its facts."""
    text = texts()[check][case]
    return Finding(check, of, text.result, text.found.format(**facts), text.fix.format(**facts), usd=usd)


def refusal(check: str, case: str, of: str, error: UsageError) -> Finding:
    """An error as a finding; the advice of the case is for errors that come without advice of their own."""
    found = finding(check, case, of, problem=error.problem.removeprefix(f"{of}: "))
    return found._replace(fix=error.fix or found.fix)


def table(findings: Sequence[Finding], notes: Sequence[str] = ()) -> Table:
    """Findings in their order, with how many there are of each kind and what they cost below."""
    return table_layouts.made("doctor/doctor", map(_row, findings), (_summary(findings), *notes))


def terminal_table(findings: Sequence[Finding], notes: Sequence[str] = ()) -> list[Table]:
    """The findings for a terminal, whose lines are short: what was found, then what to do."""
    found = table_layouts.made("doctor/found", map(_row, findings), (_summary(findings), *notes))
    fixes = [_row(finding) for finding in findings if finding.fix]
    return [found, table_layouts.made("doctor/fixes", fixes)] if fixes else [found]


def keys_table(keys: Iterable[SetKey]) -> Table:
    """Which keys are set, by endpoint."""
    return table_layouts.made("doctor/keys", (key._asdict() for key in keys))


def _row(finding: Finding) -> dict[str, Value]:
    return finding._asdict() | {"fix": finding.fix or None, "cost_usd": finding.usd}


def failed(findings: Iterable[Finding]) -> bool:
    """Whether any check failed; a warning is no failure."""
    return any(finding.result == "fail" for finding in findings)


def _summary(findings: Sequence[Finding]) -> str:
    counts = [(sum(f.result == state for f in findings), state) for state in get_args(State)]
    costs = [f.usd for f in findings if f.usd is not None]
    spent = f"; ${sum(costs):.6f} for calls to models" if costs else ""
    return ", ".join(f"{count} {state}" for count, state in counts if count) + spent


def _first(cases: Mapping[str, bool], otherwise: str) -> str:
    """The first case that holds."""
    return next((case for case, holds in cases.items() if holds), otherwise)


def of_store(health: StoreHealth) -> Iterator[Finding]:
    """Integrity and schema, what the rows say, who works on it, and the disk."""
    name, held = str(health.path), health.contents
    cases = {
        "damaged": bool(health.damage),
        "other": health.other,
        "unwritable": not health.writable,
        "bare": health.empty and health.wal,
        "empty": health.empty,
    }
    case, damage = _first(cases, "sound"), "; ".join(health.damage)
    size = f"{health.size_bytes / 2**20:.1f} MB{', every row is as it was written' if health.whole else ''}"
    yield finding("store", case, name, damage=damage, other=database.OTHER, size=size)
    if held is not None:
        yield _contents(held, name)
        case = _first({"expired": held.expired > 0, "held": held.leases > 0}, "none")
        yield finding("leases", case, name, expired=held.expired, leases=held.leases)
    if not (health.empty or health.wal):
        yield finding("journal", "blocking", name)
    yield of_disk(health.free_bytes, str(health.path.parent))


def _contents(held: StoreContents, name: str) -> Finding:
    counts = msgspec.structs.asdict(held)
    odd = [case for case in ("stale", "unplanned", "homeless") if counts[case]]
    found = [finding("contents", case, name, **counts) for case in ("sound", *odd)]
    fixes = dict.fromkeys(one.fix for one in found if one.fix)
    return Finding("contents", name, found[-1].result, "; ".join(one.found for one in found), "; ".join(fixes))


def of_disk(free_bytes: int, folder: str) -> Finding:
    """Room for more."""
    case = _first({"full": free_bytes < NO_ROOM_BYTES, "scarce": free_bytes < SCARCE_BYTES}, "roomy")
    return finding("disk", case, folder, free=f"{free_bytes / 2**20:,.0f}")


def of_key(endpoint: Endpoint, said: KeyInfo | Failure) -> Finding:
    """What became of `GET /key`."""
    source = endpoint.key_source or "the key"
    if isinstance(said, Failure):
        case = _first({"refused": said.scope == "key", "pageless": said.status == 404}, "unknown")
        return finding("key", case, endpoint.name, source=source, kind=said.kind, detail=said.detail)
    tier = ", free tier: models that cost nothing, few requests a day" if said.is_free_tier else ""
    left = said.limit_remaining
    if left is None:
        return finding("key", "accepted", endpoint.name, source=source, tier=tier)
    case = _first({"spent": left <= 0, "low": left < _LITTLE_USD}, "limited")
    return finding("key", case, endpoint.name, source=source, tier=tier, left=max(left, 0.0))


def of_endpoint(there: Endpoint, said: Catalogue | Failure) -> Finding:
    """What became of `GET /models`."""
    address = printable_address(there.base_url)
    if isinstance(said, Catalogue):
        count = len(said.models)
        case = "listed" if said.known else "unlisted"
        s = "s" * (count != 1) + (f": {', '.join(said.models)}" if 0 < count <= _NEAR else "")
        return finding("endpoint", case, there.name, address=address, count=count, s=s)
    closed, no_key = said.scope == "key" or said.status == 403, "" if said.lasting else lacked_key(there)
    case = _first({"closed": closed, "keyless": said.status > 0 and bool(no_key), "busy": said.status > 0}, "dead")
    return finding(
        "endpoint", case, there.name, address=address, kind=said.kind, detail=said.detail,
        key_advice=f"set {there.key_source}" if there.key_source else "give it one with api_key_env",
        advice=connection_advice(there, said), no_key=no_key,
    )  # fmt: skip


def of_server(pages: ServerPages) -> Iterator[Finding]:
    """What a server of one's own shows of itself; nothing of others."""
    shown, infos = pages.properties, [*pages.listed.models.values()]
    of_file = catalogue.weights_name(shown.weights, "")
    told = {info.id: info.weights for info in infos if info.weights}
    parts = [f"weights {of_file}" if of_file else ""]
    parts += [f"{model} has weights {weights}" for model, weights in told.items() if weights != of_file][:_NEAR]
    parts += [f"{shown.slots} slot{'s' * (shown.slots != 1)}" if shown.slots else ""]
    parts += [f"context of {shown.context:,} tokens" if shown.context else ""]
    toolless = "" if shown.tools else " (it knows no tools: --delivery user_role)"
    parts += [f"chat template {shown.template}{toolless}" if shown.template else ""]
    said = "; ".join(filter(None, parts))
    if said:
        yield finding("server", "told", pages.endpoint.name, told=said)
    elif pages.endpoint.name == LOCAL and pages.listed.known:
        yield finding("server", "silent", pages.endpoint.name)


class CheckedModel(NamedTuple):
    """A model to look at, as a subject or as a judge."""

    role: str  # `model` or `judge`
    name: str  # as boards print it
    model: str  # id as its endpoint knows it
    effort: str
    temperature_sent: bool = True


def of_model(model: CheckedModel, listed: Catalogue, info: ModelInfo | None) -> Iterator[Finding]:
    """What the catalogue says of a model: that it is there, what it takes, what it costs."""
    yield _presence(model, listed, info)
    if listed.known and info is None:
        return
    if model.role == "model":
        silent = info is None or info.supported_parameters is None
        case = _first({"unknown": silent, "none": info is not None and info.rejects("tools")}, "listed")
        yield finding("tools", case, model.name)
        if not model.temperature_sent:
            yield finding("temperature", "unsent", model.name)
    yield _effort(model, info)
    yield _price(model, info)
    if info is not None and info.context_length is not None:
        case = "short" if info.context_length < SHORT_CONTEXT else "long"
        yield finding("context", case, model.name, length=info.context_length, enough=SHORT_CONTEXT)


def _presence(model: CheckedModel, listed: Catalogue, info: ModelInfo | None) -> Finding:
    if not listed.known:
        return finding(model.role, "unlisted", model.name)
    if info is not None:
        slug = f" ({info.canonical_slug})" if info.canonical_slug not in ("", info.id) else ""
        return finding(model.role, "listed", model.name, id=info.id, slug=slug)
    prefix = model.name.removesuffix(model.model)  # the endpoint's, as the command line wants it
    names = ", ".join(f"`{prefix}{name}`" for name in listed.near(model.model)[:_NEAR])
    meant = f"did you mean {names}?" if names else "`independence models --catalogue` lists what there is"
    return finding(model.role, "absent", model.name, model=model.model, meant=meant)


def _effort(model: CheckedModel, info: ModelInfo | None) -> Finding:
    sent = resolve_effort(model.effort, info)
    cases = {"sent": sent == model.effort, "nothing": sent is None, "other_judge": model.role == "judge"}
    return finding("effort", _first(cases, "other"), model.name, effort=model.effort, sent=sent)


def _price(model: CheckedModel, info: ModelInfo | None) -> Finding:
    prices = info.prices if info else None
    if prices is None:
        return finding("price", "unlisted", model.name)
    case = "free" if prices == FREE else "listed"
    return finding("price", case, model.name, prompt=prices.prompt * 1e6, completion=prices.completion * 1e6)
