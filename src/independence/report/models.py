"""Configurations, names and catalogues as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from independence.clients.catalogue import Catalogue, ModelInfo
from independence.config.subjects import Subject
from independence.report.table import Column, Table, Value

_CONFIGURATION = (
    Column("label", "label"),
    Column("model_id", "model id"),
    Column("endpoint", "endpoint"),
    Column("provider", "provider"),
    Column("temperature", "temp", "number", 2),
    Column("temperature_sent", "sent", "flag"),
    Column("effort", "effort"),
    Column("active", "active", "flag"),
    Column("config_dir", "directory"),
)
_LISTED = (
    Column("id", "id"),
    Column("context_length", "context", "count"),
    Column("prompt_usd", "in $/M", "dollars", 3),
    Column("completion_usd", "out $/M", "dollars", 3),
    Column("tools", "tools", "flag"),
    Column("reasoning", "reasoning", "flag"),
    Column("supported", "supported"),
)
# Of the parameters an endpoint lists, those that a run would send.
_SENT = ("temperature", "seed", "structured_outputs", "response_format", "parallel_tool_calls")


def configurations(subjects: Iterable[Subject], title: str, notes: Sequence[str] = ()) -> Table:
    """One row a configuration."""
    return Table("configurations", title, _CONFIGURATION, tuple(_configuration(s) for s in subjects), tuple(notes))


def resolved(names: Iterable[tuple[str, str, Subject]]) -> Table:
    """One row a configuration that a name stands for: the name, how it was found, the configuration."""
    columns = (Column("name", "name"), Column("found_by", "found by"), *_CONFIGURATION)
    rows = tuple((name, by, *_configuration(subject)) for name, by, subject in names)
    return Table("resolved", "What the names mean", columns, rows)


def _configuration(subject: Subject) -> tuple[Value, ...]:
    return (
        subject.label, subject.model_id, subject.endpoint, subject.sampling.provider, subject.temperature,
        subject.temperature_supported, subject.sampling.effort, subject.active, subject.config_dir,
    )  # fmt: skip


def catalogue(endpoint: str, listed: Catalogue, part: str, *, brief: bool = False) -> Table:
    """The models of an endpoint whose id holds `part`, case ignored; what was not said is absent.

    `brief`: without the parameters that they take.
    """
    rows = tuple(_model(info)[: len(_LISTED) - brief] for info in matching(listed, part))
    title = f"{len(rows):,} of {len(listed.models):,} models at {endpoint}"
    notes = ("Prices are the highest where they depend on size or hour.",)
    more = ("--detailed adds the parameters that they take.",) * brief
    return Table("catalogue", title, _LISTED[: len(_LISTED) - brief], rows, notes + more)


def matching(listed: Catalogue, part: str) -> Iterator[ModelInfo]:
    """Models whose id holds `part`, by id."""
    return (listed.models[name] for name in sorted(listed.models) if part.lower() in name.lower())


def _model(info: ModelInfo) -> tuple[Value, ...]:
    named = info.supported_parameters
    reasons = info.reasoning is not None or info.lists("reasoning")
    return (
        info.id,
        info.context_length,
        None if info.prices is None else round(info.prices.prompt * 1e6, 6),
        None if info.prices is None else round(info.prices.completion * 1e6, 6),
        None if named is None else "tools" in named,
        None if named is None and info.reasoning is None else reasons,
        None if named is None else ", ".join(parameter for parameter in _SENT if parameter in named),
    )
