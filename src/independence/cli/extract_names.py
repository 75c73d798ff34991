"""`independence extract-names`: the names that subjects took when they were free to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from independence.cli import options
from independence.cli.options import Db, TerminalOptions
from independence.cli.output.terminal import STORE, note
from independence.config.options import NamesOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from independence.api.names import NamesResult
    from independence.config.endpoints import Endpoint
    from independence.engine.estimate import CostEstimate

_SHOWN = 25  # names of a table on the terminal and in Markdown


@options.command("extract-names")
def command(asked: NamesOptions, terminal: TerminalOptions, db: Db = STORE) -> None:
    """Let a model read the names that subjects chose from stored answers, one call per run, and print them.

    A run that was read is not read again. Imported runs have their names already.
    """
    from independence.api import names
    from independence.cli import screen
    from independence.cli.output import table_output

    with screen.Screen(terminal, asked.connection) as shown:

        def approve(cost: CostEstimate, endpoints: Mapping[str, Endpoint]) -> bool:
            dollars = f"about ${cost.typical_usd:.4f}" if cost.typical_usd else "no cost"
            price = f"no price known for {', '.join(cost.unpriced)}" if cost.unpriced else dollars
            line = f"plan: {cost.verdicts} runs, one call each; {price}"
            return shown.agree([line], cost.most_usd, endpoints)

        work = names.aextract_names(
            asked, db, top=_SHOWN if terminal.format_ in ("table", "md") else None,
            say=lambda line: note(line, terminal.quiet), approve=approve, hooks=shown.hooks,
        )  # fmt: skip
        result = shown.drive(work)
    code = _ending(result, terminal.quiet)
    if not asked.connection.dry_run:
        table_output.print_tables(result.tables, terminal.format_)
    sys.exit(code)


def _ending(result: NamesResult, quiet: bool) -> int:
    """Say what was spent and what is missing. Returns the exit code."""
    from independence.cli.launch import MISSING, spent

    ended = result.ended
    if ended is None:
        return 0
    if ended.spent_usd:
        note(spent(ended.spent_usd, ended.unknown_usd), quiet)
    if ended.stopped_by is not None:
        note(f"Error: {ended.stopped_by}")
        note("every run read so far is stored; the same command goes on", quiet)
        return ended.stopped_by.exit_code
    missing = [f"{result.unread} runs not read, the same command asks again"] * bool(result.unread)
    missing += [f"{result.broken} runs in which nothing could be read, --force asks again"] * bool(result.broken)
    if missing:
        note(f"missing: {'; '.join(missing)}")
    return MISSING if missing else 0
