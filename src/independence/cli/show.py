"""`independence show`: a dialogue as it was sent, with every verdict and its reasons."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated

import click
import msgspec

from independence.cli import options
from independence.cli.options import ReadDb, output_format
from independence.cli.output.terminal import STORE, note, plain
from independence.config.flags import Argument, Flag
from independence.config.options import Place

if TYPE_CHECKING:
    from independence.exchange.trajectory import Trajectory

_NARROWEST, _WIDEST = 40, 100


@options.command("show")
def command(
    *,
    subject: Annotated[str, Argument(offers="subjects")],
    scenario: Annotated[str | None, Argument(offers="scenarios")] = None,
    run: Annotated[
        int | None, Flag("Which run; default: the first with an answer.", type=click.IntRange(min=1))
    ] = None,
    place: Place,
    format_: Annotated[str, output_format("text", "md", "json")] = "text",
    db: ReadDb = STORE,
) -> None:
    """Print one dialogue of SUBJECT as it was sent: system prompt, every turn, every reply, every verdict.

    Without SCENARIO: a list of the dialogues of SUBJECT with their scores. Imported dialogues are shown in the words
    that were sent then.
    """
    from independence.api import reading
    from independence.cli.output import table_output

    with reading.Store(db, note) as store:
        if scenario is None:
            tables = [store.dialogues(subject, **place, run=run)]
            table_output.print_tables(tables, "table" if format_ == "text" else format_)
            return
        one = store.dialogue(subject, scenario, **place, run=run)
    if format_ == "json":
        print(table_output.spelled(msgspec.json.format(msgspec.json.encode(one), indent=2).decode()))
    elif format_ == "md":
        sys.stdout.write(plain(markdown(one)))
    else:
        _print(one)


def markdown(one: Trajectory) -> str:
    """A heading for every block; whatever somebody said stands in a fence that it cannot close."""
    from independence.exchange import trajectory
    from independence.report.files import table
    from independence.report.files.markdown import fenced

    parts = []
    for block in trajectory.blocks(one):
        parts.append(f"{'#' * block.level} {table.escaped(block.head)}")
        parts += [f"- {table.escaped(line)}" for line in block.about.splitlines()]
        if block.text:
            parts.append(fenced(block.text))
    return re.sub(r"(?m)^(- .*)\n\n(?=- )", r"\1\n", "\n\n".join(parts)) + "\n"


def _print(one: Trajectory) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from independence.cli.output import table_output
    from independence.exchange import trajectory

    out = table_output.console()
    out.width = max(_NARROWEST, min(out.width, _WIDEST))
    for number, block in enumerate(trajectory.blocks(one)):
        if number:
            out.print()
        out.print(Text(plain(block.head), style="bold" if block.level < 3 else "cyan"))
        for text, style in ((block.about, "dim"), (block.text, "")):
            if text:
                out.print(Padding(Text(plain(text), style=style), (0, 0, 0, 2)))
