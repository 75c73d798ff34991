"""Configurations, names and catalogues as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from independence.clients.catalogue import Catalogue, ModelInfo
from independence.config.subjects import Subject
from independence.report import declared
from independence.report.table import Table, Value

# Of the parameters an endpoint lists, those that a run would send.
_SENT = ("temperature", "seed", "structured_outputs", "response_format", "parallel_tool_calls")


def configurations(subjects: Iterable[Subject], title: str, notes: Sequence[str] = ()) -> Table:
    """One row a configuration."""
    return declared.made("models/configurations", map(_configuration, subjects), notes, title=title)


def resolved(names: Iterable[tuple[str, str, Subject]]) -> Table:
    """One row a configuration that a name stands for: the name, how it was found, the configuration."""
    rows = ({"name": name, "found_by": by, **_configuration(subject)} for name, by, subject in names)
    return declared.made("models/resolved", rows)


def _configuration(subject: Subject) -> dict[str, Value]:
    return {
        "label": subject.label,
        "model_id": subject.model_id,
        "endpoint": subject.endpoint,
        "provider": subject.sampling.provider,
        "temperature": subject.temperature,
        "temperature_sent": subject.temperature_supported,
        "effort": subject.sampling.effort,
        "active": subject.active,
        "config_dir": subject.config_dir,
    }


def catalogue(endpoint: str, listed: Catalogue, part: str, *, brief: bool = False) -> Table:
    """The models of an endpoint whose id holds `part`, case ignored; what was not said is absent.

    `brief`: without the parameters that they take.
    """
    rows = [_model(info) for info in matching(listed, part)]
    name = "models/brief" if brief else "models/catalogue"
    return declared.made(name, rows, count=len(rows), all=len(listed.models), endpoint=endpoint)


def matching(listed: Catalogue, part: str) -> Iterator[ModelInfo]:
    """Models whose id holds `part`, by id."""
    return (listed.models[name] for name in sorted(listed.models) if part.lower() in name.lower())


def _model(info: ModelInfo) -> dict[str, Value]:
    named, prices = info.supported_parameters, info.prices
    reasons = info.reasoning is not None or info.lists("reasoning")
    return {
        "id": info.id,
        "context_length": info.context_length,
        "prompt_usd": round(prices.prompt * 1e6, 6) if prices else None,
        "completion_usd": round(prices.completion * 1e6, 6) if prices else None,
        "tools": None if named is None else "tools" in named,
        "reasoning": None if named is None and info.reasoning is None else reasons,
        "supported": None if named is None else ", ".join(one for one in _SENT if one in named),
    }
