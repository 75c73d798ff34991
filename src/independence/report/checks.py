"""From facts about a store, a key or a model to findings: what is wrong with them and what to do about it. Pure.

Findings of all checks have one form, and one table shows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from independence.clients import dialects
from independence.clients.catalogue import Catalogue, ModelInfo, resolve_effort
from independence.clients.failures import RequestFailure
from independence.clients.listing import KeyInfo
from independence.clients.pricing import FREE, Prices
from independence.config.endpoints import Endpoint
from independence.report.table import Column, Table
from independence.store.health import StoreContents, StoreHealth

SCARCE_BYTES = 200 * 2**20  # a published board of 65 models takes 80 MB
NO_ROOM_BYTES = 10 * 2**20
SHORT_CONTEXT = 8192  # tokens; a dialogue with its system prompt, two answers of 2,048 and the judge's rubric
_LITTLE_USD = 0.5
_NEAR = 3  # names that may have been meant

State = Literal["ok", "warn", "fail", "skipped"]
_STATES: tuple[State, ...] = ("ok", "warn", "fail", "skipped")
_CHECK, _OF, _FIX = Column("check", "check"), Column("of", "of"), Column("fix", "what to do")
_RESULT, _FOUND = Column("result", "result"), Column("found", "found")
_COST = Column("cost_usd", "cost", "dollars", 6)


class Finding(NamedTuple):
    """The result of one check."""

    check: str
    of: str  # endpoint, model or file
    result: State
    found: str
    fix: str = ""
    usd: float | None = None  # what finding it out cost; None: no model was asked


def table(findings: Sequence[Finding], notes: Sequence[str] = ()) -> Table:
    """Findings in their order, with how many there are of each kind and what they cost below."""
    rows = tuple((f.check, f.of, f.result, f.found, f.fix or None, f.usd) for f in findings)
    return Table("doctor", "Doctor", (_CHECK, _OF, _RESULT, _FOUND, _FIX, _COST), rows, (_summary(findings), *notes))


def terminal_table(findings: Sequence[Finding], notes: Sequence[str] = ()) -> list[Table]:
    """The same for a terminal, whose lines are short: what was found, then what to do."""
    rows = tuple((f.check, f.of, f.result, f.found, f.usd) for f in findings)
    found = Table("doctor", "Doctor", (_CHECK, _OF, _RESULT, _FOUND, _COST), rows, (_summary(findings), *notes))
    fixes = tuple((f.check, f.of, f.fix) for f in findings if f.fix)
    return [found, Table("fixes", "What to do", (_CHECK, _OF, _FIX), fixes)] if fixes else [found]


def failed(findings: Iterable[Finding]) -> bool:
    """Whether any check failed; a warning is no failure."""
    return any(finding.result == "fail" for finding in findings)


def _summary(findings: Sequence[Finding]) -> str:
    counts = [(sum(f.result == state for f in findings), state) for state in _STATES]
    costs = [f.usd for f in findings if f.usd is not None]
    calls = f"; {len(costs)} model call{'s' * (len(costs) != 1)}, ${sum(costs):.6f}" if costs else ""
    return ", ".join(f"{count} {state}" for count, state in counts if count) + calls


def of_store(health: StoreHealth) -> Iterator[Finding]:
    """Integrity and schema, what the rows say, who works on it, and the disk."""
    name = str(health.path)
    yield _integrity(health, name)
    if health.contents is not None:
        yield _contents(health.contents, name)
        yield _leases(health.contents, name)
    if health.schema and not health.wal:
        found = "not in WAL mode: readers and the writer block each other"
        yield Finding("journal", name, "warn", found, "the next command that opens the store to write switches it")
    yield of_disk(health.free_bytes, str(health.path.parent))


def _integrity(health: StoreHealth, name: str) -> Finding:
    if health.damage:
        return Finding("store", name, "fail", f"damaged: {'; '.join(health.damage)}", "restore a copy of the file")
    if health.schema > health.known:
        found = f"written by a newer version (schema {health.schema}, this one knows {health.known})"
        return Finding("store", name, "fail", found, "upgrade ai-independence-bench, or name another store with --db")
    if not health.writable:
        return Finding("store", name, "fail", "it cannot be written", "change the rights of the file and its folder")
    if not health.schema:
        return Finding("store", name, "ok", "an empty file; the first run fills it")
    size = f"{health.size_bytes / 2**20:.1f} MB"
    if health.schema < health.known:
        found = f"sound, {size}, schema {health.schema} of {health.known}"
        return Finding("store", name, "ok", f"{found}: upgraded when it is next written")
    return Finding("store", name, "ok", f"sound, {size}, schema {health.schema}")


def _contents(held: StoreContents, name: str) -> Finding:
    parts = [f"{held.trials:,} dialogues, {held.answers:,} answers, {held.verdicts:,} verdicts"]
    odd = {
        "dialogues have an answer to an earlier turn that was replaced": held.stale,
        "dialogues belong to no plan": held.unplanned,
        "answers or verdicts belong to no dialogue": held.homeless,
    }
    parts += [f"{count:,} {what}" for what, count in odd.items() if count]
    fixes = ["run the command that made the stale dialogues again: it asks from there on"] * bool(held.stale)
    fixes += ["records without a dialogue only use space; no board reads them"] * bool(held.unplanned or held.homeless)
    return Finding("contents", name, "warn" if fixes else "ok", "; ".join(parts), "; ".join(fixes))


def _leases(held: StoreContents, name: str) -> Finding:
    if held.expired:
        found = f"{held.expired:,} dialogues were left by a run that was killed"
        return Finding("leases", name, "warn", found, "run the same command again: it takes them over")
    if held.leases:
        return Finding("leases", name, "ok", f"{held.leases:,} dialogues are being worked on now")
    return Finding("leases", name, "ok", "no process works on it")


def of_disk(free_bytes: int, folder: str) -> Finding:
    """Room for more."""
    found = f"{free_bytes / 2**20:,.0f} MB free"
    if free_bytes < NO_ROOM_BYTES:
        return Finding("disk", folder, "fail", found, "free space, or name a store on another disk with --db")
    if free_bytes < SCARCE_BYTES:
        return Finding("disk", folder, "warn", found, "a full board takes about 100 MB: free some space")
    return Finding("disk", folder, "ok", found)


def of_key(endpoint: Endpoint, said: KeyInfo | RequestFailure) -> Finding:
    """What became of `GET /key`."""
    name, source = endpoint.name, endpoint.key_source or "the key"
    if isinstance(said, KeyInfo):
        return _accepted(name, source, said)
    if said.action == "key":
        return Finding("key", name, "fail", f"refused ({said.detail})", f"check {source}")
    if said.status == 404:
        return Finding("key", name, "skipped", "the endpoint has no page about keys; the calls show whether it is good")
    return Finding("key", name, "skipped", f"not known ({said.kind}: {said.detail})", "see `endpoint`")


def _accepted(name: str, source: str, said: KeyInfo) -> Finding:
    tier = ", free tier: models that cost nothing, few requests a day" if said.free_tier else ""
    if said.left_usd is None:
        return Finding("key", name, "ok", f"{source} is accepted{tier}")
    found = f"{source} is accepted, ${max(said.left_usd, 0.0):.2f} of its limit left{tier}"
    if said.left_usd <= 0:
        return Finding("key", name, "fail", found, "raise the limit of the key, or make another")
    return Finding("key", name, "warn" if said.left_usd < _LITTLE_USD else "ok", found)


def of_endpoint(there: Endpoint, address: str, said: Catalogue | RequestFailure) -> Finding:
    """What became of `GET /models`. `address` is printed and must be free of credentials."""
    if isinstance(said, Catalogue):
        count = len(said.models)
        found = (
            f"{address} lists {count:,} model{'s' * (count != 1)}"
            if said.known
            else f"{address} answers, but lists none"
        )
        return Finding("endpoint", there.name, "ok", found)
    if said.action == "key" or said.status == 403:
        fix = f"set {there.key_source}" if there.key_source else "give it one with api_key_env"
        return Finding("endpoint", there.name, "fail", f"{address} wants a key ({said.detail})", fix)
    usual = "check the address and your connection; ask again in a few minutes"
    fix = dialects.of(there.dialect).start_advice or usual
    if said.status:
        found = f"{address} does not list its models ({said.detail})"
        return Finding("endpoint", there.name, "warn", found, "ask again in a few minutes; the calls go on without")
    return Finding("endpoint", there.name, "fail", f"no answer from {address} ({said.kind}: {said.detail})", fix)


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
        yield _tools(model, info)
        yield from _temperature(model)
    yield _effort(model, info)
    yield _price(model, info.prices if info else None)
    if info is not None and info.context_length is not None:
        yield _context(model, info.context_length)


def _presence(model: CheckedModel, listed: Catalogue, info: ModelInfo | None) -> Finding:
    if not listed.known:
        found = "its endpoint lists no models, so the id is not checked"
        return Finding(model.role, model.name, "skipped", found)
    if info is not None:
        slug = f" ({info.canonical_slug})" if info.canonical_slug and info.canonical_slug != info.id else ""
        return Finding(model.role, model.name, "ok", f"listed as {info.id}{slug}")
    prefix = model.name.removesuffix(model.model)  # the endpoint's, as the command line wants it
    names = ", ".join(f"`{prefix}{name}`" for name in listed.near(model.model)[:_NEAR])
    fix = f"did you mean {names}?" if names else "`independence models --catalogue` lists what there is"
    return Finding(model.role, model.name, "fail", f"no `{model.model}` in the catalogue", fix)


def _tools(model: CheckedModel, info: ModelInfo | None) -> Finding:
    if info is None or info.supported_parameters is None:
        return Finding("tools", model.name, "skipped", "its listing does not say; `tool call` shows")
    if info.rejects("tools"):
        return Finding(
            "tools", model.name, "fail", "takes no tools, which tool_role needs", "run it with --modes user_role"
        )
    return Finding("tools", model.name, "ok", "listed")


def _temperature(model: CheckedModel) -> Iterator[Finding]:
    """Only where no temperature is sent to the model although its label names one."""
    if not model.temperature_sent:
        yield Finding("temperature", model.name, "ok", "none is sent, as its entry says temperature_supported: false")


def _effort(model: CheckedModel, info: ModelInfo | None) -> Finding:
    sent = resolve_effort(model.effort, info)
    if sent == model.effort:
        return Finding("effort", model.name, "ok", f"`{sent}` is sent")
    if sent is None:
        return Finding("effort", model.name, "ok", "nothing is sent")
    found = f"`{model.effort}` is not available, `{sent}` is sent"
    if model.role == "judge":
        return Finding("effort", model.name, "ok", found)
    return Finding("effort", model.name, "warn", found, f"say -r {sent}, so that the label names what was measured")


def _price(model: CheckedModel, prices: Prices | None) -> Finding:
    if prices is None:
        fix = "under --max-cost add --allow-unpriced; its cost is counted afterwards"
        return Finding("price", model.name, "warn", "not listed, so --max-cost cannot be kept", fix)
    if prices == FREE:
        return Finding("price", model.name, "ok", "free")
    found = f"${prices.prompt * 1e6:.6g} in, ${prices.completion * 1e6:.6g} out per million tokens"
    return Finding("price", model.name, "ok", found)


def _context(model: CheckedModel, length: int) -> Finding:
    if length < SHORT_CONTEXT:
        found = f"{length:,} tokens: long dialogues are cut or refused"
        fix = f"take a model or a setting with {SHORT_CONTEXT:,} or more"
        return Finding("context", model.name, "warn", found, fix)
    return Finding("context", model.name, "ok", f"{length:,} tokens by its listing")
