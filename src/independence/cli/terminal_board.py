"""Boards on the terminal."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from rich.table import Table
from rich.text import Text

from independence.cli.hints import runnable
from independence.cli.table_layout import wrapped
from independence.cli.table_output import print_tables
from independence.cli.terminal import console, one_line, plain
from independence.clients.flags import TEMPERATURE_UNSENT
from independence.report import board_formats, legend, planned_verdicts
from independence.report.advice.rendered_board import RenderedBoard
from independence.report.board import BOOTSTRAP, Board, BoardRow
from independence.report.legend import distinct_labels, short
from independence.report.table import DASH, percent
from independence.store.scopes import BoardScope
from independence.suites.schema import Index

_ROOMY, _WIDEST = 100, 140  # columns that a board fills, and up to which it grows for long names
_NAME = 18  # signs of a name, at the least
_SUBJECT = "Subject"
_KEYS = ("tier", "index", "ci", "runs", "coverage")  # columns that are explained below a board


def compact(built: Board, index: Index) -> None:
    """The table that fits the terminal, its caption, and what it leaves out."""
    out = console()
    out.width = min(out.width, _WIDEST)
    heads, rows = _columns(built, index, out.width)
    labels = [row.label for row in built.rows]
    named = [
        one_line(short(row.label, labels, row.simulated) + f" {board_formats.THINKS}" * row.thinking)
        for row in built.rows
    ]
    widths = [
        max(map(len, texts)) for texts in zip(heads, *([cell.plain for cell in row] for row in rows), strict=True)
    ]
    subject = heads.index(_SUBJECT)
    room = out.width - sum(widths) + widths[subject] - len(widths) + 1
    room = max(room - max(0, out.width - _ROOMY), min(room, max(map(len, named), default=0)))
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for at, head in enumerate(heads):
        left = at == subject
        table.add_column(head, justify="left" if left else "right", no_wrap=True, width=room if left else widths[at])
    for row, name in zip(rows, distinct_labels(named, room), strict=True):
        table.add_row(*row[:subject], Text(name), *row[subject + 1 :])
    out.print(table)
    left_out = [head for head in map(legend.heading, index.components) if head not in heads]
    told = _KEYS if any(row.tier for row in built.rows) else _KEYS[1:]
    shown = [part for part in index.components if legend.heading(part) in heads]
    for line in (
        *_footer(built, [] if board_formats.estimated(built) else left_out),
        *legend.lines(index, told, shown),
    ):
        out.print(Text("\n".join(wrapped(plain(runnable(line)), out.width)), style="dim"))


def _columns(built: Board, index: Index, width: int) -> tuple[list[str], list[list[Text]]]:
    """Heads and rows, the names still to be filled in. The last columns go where names would have too little room."""
    estimated = board_formats.estimated(built)
    tiered = any(row.tier for row in built.rows)
    sure = not estimated or any(row.ci for row in built.rows)
    heads = [
        *["T"] * tiered, "#", _SUBJECT, "Index", *["95 % CI"] * sure, *["Estimate", "95 %", "Flagged"] * estimated,
        "R", "Cov",
    ]  # fmt: skip
    components = () if estimated else index.components  # no room for both; --detailed has them
    rows = [
        [
            *[Text(str(row.tier or DASH))] * tiered, Text(str(row.rank or DASH)), Text(), _index(row),
            *[Text(board_formats.interval(row))] * sure, *map(Text, board_formats.estimate(row)[: 3 * estimated]),
            Text(str(row.runs)), Text(percent(row.coverage)),
            *(Text(board_formats.number(board_formats.column(component, row))) for component in components),
        ]
        for row in built.rows
    ]  # fmt: skip
    heads += map(legend.heading, components)
    kept = next((at for at in range(len(heads), 3 + tiered, -1) if _width(heads, rows, at) <= width), 3 + tiered)
    return heads[:kept], [row[:kept] for row in rows]


def _width(heads: Sequence[str], rows: Sequence[Sequence[Text]], kept: int) -> int:
    """Signs that the first columns take, with the least room for names."""
    widths = [max(len(heads[at]), *(len(row[at]) for row in rows), 0) for at in range(kept)]
    return sum(widths) - len(_SUBJECT) + _NAME + kept - 1


def _index(row: BoardRow) -> Text:
    if row.index is None:
        return Text(board_formats.indexed(row), style="yellow")
    style = "bold green" if row.index >= 80 else "green" if row.index >= 60 else "yellow" if row.index >= 40 else "red"
    return Text(board_formats.number(row.index), style=style)


def _footer(built: Board, left_out: Sequence[str]) -> list[str]:
    lines = [
        board_formats.caption(built),
        *board_formats.date_line(built.dates),
        *board_formats.readings(built),
        *board_formats.judging(built),
    ]
    if left_out:
        lines.append(f"No room for {', '.join(left_out)}: widen the terminal, or add --detailed.")
    if any(row.simulated for row in built.rows):
        lines.append("sim/ subjects are simulated: planted behaviour, no model was asked.")
    unsent = [board_formats.name(row) for row in built.rows if TEMPERATURE_UNSENT in row.flags]
    if unsent:
        lines.append(f"No temperature is sent to {', '.join(unsent)}: the models take none.")
    if any(row.index is None and row.coverage == 1 for row in built.rows):
        lines.append("[low, high] at full coverage: only some experiments were planned, an index needs all of them.")
    return lines + _missing(built)


def _missing(built: Board) -> list[str]:
    """Why some rows have bounds in place of an index, where verdicts are missing."""
    missing: Counter[str] = Counter()
    for row in built.rows:
        for flag, count in row.flags.items():
            if flag.startswith("missing:"):
                missing[flag[8:]] += count
    if not missing or all(
        row.index is not None or board_formats.indexed(row) != board_formats.bounds(row) for row in built.rows
    ):
        return []
    why = ", ".join(f"{count} {reason}" for reason, count in missing.items())
    return [f"[low, high]: what the index can be, as verdicts are missing ({why})."]


def advice(built: RenderedBoard, detailed: bool) -> None:
    """Tables that fit 80 columns, a plot made of signs, and with `detailed` what stands behind the numbers."""
    print_tables(built.narrow, "table")
    print()
    for line in built.plot:
        print(plain(line))
    if detailed:
        print_tables(built.details(), "table")


def details(connection: sqlite3.Connection, scope: BoardScope, built: Board) -> None:
    """Per subject: dimensions, per-run indices, flags, and the mean of every field by scenario."""
    out = console()
    out.width = min(out.width, _WIDEST)
    table = planned_verdicts.planned_verdicts(connection, scope, built.judge)
    for row in built.rows:
        own = [cell for cell in table.planned if cell.config_dir == row.config]
        out.print()
        out.print(Text(one_line(board_formats.name(row)), style="bold"))
        out.print(_grid([*_about(row), *_fields(own, row.estimate.flagged if row.estimate else {})], out.width))


def _grid(lines: Sequence[tuple[str, str]], width: int) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column()
    room = width - max(len(head) for head, _ in lines) - 4
    for head, text in lines:
        grid.add_row(Text("  " + plain(head)), Text("\n".join(wrapped(plain(text), room))))
    return grid


def _about(row: BoardRow) -> list[tuple[str, str]]:
    lines = [
        ("dimensions", ", ".join(f"{name} {board_formats.number(value)}" for name, value in row.dimensions.items())),
        ("index per run", " ".join(board_formats.number(value) for value in row.per_run) or DASH),
        *_places(row),
        ("cost", f"${row.cost_usd:.4f}"),
    ]
    return lines + [("flags", ", ".join(f"{flag} {count}" for flag, count in row.flags.items()))] * bool(row.flags)


def _places(row: BoardRow) -> list[tuple[str, str]]:
    """Every interval by its method, and the place with its uncertainty."""
    lines = [
        (method, board_formats.ends(ends, " to ") + _caveat(method)) for method, ends in row.intervals.items() if ends
    ]
    if row.rank_ci is None or row.p_best is None:
        return lines
    low, high = row.rank_ci
    return [*lines, ("rank", f"{low} to {high} with 95 %, best with {row.p_best:.0%}")]


def _caveat(method: str) -> str:
    """The published bootstrap of five runs covers 81-83 % in simulation (`python -m benchmarks coverage`)."""
    return " (covers less than it says at few runs)" if method == BOOTSTRAP else ""


def _fields(own: Sequence[planned_verdicts.PlannedVerdict], flagged: Mapping[str, int]) -> list[tuple[str, str]]:
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
