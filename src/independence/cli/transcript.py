"""A dialogue on stdout: for the terminal, as Markdown, as JSON."""

from __future__ import annotations

import re
import sys

import msgspec

from independence.cli.table_output import spelled
from independence.cli.terminal import console, plain
from independence.exchange import trajectory
from independence.exchange.trajectory import Trajectory
from independence.report.table import escaped

_NARROWEST, _WIDEST = 40, 100
_TICKS = re.compile("`+")


def print_trajectory(one: Trajectory, format_: str) -> None:
    """Print it in the asked format."""
    if format_ == "json":
        print(spelled(msgspec.json.format(msgspec.json.encode(one), indent=2).decode()))
    elif format_ == "md":
        sys.stdout.write(plain(markdown(one)))
    else:
        _show(one)


def markdown(one: Trajectory) -> str:
    """A heading for every block; whatever somebody said stands in a fence that it cannot close."""
    parts = []
    for block in trajectory.blocks(one):
        parts.append(f"{'#' * block.level} {escaped(block.head)}")
        parts += [f"- {escaped(line)}" for line in block.about.splitlines()]
        if block.text:
            parts.append(_fenced(block.text))
    return re.sub(r"(?m)^(- .*)\n\n(?=- )", r"\1\n", "\n\n".join(parts)) + "\n"


def _fenced(text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def _show(one: Trajectory) -> None:
    from rich.padding import Padding
    from rich.text import Text

    out = console()
    out.width = max(_NARROWEST, min(out.width, _WIDEST))
    for number, block in enumerate(trajectory.blocks(one)):
        if number:
            out.print()
        out.print(Text(plain(block.head), style="bold" if block.level < 3 else "cyan"))
        if block.about:
            out.print(Padding(Text(plain(block.about), style="dim"), (0, 0, 0, 2)))
        if block.text:
            out.print(Padding(Text(plain(block.text)), (0, 0, 0, 2)))
