"""`validate-judges --hostile`: does a judge's verdict move when the reply it grades talks to it?"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from independence.cli.run_options import TerminalOptions
from independence.cli.screen import Screen
from independence.cli.table_output import print_tables
from independence.cli.terminal import note
from independence.config import environment
from independence.config.options import ConnectionOptions
from independence.config.registry import Registry
from independence.engine import connections, judges, pipeline, probing
from independence.engine.event_loop import drive
from independence.engine.pipeline import RunPreview, RunResult
from independence.engine.probing import HostilePlan
from independence.engine.resolve import ResolvedRun
from independence.errors import Interrupted, UsageError
from independence.judge.hostile import checks
from independence.judge.hostile.corpus import corpus
from independence.judge.hostile.stage import Probe, Stage, stage
from independence.judge.protocol import Judge
from independence.report import hostile as report
from independence.store import database
from independence.suites import load
from independence.suites.schema import Suite

_LONGEST = 700  # characters of one text on the terminal


class ProbeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which judges are probed, in which suite."""

    judges: tuple[str, ...]
    suite: str
    worst: int  # disagreements to list
    connection: ConnectionOptions
    terminal: TerminalOptions


def probe(wanted: ProbeOptions) -> int:
    """Print what rendering and parsing withstand, then let every judge grade the corpus and print what moved.

    Returns the exit code. Raises UsageError.
    """
    suite, known = load.load(wanted.suite).suite, connections.models(wanted.connection.models_file)
    specs = judges.specs(wanted.judges, known, suite)
    late = [spec.name for spec in specs if spec.waits_for_all]
    if late:
        raise UsageError(
            f"--hostile asks one judge at a time, not {late[0]}; the offline judge's card tells of its own"
        )
    played = stage(suite)
    tables = [report.offline(checks.withstand(played, corpus()))]
    probes = _asked(wanted, suite, specs, played, known) if specs else []
    longest = _LONGEST if wanted.terminal.format_ == "table" else None
    tables += [table for one in probes for table in report.tables(one, wanted.worst, longest)]
    print_tables(tables, wanted.terminal.format_)
    stopped_by = probes[0].stopped_by if probes else None
    if stopped_by is None:
        return 0
    note(f"Error: {stopped_by}")
    return stopped_by.exit_code


def _asked(wanted: ProbeOptions, suite: Suite, specs: Sequence[Judge], played: Stage, known: Registry) -> list[Probe]:
    """What the judges gave; of nobody where the plan was not approved."""
    made = probing.planned(suite, played, corpus())
    names = [spec.endpoint for spec in specs if spec.needs_model]
    asked = ResolvedRun(
        suite=made.suite,
        edition="hostile",
        trials=made.trials,
        judges=specs,
        endpoints=connections.endpoints(names, known, environment.read(), wanted.connection),
        options=msgspec.structs.replace(wanted.connection, parallel=1),
    )
    with TemporaryDirectory() as folder, closing(database.connect(Path(folder, "probe.db"))) as connection:
        probing.store(connection, made)
        result = _driven(wanted, asked, made, connection)
        if not result.started:
            return []
        return [made.probed(connection, spec)._replace(stopped_by=result.stopped_by) for spec in specs]


def _driven(wanted: ProbeOptions, asked: ResolvedRun, made: HostilePlan, connection: sqlite3.Connection) -> RunResult:
    with Screen(wanted.terminal, wanted.connection) as screen:

        async def approve(preview: RunPreview) -> bool:
            usd = preview.cost.typical_usd
            cost = f"about ${usd:.4f}" if usd else "no cost"
            work = f"{len(made.replies)} hostile replies, {preview.cost.verdicts} verdicts"
            return screen.agree([f"plan: {work}; {cost}; nothing is stored"], usd, asked.endpoints)

        try:
            return drive(pipeline.carry_out(asked, connection, Path("probe.db"), approve, screen.hooks))
        except asyncio.CancelledError:
            raise Interrupted("interrupted: nothing of a probe is stored") from None
