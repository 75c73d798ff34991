"""The file that lists models and endpoints: `models.yaml`, or a plain list of models in YAML or JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from independence.config import documents, endpoints
from independence.config.documents import YamlDocument
from independence.config.endpoints import RateSetting
from independence.config.subjects import OPENROUTER
from independence.errors import UsageError

Count = Annotated[int, msgspec.Meta(ge=1)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
_SLUG = re.compile(r"[a-z0-9._/-]+")
_SLUGS = {"mistral ai": "mistral"}  # titles that are not their provider's name at OpenRouter


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
    temperature: float | None = None  # None: the suite's, else 0.7
    reasoning_effort: str | None = None
    temperature_supported: bool = True
    active: bool = True
    provider: str | None = None
    display_label: str | None = None
    label: str | None = None
    endpoint: str | None = None
    rate_limit: RateLimit | None = None
    concurrency: Count | None = None
    timeout_s: Seconds | None = None  # per attempt

    @property
    def name(self) -> str:
        """The model's id, by whichever key."""
        return self.model_id or self.roster_id or ""

    @property
    def pacing(self) -> RateSetting:
        """What it says about the rate."""
        return RateSetting(self.rate_limit.rps, self.rate_limit.burst) if self.rate_limit else RateSetting()


class EndpointEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of `endpoints:`."""

    name: str
    base_url: str
    api_key_env: str | None = None
    dialect: str = "local"
    max_concurrency: Count | None = None  # None: 20
    backoff_s: Annotated[float, msgspec.Meta(ge=0)] = 0.5  # ceiling of the first pause before a retry
    requests_per_second: float | None = None  # to each model
    burst: Count | None = None
    timeout_s: Seconds | None = None  # per attempt; None: 90

    @property
    def pacing(self) -> RateSetting:
        """What it says about the rate."""
        return RateSetting(self.requests_per_second, self.burst)


class ModelsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The root of `models.yaml`."""

    models: list[str | ModelEntry] = []
    endpoints: list[EndpointEntry] = []
    preferred: str | None = None  # the id or label that goes first
    roster: list[str] = []  # ids and labels that `--roster default` asks


class Roster(msgspec.Struct, frozen=True):
    """A file as read: every model an entry, and the document for complaints."""

    document: YamlDocument
    models: list[ModelEntry]
    endpoints: list[EndpointEntry]
    preferred: str | None
    default: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()  # providers that were named by a title, and are pins now


def read(path: Path, dialect: Callable[[str], object] | None = None) -> Roster:
    """Read a file of models. Raises DocumentError naming file, line and key.

    `dialect` looks up the dialect that an endpoint names, and raises UsageError where there is none of that name.
    """
    document = documents.read(path)
    if isinstance(document.data, list):
        lines = {f"$.models{where[1:]}" if where != "$" else where: line for where, line in document.lines.items()}
        document = YamlDocument(document.path, {"models": document.data}, lines)
    elif document.data is None:
        document = YamlDocument(document.path, {}, document.lines)
    parsed = documents.convert(document, ModelsFile)
    declared = {endpoint.name for endpoint in parsed.endpoints}
    models = [_entry(one, number, document, declared) for number, one in enumerate(parsed.models)]
    for number, endpoint in enumerate(parsed.endpoints):
        _check_endpoint(endpoint, number, document)
        if dialect is not None:
            _check_at(document, f"$.endpoints[{number}].dialect", partial(dialect, endpoint.dialect))
    given = [one.provider if isinstance(one, ModelEntry) else None for one in parsed.models]
    titles = (said for said, made in zip(given, models, strict=True) if said and made.provider not in (None, said))
    return Roster(
        document,
        models,
        parsed.endpoints,
        parsed.preferred,
        default=tuple(parsed.roster),
        titles=tuple(dict.fromkeys(titles)),
    )


def _entry(one: str | ModelEntry, number: int, document: YamlDocument, declared: Collection[str]) -> ModelEntry:
    entry = ModelEntry(roster_id=one) if isinstance(one, str) else one
    where = f"$.models[{number}]"
    if (entry.model_id is None) == (entry.roster_id is None):
        raise document.error(where, "an entry needs a `model_id` (or `id`), and only one of them")
    if entry.name != entry.name.strip() or not entry.name.strip("/"):
        raise document.error(where, f"`{entry.name}` is no model id")
    if entry.label is not None and entry.display_label is not None:
        raise document.error(f"{where}.label", "`label` is another name of `display_label`", "write one of them")
    if entry.rate_limit is not None and not 0 < entry.rate_limit.rps < math.inf:
        raise document.error(f"{where}.rate_limit.rps", f"{entry.rate_limit.rps:g} requests a second are not above 0")
    if entry.roster_id is not None:
        entry = _from_roster(entry, where, document, declared)
    return msgspec.structs.replace(entry, display_label=entry.display_label or entry.label)


def _from_roster(entry: ModelEntry, where: str, document: YamlDocument, declared: Collection[str]) -> ModelEntry:
    """Lists of other benchmarks name an API by its title, as `provider` and before the id.

    Where an endpoint of that name is declared, the id says so already; else it pins the provider at OpenRouter.
    """
    vendor, _, rest = entry.name.partition("/")
    name = rest if vendor == OPENROUTER and "/" in rest else entry.name
    provider = entry.provider
    if provider is None or _SLUG.fullmatch(provider):
        provider = None if provider == OPENROUTER else provider
    elif provider.lower() == OPENROUTER or vendor in declared or entry.endpoint is not None:
        provider = None
    else:
        provider = slug(provider)
        if not provider:
            raise document.error(f"{where}.provider", f"`{entry.provider}` names no provider of OpenRouter")
    return msgspec.structs.replace(entry, roster_id=name, provider=provider)


def slug(title: str) -> str:
    """A provider's name in requests, of its title: `Google AI Studio` is `google-ai-studio`."""
    low = title.strip().lower()
    return _SLUGS.get(low) or re.sub(r"[^a-z0-9]+", "-", low).strip("-")


def _check_endpoint(entry: EndpointEntry, number: int, document: YamlDocument) -> None:
    where, rps = f"$.endpoints[{number}]", entry.requests_per_second
    _check_at(document, f"{where}.base_url", partial(endpoints.check, entry.base_url, "base_url"))
    if rps is not None and not 0 < rps < math.inf:
        raise document.error(f"{where}.requests_per_second", f"{rps:g} requests a second are not above 0")
    if rps is None and entry.burst is not None:
        raise document.error(f"{where}.burst", "a burst bounds nothing alone", "add requests_per_second")


def _check_at(document: YamlDocument, where: str, checked: Callable[[], object]) -> None:
    """Do a check; what it complains about stands at that place of the document."""
    try:
        checked()
    except UsageError as error:
        raise document.error(where, error.what, error.fix) from None
