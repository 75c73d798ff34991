"""`models.yaml` and the model arguments of the command line, resolved to subjects and endpoints."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec

from independence.config import documents
from independence.config.documents import Document
from independence.config.efforts import EFFORTS, check_effort, default_effort
from independence.config.endpoints import Dialect
from independence.config.subjects import LOCAL, OPENROUTER, SIM, Subject
from independence.errors import UsageError


class ModelEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of `models:`."""

    model_id: str
    temperature: float = 0.7
    reasoning_effort: str | None = None
    temperature_supported: bool = True
    active: bool = True
    provider: str | None = None
    display_label: str | None = None
    endpoint: str | None = None


class EndpointEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of `endpoints:`."""

    name: str
    base_url: str
    api_key_env: str | None = None
    dialect: Dialect = "local"
    max_concurrency: Annotated[int, msgspec.Meta(ge=1)] = 20
    backoff_s: Annotated[float, msgspec.Meta(ge=0)] = 0.5  # ceiling of the first pause before a retry


class ModelsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The root of `models.yaml`."""

    models: list[ModelEntry] = []
    endpoints: list[EndpointEntry] = []


class Overrides(msgspec.Struct, frozen=True):
    """What flags change for every chosen subject; each makes a configuration of its own."""

    temperature: float | None = None
    effort: str | None = None
    provider: str | None = None


class Registry(msgspec.Struct, frozen=True):
    """Known configurations and endpoints."""

    subjects: tuple[Subject, ...] = ()
    endpoints: tuple[EndpointEntry, ...] = ()

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
            raise UsageError(f"every configuration of `{name}` is inactive; name one by its label: {labels}")
        return active or [self.default(name)]

    def default(self, model_id: str) -> Subject:
        """The configuration of an unlisted id: temperature 0.7, effort by prefix. Raises UsageError for a bad id."""
        if "@" in model_id or model_id != model_id.strip().strip("/") or not model_id:
            raise UsageError(f"no configuration is labelled `{model_id}`; name a model id or a label of models.yaml")
        endpoint, model = self.split(model_id)
        if endpoint == OPENROUTER and "/" not in model_id:
            raise UsageError(f"`{model_id}` is no model id: write vendor/model, local/ID, sim/NAME or ENDPOINT/ID")
        return Subject(model_id, endpoint, model, effort=default_effort(model_id))


def load(path: Path) -> Registry:
    """Read `models.yaml`. Raises DocumentError naming file, line and key."""
    document = documents.read(path)
    parsed = documents.convert(document, ModelsFile)
    for number, entry in enumerate(parsed.endpoints):
        if entry.name in (LOCAL, SIM, OPENROUTER) or "/" in entry.name:
            raise document.error(f"$.endpoints[{number}].name", f"`{entry.name}` cannot be an endpoint's name")
        if any(other.name == entry.name for other in parsed.endpoints[:number]):
            raise document.error(f"$.endpoints[{number}].name", f"endpoint `{entry.name}` appears twice")
    registry = Registry(endpoints=tuple(parsed.endpoints))
    subjects = [_subject(entry, number, document, registry) for number, entry in enumerate(parsed.models)]
    _unique_labels(subjects, document)
    return msgspec.structs.replace(registry, subjects=tuple(subjects))


def _subject(entry: ModelEntry, number: int, document: Document, registry: Registry) -> Subject:
    where = f"$.models[{number}]"
    effort = entry.reasoning_effort or "auto"
    if effort == "auto":
        effort = default_effort(entry.model_id)
    if effort not in EFFORTS:
        raise document.error(
            f"{where}.reasoning_effort", f"no reasoning effort `{effort}`; one of {', '.join(EFFORTS)}"
        )
    if not 0 <= entry.temperature <= 2:
        raise document.error(f"{where}.temperature", f"temperature {entry.temperature} is outside 0 to 2")
    known = {endpoint.name for endpoint in registry.endpoints} | {LOCAL, SIM, OPENROUTER}
    if entry.endpoint is not None and entry.endpoint not in known:
        raise document.error(f"{where}.endpoint", f"endpoint `{entry.endpoint}` is not declared under `endpoints:`")
    endpoint, model = registry.split(entry.model_id, entry.endpoint)
    return Subject(
        entry.model_id, endpoint, model, entry.temperature, effort, entry.provider,
        entry.temperature_supported, entry.active, entry.display_label,
    )  # fmt: skip


def _unique_labels(subjects: list[Subject], document: Document) -> None:
    seen: dict[str, int] = {}
    for number, subject in enumerate(subjects):
        if subject.label in seen:
            raise document.error(
                f"$.models[{number}]",
                f"label `{subject.label}` is taken by entry {seen[subject.label] + 1}; give one a display_label",
            )
        seen[subject.label] = number


def choose(registry: Registry, names: Iterable[str], overrides: Overrides) -> list[Subject]:
    """Subjects for names (labels or ids), overrides applied, duplicates dropped, in order. Raises UsageError."""
    chosen: dict[str, Subject] = {}
    for name in names:
        for subject in registry.resolve(name):
            changed = _override(subject, overrides)
            chosen[changed.config_dir] = changed
    labels: dict[str, Subject] = {}
    for subject in chosen.values():
        taken = subject.label in labels
        unique = msgspec.structs.replace(subject, display_label=subject.config_dir) if taken else subject
        labels[unique.label] = unique
    return list(labels.values())


def _override(subject: Subject, overrides: Overrides) -> Subject:
    effort = check_effort(overrides.effort) if overrides.effort is not None else subject.effort
    if effort == "auto":
        effort = default_effort(subject.model_id)
    temperature = subject.temperature if overrides.temperature is None else overrides.temperature
    if not 0 <= temperature <= 2:
        raise UsageError(f"temperature {temperature} is outside 0 to 2")
    changed = msgspec.structs.replace(
        subject, effort=effort, temperature=temperature, provider=overrides.provider or subject.provider
    )
    return changed if changed == subject else msgspec.structs.replace(changed, display_label=None)
