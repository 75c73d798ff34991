"""Boards on stdout, in the asked format."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from independence.cli.table_output import print_tables, spelled
from independence.cli.terminal import plain
from independence.report import analysis
from independence.report.analysis import RenderedBoard


def print_board(built: RenderedBoard, format_: str, detailed: bool = False) -> None:
    """Print a board; on a terminal with its plot, and with `detailed` what stands behind its numbers."""
    if format_ != "table":
        print_boards([built], format_)
        return
    print_tables(built.narrow, "table")
    if built.plot:
        print("", *map(plain, built.plot), sep="\n")
    if detailed:
        print_tables(built.details(), "table")


def print_boards(built: Sequence[RenderedBoard], format_: str) -> None:
    """Print boards of one suite: JSON as one document (an array where there are several), CSV as one table."""
    if not built:
        return
    if format_ == "json":
        print(spelled(analysis.to_json(built)))
    elif format_ == "csv":
        sys.stdout.write(plain(analysis.to_csv(built)))
    elif format_ == "md":
        sys.stdout.write(plain("".join(map(analysis.to_markdown, built))))
    else:
        for one in built:
            print_board(one, format_)
