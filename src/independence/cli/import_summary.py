"""What an import found, on the terminal."""

from __future__ import annotations

import msgspec
from rich import box
from rich.table import Table
from rich.text import Text

from independence.cli.terminal import console, note, plain
from independence.exchange.storing import NewRows
from independence.exchange.summary import ImportSummary


def show_import(summary: ImportSummary, stored: NewRows, format_: str) -> None:
    """Print the summary on stdout; what was new goes to stderr."""
    if format_ == "json":
        print(msgspec.json.format(msgspec.json.encode(summary), indent=2).decode())
    else:
        _table(summary)
    new = f"{stored.replies} replies, {stored.verdicts} verdicts" if any(stored) else "nothing"
    note(f"new in the store: {new}")
    if summary.older:
        note(
            f"{summary.older} configurations of the older layout: their names say neither effort nor temperature; "
            "taken for what the publisher sent by default"
        )
    for name in summary.unreadable:
        note(f"skipped, not readable: {name}")


def _table(summary: ImportSummary) -> None:
    out = console()
    sizes = ", ".join(f"{count} of {size} files" for size, count in summary.run_sizes.items())
    out.print(Text(f"{summary.configurations} configurations, {summary.runs} runs ({sizes})"))
    out.print(Text(f"{summary.replies:,} replies, {summary.verdicts:,} verdicts, {summary.files:,} files"))
    if summary.unknown_files:
        out.print(Text(f"{summary.unknown_files} files are no part of the layout; ignored"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for head in ("", "Anomaly, tolerated and flagged", "Count"):
        table.add_column(head, justify="right" if head == "Count" else "left")
    for anomaly in summary.anomalies:
        table.add_row(anomaly.id, Text(plain(anomaly.about)), f"{anomaly.count:,}")
    out.print(table)
