"""Configurations, names and catalogues as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from independence.clients.catalogue import Catalogue, ModelInfo
from independence.config.subjects import Subject, from_json, sampling_in
from independence.report.board.board_data import IMPORTED, VerdictData
from independence.report.files import table_layouts
from independence.report.files.legend import span
from independence.report.files.table import Table, Value, without_empty_columns
from independence.report.sections import runs
from independence.store.spending import SubjectSpending

# Of the parameters an endpoint lists, those that a run would send.
_SENT = ("temperature", "seed", "structured_outputs", "response_format", "parallel_tool_calls")


def configurations(subjects: Iterable[Subject], title: str, notes: Sequence[str] = ()) -> Table:
    """One row a configuration."""
    return table_layouts.made("models/configurations", map(_configuration, subjects), notes, title=title)


def resolved(names: Iterable[tuple[str, str, Subject]]) -> Table:
    """One row a configuration that a name stands for: the name, how it was found, the configuration."""
    rows = ({"name": name, "found_by": by, **_configuration(subject)} for name, by, subject in names)
    return table_layouts.made("models/resolved", rows)


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


def tested(read: VerdictData, stored: Mapping[str, str], spent: Mapping[str, SubjectSpending]) -> Table:
    """How everybody was asked, in how many runs, and what a million tokens cost.

    `stored`: configurations as JSON, by config_dir; an import has none, and is known by its name.
    """
    rows: list[tuple[Value, ...]] = []
    for config, who in sorted(read.about.items(), key=lambda pair: (pair[1].model_id, pair[0])):
        counts = Counter(cell.scenario for cell in read.planned[config]).values()
        own, subject = spent.get(config), from_json(stored[config]) if config in stored else None
        sampling = subject.sampling if subject else sampling_in(config)
        price = 1e6 * own.answers_usd / own.answer_tokens if own and own.answers_usd and own.answer_tokens else None
        notes = {
            who.origin or "": who.origin == IMPORTED,
            runs.free(who) or "no cost stated": price is None and not who.simulated,
            "takes no temperature": subject is not None and not subject.temperature_supported,
        }
        rows.append(
            (who.name, who.model_id, subject.endpoint if subject else None, sampling.provider, sampling.effort,
             sampling.temperature, price, span(min(counts), max(counts)),
             ", ".join(note for note, holds in notes.items() if holds) or None)
        )  # fmt: skip
    return without_empty_columns(table_layouts.made("models/tested", rows))


def catalogue(endpoint: str, listed: Catalogue, part: str, *, brief: bool = False) -> Table:
    """The models of an endpoint whose id holds `part`, case ignored; what was not said is absent.

    `brief`: without the parameters that they take.
    """
    rows = [_model(info) for info in matching(listed, part)]
    name = "models/brief" if brief else "models/catalogue"
    return table_layouts.made(name, rows, count=len(rows), all=len(listed.models), endpoint=endpoint)


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
