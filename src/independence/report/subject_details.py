"""All that is known of one subject, as `leaderboard --detailed` prints it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from msgspec import UNSET

from independence.report.board_notes import name
from independence.report.board_rows import BOOTSTRAP, BoardRow
from independence.report.planned_verdicts import PlannedVerdict, grouped
from independence.report.table import DASH, Column, Table, decimal, on_scale
from independence.stats.index_uncertainty import LIKE_THESE


def table(row: BoardRow, planned: Sequence[PlannedVerdict], few: bool = False) -> Table:
    """What is known of a subject: dimensions, runs, intervals, cost, flags, and each scenario's fields.

    `few`: scenarios are too few for a 95 % interval for others like these.
    """
    flagged = row.estimate.flagged if row.estimate else {}
    lines = [
        ("dimensions", ", ".join(f"{name} {_number(value)}" for name, value in row.dimensions.items())),
        *(
            [("points lost", ", ".join(f"{kind} {_number(lost)}" for kind, lost in row.points_lost.items()))]
            if row.points_lost
            else []
        ),
        ("index per run", " ".join(map(_number, row.per_run)) or DASH),
        *([("without evasions", _number(row.without_evasions))] if row.without_evasions is not UNSET else []),
        *_places(row, few),
        ("cost", f"${row.cost_usd:.4f}"),
        *([("flags", ", ".join(f"{flag} {count}" for flag, count in row.flags.items()))] if row.flags else []),
        *(
            (scenario, _fields(own, flagged.get(scenario)))
            for scenario, own in grouped(planned, lambda cell: cell.scenario).items()
        ),
    ]
    return Table(f"subject-{row.config}", name(row), (Column("what", ""), Column("value", "")), tuple(lines))


def _places(row: BoardRow, few: bool) -> list[tuple[str, str]]:
    """Every interval by its method, and the place with its uncertainty."""
    # The published bootstrap of five runs covers 81-83 % in simulation (`python -m benchmarks coverage`).
    caveats = {BOOTSTRAP: " (covers less with few runs)", LIKE_THESE: " (too few scenarios for 95 %)" * few}
    lines = [
        (method, " to ".join(decimal(on_scale(end)) for end in ends) + caveats.get(method, ""))
        for method, ends in row.intervals.items()
        if ends
    ]
    if row.above is not None:
        return [*lines, ("certainly above", f"{row.above} ranked subjects")]
    return [*lines, ("rank", "{} to {} with 95 %".format(*row.rank_ci))] if row.rank_ci else lines


def _fields(own: Sequence[PlannedVerdict], flagged: int | None) -> str:
    """Valid and planned verdicts of a scenario, the means of its fields, and what an offline judge flagged."""
    given = [cell.given for cell in own if cell.values is not None and cell.given is not None]
    fields = dict.fromkeys(name for values in given for name in values)
    means = {name: fmean(float(values[name]) for values in given if name in values) for name in fields}
    text = ", ".join(f"{name} {mean:.1f}" for name, mean in means.items()) or "no verdict"
    return f"{len(given)}/{len(own)}  {text}" + (f", flagged {flagged}" if flagged is not None else "")


def _number(value: float | None) -> str:
    return DASH if value is None else decimal(value)
