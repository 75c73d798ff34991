"""Boards on the terminal."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from statistics import fmean

from rich.table import Table
from rich.text import Text

from independence.cli.tabled import print_tables
from independence.cli.terminal import console, plain
from independence.report import cells, formats
from independence.report.advice.shown import Shown
from independence.report.board import BOOTSTRAP, Board, Row
from independence.report.labels import short
from independence.report.place import Place
from independence.report.table import DASH, percent
from independence.suites.schema import Index

_WIDTH = 80


def compact(built: Board, index: Index) -> None:
    """The table that fits 80 columns, its caption, and what it leaves out."""
    out = console()
    out.width = max(_WIDTH, min(out.width, 100))
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    labels = [row.label for row in built.rows]
    tiered = any(row.tier for row in built.rows)
    if tiered:
        table.add_column("T", justify="right")
    table.add_column("#", justify="right")
    table.add_column("Subject", no_wrap=True, overflow="ellipsis", ratio=1, min_width=18)
    estimated = formats.estimated(built)
    sure = not estimated or any(row.ci for row in built.rows)
    heads = ["Index", *["95 % CI"] * sure, *["Estimate", "95 %", "Flagged"] * estimated, "R", "Cov"]
    components = () if estimated else index.components  # no room for both; --detailed has them
    for head in (*heads, *map(formats.heading, components)):
        table.add_column(head, justify="right", no_wrap=True)
    for row in built.rows:
        table.add_row(
            *[str(row.tier or DASH)] * tiered, str(row.rank or DASH),
            Text(plain(short(row.label, labels, row.simulated))), _index(row),
            *[formats.interval(row)] * sure, *formats.estimate(row)[: 3 * estimated], str(row.runs),
            percent(row.coverage),
            *(formats.number(formats.column(component, row)) for component in components),
        )  # fmt: skip
    table.expand = True
    out.print(table)
    for line in _footer(built):
        out.print(Text(plain(line), style="dim"))


def _index(row: Row) -> Text:
    if row.index is None:
        return Text(formats.indexed(row), style="yellow")
    style = "bold green" if row.index >= 80 else "green" if row.index >= 60 else "yellow" if row.index >= 40 else "red"
    return Text(formats.number(row.index), style=style)


def _footer(built: Board) -> list[str]:
    lines = [formats.caption(built), *formats.readings(built), *formats.judging(built)]
    if any(row.simulated for row in built.rows):
        lines.append("sim/ subjects are simulated: planted behaviour, no model was asked.")
    if any(row.index is None and row.coverage == 1 for row in built.rows):
        lines.append("[low, high] at full coverage: only some experiments were planned, an index needs all of them.")
    missing: dict[str, int] = {}
    for row in built.rows:
        for flag, count in row.flags.items():
            if flag.startswith("missing:"):
                missing[flag[8:]] = missing.get(flag[8:], 0) + count
    if missing and any(row.index is None and formats.indexed(row) == formats.bounds(row) for row in built.rows):
        why = ", ".join(f"{count} {reason}" for reason, count in missing.items())
        lines.append(f"[low, high]: what the index can be, as verdicts are missing ({why}).")
    return lines


def advice(built: Shown, detailed: bool) -> None:
    """Tables that fit 80 columns, a plot made of signs, and with `detailed` what stands behind the numbers."""
    print_tables(built.narrow, "table")
    print()
    for line in built.plot:
        print(plain(line))
    if detailed:
        print_tables(built.details(), "table")


def details(connection: sqlite3.Connection, place: Place, built: Board) -> None:
    """Per subject: dimensions, per-run indices, flags, and the mean of every field by scenario."""
    out = console()
    out.width = max(_WIDTH, min(out.width, 100))
    table = cells.table(connection, place, built.judge)
    for row in built.rows:
        own = [cell for cell in table.planned if cell.config_dir == row.config]
        out.print()
        out.print(Text(plain(formats.name(row)), style="bold"))
        out.print(_grid([*_about(row), *_fields(own, row.estimate.flagged if row.estimate else {})]))


def _grid(lines: Sequence[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column()
    for head, text in lines:
        grid.add_row(Text("  " + plain(head)), Text(plain(text)))
    return grid


def _about(row: Row) -> list[tuple[str, str]]:
    lines = [
        ("dimensions", ", ".join(f"{name} {formats.number(value)}" for name, value in row.dimensions.items())),
        ("index per run", " ".join(formats.number(value) for value in row.per_run) or DASH),
        *_places(row),
        ("cost", f"${row.cost_usd:.4f}"),
    ]
    return lines + [("flags", ", ".join(f"{flag} {count}" for flag, count in row.flags.items()))] * bool(row.flags)


def _places(row: Row) -> list[tuple[str, str]]:
    """Every interval by its method, and the place with its uncertainty."""
    lines = [
        (method, f"{ends[0]:.1f} to {ends[1]:.1f}" + _caveat(method)) for method, ends in row.intervals.items() if ends
    ]
    if row.rank_ci is None or row.p_best is None:
        return lines
    low, high = row.rank_ci
    return [*lines, ("rank", f"{low} to {high} with 95 %, best with {row.p_best:.0%}")]


def _caveat(method: str) -> str:
    """The published bootstrap of five runs covers 81-83 % in simulation (`python -m benchmarks coverage`)."""
    return " (covers less than it says at few runs)" if method == BOOTSTRAP else ""


def _fields(own: Sequence[cells.Planned], flagged: Mapping[str, int]) -> list[tuple[str, str]]:
    """Each scenario with its valid and planned verdicts, the means of its fields, and what an offline judge flagged."""
    lines = []
    for scenario in dict.fromkeys(cell.scenario for cell in own):
        given = [cell.values for cell in own if cell.scenario == scenario and cell.values is not None]
        planned = sum(cell.scenario == scenario for cell in own)
        fields = dict.fromkeys(name for values in given for name in values)
        means = {name: fmean(float(values[name]) for values in given if name in values) for name in fields}
        text = ", ".join(f"{name} {mean:.1f}" for name, mean in means.items()) or "no verdict"
        text += f", flagged {flagged[scenario]}" if scenario in flagged else ""
        lines.append((scenario, f"{len(given)}/{planned}  {text}"))
    return lines
