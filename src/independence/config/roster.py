"""The file that lists models and endpoints: `models.yaml`, or a plain list of models in YAML or JSON."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated

import msgspec

from independence.config import documents
from independence.config.documents import Document
from independence.config.endpoints import Dialect, Pacing
from independence.config.subjects import OPENROUTER

Count = Annotated[int, msgspec.Meta(ge=1)]
_SLUG = re.compile(r"[a-z0-9._/-]+")


class RateLimit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`rate_limit:` of a model."""

    rps: float
    burst: Count | None = None


class ModelEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of `models:`: a configuration by its `model_id`, or a model by its `id`, as other benchmarks list them.

    `label` is another name of `display_label`.
    """

    model_id: str | None = None
    roster_id: str | None = msgspec.field(default=None, name="id")
    temperature: float = 0.7
    reasoning_effort: str | None = None
    temperature_supported: bool = True
    active: bool = True
    provider: str | None = None
    display_label: str | None = None
    label: str | None = None
    endpoint: str | None = None
    rate_limit: RateLimit | None = None
    concurrency: Count | None = None

    @property
    def name(self) -> str:
        """The model's id, by whichever key."""
        return self.model_id or self.roster_id or ""

    @property
    def pacing(self) -> Pacing:
        """What it says about the rate."""
        return Pacing(self.rate_limit.rps, self.rate_limit.burst) if self.rate_limit else Pacing()


class EndpointEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of `endpoints:`."""

    name: str
    base_url: str
    api_key_env: str | None = None
    dialect: Dialect = "local"
    max_concurrency: Count | None = None  # None: 20
    backoff_s: Annotated[float, msgspec.Meta(ge=0)] = 0.5  # ceiling of the first pause before a retry
    requests_per_second: float | None = None  # to each model
    burst: Count | None = None

    @property
    def pacing(self) -> Pacing:
        """What it says about the rate."""
        return Pacing(self.requests_per_second, self.burst)


class ModelsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The root of `models.yaml`."""

    models: list[str | ModelEntry] = []
    endpoints: list[EndpointEntry] = []
    preferred: str | None = None  # the id or label that goes first


class Roster(msgspec.Struct, frozen=True):
    """A file as read: every model an entry, and the document for complaints."""

    document: Document
    models: list[ModelEntry]
    endpoints: list[EndpointEntry]
    preferred: str | None


def read(path: Path) -> Roster:
    """Read a file of models. Raises DocumentError naming file, line and key."""
    document = documents.read(path)
    if isinstance(document.data, list):
        lines = {f"$.models{where[1:]}" if where != "$" else where: line for where, line in document.lines.items()}
        document = Document(document.path, {"models": document.data}, lines)
    elif document.data is None:
        document = Document(document.path, {}, document.lines)
    parsed = documents.convert(document, ModelsFile)
    models = [_entry(one, number, document) for number, one in enumerate(parsed.models)]
    for number, endpoint in enumerate(parsed.endpoints):
        _check_endpoint(endpoint, number, document)
    return Roster(document, models, parsed.endpoints, parsed.preferred)


def _entry(one: str | ModelEntry, number: int, document: Document) -> ModelEntry:
    entry = ModelEntry(roster_id=one) if isinstance(one, str) else one
    where = f"$.models[{number}]"
    if (entry.model_id is None) == (entry.roster_id is None):
        raise document.error(where, "an entry needs a `model_id` (or `id`), and only one of them")
    if entry.name != entry.name.strip() or not entry.name.strip("/"):
        raise document.error(where, f"`{entry.name}` is no model id")
    if entry.label is not None and entry.display_label is not None:
        raise document.error(f"{where}.label", "`label` is another name of `display_label`; write one of them")
    if entry.rate_limit is not None and not 0 < entry.rate_limit.rps < math.inf:
        raise document.error(f"{where}.rate_limit.rps", f"{entry.rate_limit.rps:g} requests a second are not above 0")
    if entry.roster_id is not None:
        entry = _from_roster(entry, where, document)
    return msgspec.structs.replace(entry, display_label=entry.display_label or entry.label)


def _from_roster(entry: ModelEntry, where: str, document: Document) -> ModelEntry:
    """Lists of other benchmarks name an API by its title, as `provider` and before the id: here it is an endpoint."""
    vendor, _, rest = entry.name.partition("/")
    name = rest if vendor == OPENROUTER and "/" in rest else entry.name
    provider = entry.provider
    if provider is not None and provider.lower() == OPENROUTER:
        provider = None
    if provider is not None and not _SLUG.fullmatch(provider):
        advice = "declare its API under `endpoints:` and name it as `endpoint`"
        raise document.error(f"{where}.provider", f"`{provider}` is no provider of OpenRouter; {advice}")
    return msgspec.structs.replace(entry, roster_id=name, provider=provider)


def _check_endpoint(entry: EndpointEntry, number: int, document: Document) -> None:
    where, rps = f"$.endpoints[{number}]", entry.requests_per_second
    if rps is not None and not 0 < rps < math.inf:
        raise document.error(f"{where}.requests_per_second", f"{rps:g} requests a second are not above 0")
    if rps is None and entry.burst is not None:
        raise document.error(f"{where}.burst", "a burst bounds nothing alone; add requests_per_second")
