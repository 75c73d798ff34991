"""`run --until-decided`: the preview, the stages, the result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from independence.cli import launch, screen
from independence.cli.options import TerminalOptions
from independence.cli.output import table_output
from independence.cli.output.terminal import note, plain
from independence.config.options import DecisionOptions, RunOptions

if TYPE_CHECKING:
    from independence.api.deciding import DecisionResult
    from independence.api.purchase import StagePreview
    from independence.engine.pipeline import RunPreview


def decide(asked: RunOptions, bars: DecisionOptions, terminal: TerminalOptions, db: Path) -> NoReturn:
    """Buy runs until it is decided, print what was found, and exit with its code."""
    from independence.api import deciding

    with screen.Screen(terminal, asked.connection) as shown:
        shown.doing("planning, and asking which models there are")

        def first(preview: StagePreview) -> list[str]:
            return [*launch.lines(preview), _forecast(preview, bars.margin(2))]

        found = shown.drive(deciding.adecide(
            asked, store=db, approve=once_for_all(shown, first), hooks=shown.hooks, command="run", within=bars.within,
            max_runs=bars.max_runs,
        ))  # fmt: skip
    if found.started:
        _print(found, terminal)
    sys.exit(found.exit_code)


def once_for_all(shown: screen.Screen, first: Callable[[StagePreview], Iterable[str]]) -> Callable[[RunPreview], bool]:
    """What approves stages: the first one that asks anything is agreed to with all that may follow, at their price."""
    from independence.api.purchase import StagePreview as Stage

    begun = False

    def approve(preview: RunPreview) -> bool:
        nonlocal begun
        assert isinstance(preview, Stage)
        if not preview.left.todo:
            return shown.agree([], 0.0, preview.run.endpoints)
        most_usd = 0.0 if begun else max(preview.most_usd, preview.cost.most_usd)
        lines, begun = _next_stage(preview) if begun else first(preview), True
        return shown.agree(lines, most_usd, preview.run.endpoints)

    return approve


def _forecast(preview: StagePreview, margin: float) -> str:
    """What it takes until it is decided."""
    likely = ""
    if preview.likely_calls is not None:
        usd = preview.most_usd * preview.likely_calls / max(1, preview.most_calls)
        likely = f"about {preview.likely_calls:,} calls{launch.about(usd)} if the two are {margin:g} points apart, "
    return f"until it is decided: {likely}at most {preview.most_calls:,} calls{launch.about(preview.most_usd)}"


def _next_stage(preview: StagePreview) -> list[str]:
    """What the stages before one say, and what it asks."""
    asked = f"next: {preview.calls:,} calls{launch.about(preview.cost.typical_usd)}"
    return [preview.so_far, asked] if preview.so_far else [asked]


def _print(found: DecisionResult, terminal: TerminalOptions) -> None:
    if terminal.format_ == "json":
        print(table_output.spelled(found.to_json()))
        return
    shown = found.compared.shown if found.compared and terminal.format_ in ("table", "md") else found.tables
    table_output.print_tables(shown, terminal.format_)
    document = found.document
    if terminal.format_ == "table":
        print(f"\n{click.wrap_text(plain(document.reason), table_output.console().width)}")
    spent = f", ${document.cost_usd:.4f}" if document.cost_usd else ""
    looks = "1 look" if document.looks == 1 else f"{document.looks} looks"
    note(f"{document.calls_bought:,} calls were bought{spent}, in {looks}", terminal.quiet)
