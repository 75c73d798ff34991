"""`models.yaml` or a plain list of models (YAML or JSON): the configurations and endpoints that it declares."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.config import documents, endpoints
from independence.config.documents import YamlDocument
from independence.config.entries import EndpointEntry, ModelEntry, ModelsFile, shipped
from independence.config.subjects import (
    LOCAL,
    OPENROUTER,
    PYTHON,
    SIM,
    Subject,
    check_sampling,
    default_effort,
)  # fmt: skip
from independence.errors import UsageError, nearest
from independence.types import Sampling

PUBLISHED = "published"  # in place of a file's name
SHIPPED = Path(__file__).parent / "published.yaml"
_SLUG = re.compile(r"[a-z0-9._/-]+")
_SLUGS = {"mistral ai": "mistral"}  # titles that are not their provider's name at OpenRouter
_NOTHING = Sampling()


class ModelPin(NamedTuple):
    """A model, on one provider where it is pinned."""

    endpoint: str
    model: str  # id as that endpoint knows it
    provider: str | None


class LookUps(NamedTuple):
    """What looks up the names that an entry of `endpoints:` uses. Each raises UsageError where there is none."""

    dialect: Callable[[str], object]
    form: Callable[[str, str], object]  # of a feature


def _entry(one: str | ModelEntry, where: str, document: YamlDocument, declared: Collection[str]) -> ModelEntry:
    entry = ModelEntry(roster_id=one) if isinstance(one, str) else one
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


def plain_id(name: str) -> str:
    """An id of OpenRouter without `openrouter/`, as other tools write it before `vendor/model`; others as they are."""
    head, _, rest = name.partition("/")
    return rest if head == OPENROUTER and "/" in rest else name


def _from_roster(entry: ModelEntry, where: str, document: YamlDocument, declared: Collection[str]) -> ModelEntry:
    """Lists of other benchmarks name an API by its title, as `provider` and before the id.

    Where an endpoint of that name is declared, the id says so already; else it pins the provider at OpenRouter.
    """
    name, vendor, provider = plain_id(entry.name), entry.name.partition("/")[0], entry.provider
    if provider is None or _SLUG.fullmatch(provider):
        provider = None if provider == OPENROUTER else provider
    elif provider.lower() == OPENROUTER or vendor in declared or entry.endpoint is not None:
        provider = None
    else:
        low = provider.strip().lower()  # `Google AI Studio` is `google-ai-studio` in requests
        provider = _SLUGS.get(low) or re.sub(r"[^a-z0-9]+", "-", low).strip("-")
        if not provider:
            raise document.error(f"{where}.provider", f"`{entry.provider}` names no provider of OpenRouter")
    return msgspec.structs.replace(entry, roster_id=name, provider=provider)


def _check_endpoint(entry: EndpointEntry, where: str, document: YamlDocument, look_ups: LookUps | None) -> None:
    rps = entry.requests_per_second
    if not entry.addresses:
        raise document.error(where, f"endpoint `{entry.name}` has no `base_url`", "add its address, up to `/v1`")
    for at, address in enumerate(entry.addresses):
        place = f"{where}.base_url" if isinstance(entry.base_url, str) else f"{where}.base_url[{at}]"
        if not endpoints.variables(address):
            _check_at(document, place, partial(endpoints.check, address, "base_url"))
    _check_at(document, f"{where}.base_url", partial(endpoints.check_distinct, entry.addresses, "base_url"))
    for name, value in entry.headers.items():
        _check_at(document, f"{where}.headers.{name}", partial(endpoints.check_header, name, value))
    _check_at(document, f"{where}.extra_body", partial(endpoints.check_extra_body, entry.extra_body))
    if look_ups is not None:
        _check_at(document, f"{where}.dialect", partial(look_ups.dialect, entry.dialect))
        for feature, form in entry.features.items():
            _check_at(document, f"{where}.features.{feature}", partial(look_ups.form, feature, form))
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


class Registry(msgspec.Struct, frozen=True):
    """Known configurations and endpoints. Of settings that an entry does not state its subject has none."""

    subjects: tuple[Subject, ...] = ()
    endpoints: tuple[EndpointEntry, ...] = ()  # that a file declares
    limits: Mapping[ModelPin, ModelEntry] = {}  # what an entry says of rate, concurrency and patience
    roster: tuple[str, ...] = ()  # ids and labels of its default roster
    found: Path | None = None  # the file of the working directory that it was read from, where nobody named it

    def entry(self, name: str) -> EndpointEntry | None:
        """The endpoint of that name, declared or shipped; None where there is none, and for those without an entry."""
        return next((one for one in self.endpoints if one.name == name), None) or shipped().get(name)

    def split(self, model_id: str, endpoint: str | None = None) -> tuple[str, str]:
        """Endpoint name and the id that endpoint knows, of an id as the user writes it."""
        head, _, tail = model_id.partition("/")
        if endpoint:
            return endpoint, tail if head == endpoint and tail else model_id
        named = head in (LOCAL, SIM, PYTHON) or self.entry(head) is not None or (head == OPENROUTER and "/" in tail)
        return (head, tail) if named and tail else (OPENROUTER, model_id)


def load(path: Path, look_ups: LookUps | None = None) -> Registry:
    """Read a file of models: `models.yaml`, a plain list, or `published`. Raises DocumentError with file and line.

    `published` is the registry that ships with the package, unless a file has that name.
    """
    document = documents.read(SHIPPED if str(path) == PUBLISHED and not path.exists() else path)
    if isinstance(document.data, list):
        lines = {f"$.models{where[1:]}" if where != "$" else where: line for where, line in document.lines.items()}
        document = YamlDocument(document.path, {"models": document.data}, lines)
    elif document.data is None:
        document = YamlDocument(document.path, {}, document.lines)
    file = documents.convert(document, ModelsFile)
    declared = {endpoint.name for endpoint in file.endpoints} | shipped().keys()
    models = [_entry(one, f"$.models[{number}]", document, declared) for number, one in enumerate(file.models)]
    served: dict[str, EndpointEntry] = {}
    for number, own in enumerate(file.endpoints):
        where, entry = f"$.endpoints[{number}]", own
        if own.name in shipped():  # over that of the same name that ships: key by key
            said = {key: getattr(own, key) for key in document.data["endpoints"][number]}
            entry = msgspec.structs.replace(shipped()[own.name], **said)
        _check_endpoint(entry, where, document, look_ups)
        if entry.name in (LOCAL, SIM, PYTHON, OPENROUTER) or "/" in entry.name:
            raise document.error(f"{where}.name", f"`{entry.name}` cannot be an endpoint's name")
        if entry.name in served:
            raise document.error(f"{where}.name", f"endpoint `{entry.name}` appears twice")
        served[entry.name] = entry
    known = Registry(endpoints=tuple(served.values()), roster=tuple(file.roster))
    listed = [_subject(entry, f"$.models[{at}]", document, known) for at, entry in enumerate(models)]
    subjects = _once(listed, models, document)
    if file.preferred is not None:
        subjects = _preferred_first(subjects, file.preferred, document)
    return msgspec.structs.replace(known, subjects=tuple(subjects), limits=_limits(listed, models, document))


def _subject(entry: ModelEntry, where: str, document: YamlDocument, known: Registry) -> Subject:
    """The subject of an entry, which may name its endpoint twice, but not two of them."""
    named, head = entry.endpoint, entry.name.partition("/")[0]
    if named not in (None, LOCAL, SIM, PYTHON, OPENROUTER) and known.entry(named) is None:
        raise document.error(f"{where}.endpoint", f"endpoint `{named}` is not declared under `endpoints:`")
    if named not in (None, head) and head in shipped():
        what = f"`{entry.name}` names endpoint `{head}`, and `endpoint` names `{named}`"
        raise document.error(f"{where}.endpoint", what, "name one of them")
    endpoint, model = known.split(entry.name, named)
    effort = entry.reasoning_effort or "auto"
    if effort == "auto":
        effort = default_effort(entry.name)
    declared = known.entry(endpoint)
    _check_at(document, f"{where}.extra_body", partial(endpoints.check_extra_body, entry.extra_body))
    extra = endpoints.extra_text(declared.extra_body if declared else {}, entry.extra_body)
    sampling = Sampling(entry.temperature, effort, entry.provider, max_tokens=entry.max_tokens, extra_body=extra)
    _check_at(document, f"{where}.reasoning_effort", lambda: check_sampling(Sampling(effort=sampling.effort)))
    _check_at(document, f"{where}.temperature", lambda: check_sampling(sampling))
    takes = entry.temperature_supported
    if takes is None:
        takes = declared is None or declared.takes_temperature(model)
    return Subject(entry.name, endpoint, model, sampling, takes, entry.active, entry.display_label)


def _once(listed: Sequence[Subject], models: Sequence[ModelEntry], document: YamlDocument) -> list[Subject]:
    """The subjects in order, without models that a plain list names again.

    Who writes a configuration out twice wants two: that is an error, as for any two of one label.
    """
    seen: dict[str, int] = {}
    for number, subject in enumerate(listed):
        first = seen.setdefault(subject.label, number)
        plain = models[number].roster_id is not None or models[first].roster_id is not None
        if number != first and (subject != listed[first] or not plain):
            what = f"label `{subject.label}` is taken by entry {first + 1}"
            raise document.error(f"$.models[{number}]", what, "give one a display_label")
    return [listed[number] for number in seen.values()]


def _preferred_first(subjects: Sequence[Subject], name: str, document: YamlDocument) -> list[Subject]:
    """The subjects with the preferred id or label before the others, which keep their order."""
    chosen = {s.label for s in subjects if s.label == name} or {s.label for s in subjects if s.model_id == name}
    if not chosen:
        names = [name for subject in subjects for name in (subject.model_id, subject.label)]
        near = nearest(name, names)
        hint = f"did you mean `{near}`?" if near else ""
        raise document.error("$.preferred", f"`{name}` is neither id nor label of an entry", hint)
    return sorted(subjects, key=lambda subject: subject.label not in chosen)


def _limits(
    listed: Sequence[Subject], models: Sequence[ModelEntry], document: YamlDocument
) -> dict[ModelPin, ModelEntry]:
    """The entries that bound a model; all configurations of one model share them."""
    found: dict[ModelPin, ModelEntry] = {}
    for number, (subject, entry) in enumerate(zip(listed, models, strict=True)):
        if entry.bounds == (None, None, None):
            continue
        pin = ModelPin(subject.endpoint, subject.model, subject.sampling.provider)
        first = found.setdefault(pin, entry)
        if first.bounds != entry.bounds:
            what = f"entry {models.index(first) + 1} gives `{entry.name}` another rate_limit, concurrency or timeout_s"
            raise document.error(f"$.models[{number}]", what, "give all one")
    return found
