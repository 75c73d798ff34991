"""`models.yaml` and the model arguments of the command line, resolved to subjects and endpoints."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.config import roster
from independence.config.documents import YamlDocument
from independence.config.endpoints import RateSetting
from independence.config.roster import EndpointEntry, ModelEntry, Roster
from independence.config.subjects import (
    DEFAULT_TEMPERATURE,
    EFFORTS,
    LOCAL,
    OPENROUTER,
    SIM,
    Subject,
    asked_with,
    default_effort,
)
from independence.errors import UsageError
from independence.types import Sampling

PUBLISHED = "published"  # in place of a file's name
SHIPPED = Path(__file__).parent / "published.yaml"


class ModelLimit(NamedTuple):
    """What an entry says one model takes, on one provider where it is pinned."""

    endpoint: str
    model: str  # id as that endpoint knows it
    provider: str | None
    pacing: RateSetting
    concurrency: int | None
    timeout_s: float | None = None


class Registry(msgspec.Struct, frozen=True):
    """Known configurations and endpoints."""

    subjects: tuple[Subject, ...] = ()
    endpoints: tuple[EndpointEntry, ...] = ()
    limits: tuple[ModelLimit, ...] = ()
    untempered: frozenset[str] = frozenset()  # labels of entries that state no temperature
    notes: tuple[str, ...] = ()  # what was tolerated in the file
    roster: tuple[str, ...] = ()  # ids and labels of its default roster
    redirected: bool = False  # another server stands for OpenRouter: its ids need no vendor

    def split(self, model_id: str, endpoint: str | None = None) -> tuple[str, str]:
        """Endpoint name and the id that endpoint knows, of an id as the user writes it."""
        named = {entry.name for entry in self.endpoints} | {LOCAL, SIM}
        head, _, tail = model_id.partition("/")
        if endpoint:
            return endpoint, tail if head == endpoint and tail else model_id
        return (head, tail) if head in named and tail else (OPENROUTER, model_id)

    def resolve(self, name: str) -> list[Subject]:
        """A label's one configuration, a bare id's active ones, or the default configuration of an unlisted id."""
        by_label = [subject for subject in self.subjects if subject.label == name]
        if by_label:
            return by_label
        listed = [subject for subject in self.subjects if subject.model_id == name]
        active = [subject for subject in listed if subject.active]
        if listed and not active:
            labels = ", ".join(subject.label for subject in listed)
            raise UsageError(f"every configuration of `{name}` is inactive", f"name one by its label: {labels}")
        return active or [self.default(name)]

    def of_roster(self) -> list[Subject]:
        """Every configuration of the default roster; of an id that has no active one, all it has."""
        found: dict[str, Subject] = {}
        for name in self.roster:
            listed = [subject for subject in self.subjects if subject.model_id == name]
            inactive = listed and not any(subject.active for subject in listed)
            found |= {subject.label: subject for subject in (listed if inactive else self.resolve(name))}
        return list(found.values())

    def _no_id(self, name: str) -> UsageError:
        """What is no model id, with how one is written, or which ones that are listed end so."""
        what = f"`{name}` is no model id"
        listed = dict.fromkeys(s.model_id for s in self.subjects if s.model_id.rsplit("/", 1)[-1] == name)
        if listed:
            return UsageError(what, f"did you mean {' or '.join(f'`{one}`' for one in listed)}?")
        return UsageError(
            f"{what}:",
            "write vendor/model, local/ID, sim/NAME or ENDPOINT/ID (an id alone is one of the server that "
            "OPENROUTER_BASE_URL names, which is not set)",
        )

    def default(self, model_id: str) -> Subject:
        """The configuration of an unlisted id: temperature 0.7, effort by prefix. Raises UsageError for a bad id."""
        if "@" in model_id or model_id != model_id.strip().strip("/") or not model_id:
            what = f"no configuration is labelled `{model_id}`"
            raise UsageError(what, "name a model id, or a label of models.yaml or of the store")
        endpoint, model = self.split(model_id)
        if endpoint == OPENROUTER and "/" not in model_id and not self.redirected:
            raise self._no_id(model_id)
        return Subject(model_id, endpoint, model, Sampling(DEFAULT_TEMPERATURE, default_effort(model_id)))


def located(path: Path) -> Path:
    """The file itself; `published` is the registry that ships with the package, unless a file has that name."""
    return SHIPPED if str(path) == PUBLISHED and not path.exists() else path


def load(path: Path, dialect: Callable[[str], object] | None = None) -> Registry:
    """Read a file of models: `models.yaml`, a plain list, or `published`. Raises DocumentError with file and line.

    `dialect` looks up what an endpoint names as its dialect, and raises UsageError where there is none of that name.
    """
    read = roster.read(located(path), dialect)
    for number, entry in enumerate(read.endpoints):
        where = f"$.endpoints[{number}].name"
        if entry.name in (LOCAL, SIM, OPENROUTER) or "/" in entry.name:
            raise read.document.error(where, f"`{entry.name}` cannot be an endpoint's name")
        if any(other.name == entry.name for other in read.endpoints[:number]):
            raise read.document.error(where, f"endpoint `{entry.name}` appears twice")
    registry = Registry(endpoints=tuple(read.endpoints))
    listed = [_subject(entry, number, read.document, registry) for number, entry in enumerate(read.models)]
    subjects, notes = _once(listed, read)
    notes = (*notes, *_pinned(read))
    return msgspec.structs.replace(
        registry, subjects=_preferred_first(subjects, read), limits=_limits(listed, read), notes=notes,
        roster=read.default,
        untempered=_untempered(listed, read),
    )  # fmt: skip


def _subject(entry: ModelEntry, number: int, document: YamlDocument, registry: Registry) -> Subject:
    where = f"$.models[{number}]"
    effort = entry.reasoning_effort or "auto"
    if effort == "auto":
        effort = default_effort(entry.name)
    if effort not in EFFORTS:
        raise document.error(
            f"{where}.reasoning_effort", f"no reasoning effort `{effort}`", f"one of {', '.join(EFFORTS)}"
        )
    temperature = DEFAULT_TEMPERATURE if entry.temperature is None else entry.temperature
    if not 0 <= temperature <= 2:
        raise document.error(f"{where}.temperature", f"temperature {temperature} is outside 0 to 2")
    known = {endpoint.name for endpoint in registry.endpoints} | {LOCAL, SIM, OPENROUTER}
    if entry.endpoint is not None and entry.endpoint not in known:
        raise document.error(f"{where}.endpoint", f"endpoint `{entry.endpoint}` is not declared under `endpoints:`")
    endpoint, model = registry.split(entry.name, entry.endpoint)
    return Subject(
        entry.name,
        endpoint,
        model,
        Sampling(temperature, effort, entry.provider),
        temperature_supported=entry.temperature_supported,
        active=entry.active,
        display_label=entry.display_label,
    )


def _once(listed: Sequence[Subject], read: Roster) -> tuple[list[Subject], tuple[str, ...]]:
    """The subjects in order, without models that are listed again, and a note on each of those.

    Who writes a configuration out twice wants two: that is an error, as for any two of one label.
    """
    seen: dict[str, int] = {}
    notes = []
    for number, subject in enumerate(listed):
        where, first = f"$.models[{number}]", seen.setdefault(subject.label, number)
        if number == first:
            continue
        bare = read.models[number].roster_id is not None or read.models[first].roster_id is not None
        if subject != listed[first] or not bare:
            what = f"label `{subject.label}` is taken by entry {first + 1}"
            raise read.document.error(where, what, "give one a display_label")
        at = f"{read.document.path}:{read.document.line(where)}"
        notes.append(f"{at}: `{subject.label}` is entry {first + 1} already; it counts once")
    return [listed[number] for number in seen.values()], tuple(notes)


def _pinned(read: Roster) -> Iterator[str]:
    """A note on providers that a file names by their titles."""
    titles = {title: roster.slug(title) for title in read.titles}
    if titles:
        said = ", ".join(f"{title} is `{name}`" for title, name in titles.items())
        yield f"{read.document.path}: providers named by a title are pinned at OpenRouter: {said}"


def _untempered(listed: Sequence[Subject], read: Roster) -> frozenset[str]:
    """Labels that no entry gives a temperature to."""
    entries = list(zip(listed, read.models, strict=True))
    stated = {subject.label for subject, entry in entries if entry.temperature is not None}
    return frozenset(subject.label for subject, _ in entries) - stated


def _preferred_first(subjects: Sequence[Subject], read: Roster) -> tuple[Subject, ...]:
    """The subjects with the preferred id or label before the others, which keep their order."""
    name = read.preferred
    if name is None:
        return tuple(subjects)
    chosen = {s.label for s in subjects if s.label == name} or {s.label for s in subjects if s.model_id == name}
    if not chosen:
        names = [name for subject in subjects for name in (subject.model_id, subject.label)]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean `{near[0]}`?" if near else ""
        raise read.document.error("$.preferred", f"`{name}` is neither id nor label of an entry", hint)
    return tuple(sorted(subjects, key=lambda subject: subject.label not in chosen))


def _limits(listed: Sequence[Subject], read: Roster) -> tuple[ModelLimit, ...]:
    """What entries say about rate, concurrency and patience; all configurations of one model share them."""
    found: dict[tuple[str, str, str | None], tuple[ModelLimit, int]] = {}
    for number, (subject, entry) in enumerate(zip(listed, read.models, strict=True)):
        if entry.rate_limit is None and entry.concurrency is None and entry.timeout_s is None:
            continue
        key = (subject.endpoint, subject.model, subject.sampling.provider)
        limit = ModelLimit(
            subject.endpoint,
            subject.model,
            subject.sampling.provider,
            entry.pacing,
            concurrency=entry.concurrency,
            timeout_s=entry.timeout_s,
        )
        first, at = found.setdefault(key, (limit, number))
        if limit != first:
            what = f"entry {at + 1} gives `{entry.name}` another rate_limit, concurrency or timeout_s"
            raise read.document.error(f"$.models[{number}]", what, "give all one")
    return tuple(limit for limit, _ in found.values())


def choose(registry: Registry, names: Iterable[str], flags: Sampling) -> list[Subject]:
    """Subjects for names (labels or ids), flags applied, duplicates dropped, in order. Raises UsageError."""
    chosen: dict[str, Subject] = {}
    for name in names:
        for subject in registry.resolve(name):
            changed = asked_with(subject, flags)
            chosen[changed.config_dir] = changed
    labels: dict[str, Subject] = {}
    for subject in chosen.values():
        taken = subject.label in labels
        unique = msgspec.structs.replace(subject, display_label=subject.config_dir) if taken else subject
        labels[unique.label] = unique
    return list(labels.values())
