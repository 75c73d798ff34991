"""What a plan will cost, as tables: by subject, by judge, and at which prices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from independence.report.table import Column, Ends, Table

_NOTES = (
    "Total: what such calls cost on average. Range: one bill in ten stays below it, one in ten goes above it.",
    "At most: a bound, no forecast: every answer fills its budget and is asked again. `run --max-cost` sets another.",
)


class Expected(NamedTuple):
    """What a number of calls is expected to take. Dollars are None where a price is not known."""

    calls: int
    prompt: float  # tokens
    completion: float
    usd: float | None
    range_usd: Ends | None
    most_usd: float | None
    source: str = ""  # which calls the expectation rests on


class SubjectCost(NamedTuple):
    """One subject's answers, the verdicts on them, and both together."""

    label: str
    answers: Expected
    verdicts: int
    judge_usd: float | None
    whole: Expected


class JudgeCost(NamedTuple):
    """One judge's verdicts on all subjects."""

    judge: str
    verdicts: Expected


class Price(NamedTuple):
    """Dollars per million tokens and per request."""

    model: str
    prompt: float | None
    completion: float | None
    request: float | None


def tables(
    subjects: Sequence[SubjectCost], judges: Sequence[JudgeCost], prices: Sequence[Price], notes: Sequence[str] = ()
) -> list[Table]:
    """The estimate; of several subjects the last row is their sum."""
    out = [_dollars(subjects, notes), _tokens(subjects)]
    if judges:
        out.append(_judges(judges))
    return [*out, _prices(prices)]


def _dollars(subjects: Sequence[SubjectCost], notes: Sequence[str]) -> Table:
    columns = (
        Column("subject", "Subject"), Column("answers_usd", "Answers", "dollars", 3),
        Column("judge_usd", "Judge", "dollars", 3), Column("total_usd", "Total", "dollars", 3),
        Column("range_usd", "Range, $", "interval", 3), Column("most_usd", "At most", "dollars"),
    )  # fmt: skip
    rows = tuple(
        (cost.label, cost.answers.usd, cost.judge_usd, cost.whole.usd, cost.whole.range_usd, cost.whole.most_usd)
        for cost in subjects
    )
    return Table("estimate", "What it will cost", columns, rows, (*_NOTES, *notes))


def _tokens(subjects: Sequence[SubjectCost]) -> Table:
    columns = (
        Column("subject", "Subject"), Column("calls", "Calls", "count"), Column("verdicts", "Verdicts", "count"),
        Column("prompt_tokens", "Tokens in", "count"), Column("completion_tokens", "Tokens out", "count"),
        Column("source", "By"),
    )  # fmt: skip
    rows = tuple(
        (
            cost.label, cost.answers.calls, cost.verdicts, round(cost.answers.prompt), round(cost.answers.completion),
            cost.answers.source or None,
        )
        for cost in subjects
    )  # fmt: skip
    return Table("tokens", "Calls and tokens of the subjects", columns, rows)


def _judges(judges: Sequence[JudgeCost]) -> Table:
    columns = (
        Column("judge", "Judge"), Column("verdicts", "Verdicts", "count"),
        Column("prompt_tokens", "Tokens in", "count"), Column("completion_tokens", "Tokens out", "count"),
        Column("usd", "Total", "dollars", 3), Column("range_usd", "Range, $", "interval", 3), Column("source", "By"),
    )  # fmt: skip
    rows = tuple(
        (name, own.calls, round(own.prompt), round(own.completion), own.usd, own.range_usd, own.source)
        for name, own in judges
    )
    return Table("judges", "Judges", columns, rows)


def _prices(prices: Sequence[Price]) -> Table:
    columns = (
        Column("model", "Model"), Column("prompt_usd", "In, $ per million", "number", 3),
        Column("completion_usd", "Out, $ per million", "number", 3), Column("request_usd", "$ per call", "number", 4),
    )  # fmt: skip
    return Table("prices", "Prices", columns, tuple(tuple(price) for price in prices))
