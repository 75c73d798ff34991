"""`validate-judges --hostile`: does a judge's verdict move when the reply it grades talks to it?"""

from __future__ import annotations

import asyncio
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
from independence.engine import connections, pipeline, probing
from independence.engine.event_loop import drive
from independence.engine.pipeline import RunPreview
from independence.engine.probing import HostilePlan
from independence.engine.resolve import ResolvedRun
from independence.errors import Interrupted, UsageError
from independence.judge.hostile import checks
from independence.judge.hostile.corpus import corpus
from independence.judge.hostile.probe import HostileProbe, probe_scenario
from independence.report import hostile as report
from independence.store import database
from independence.suites import load

_LONGEST = 700  # characters of one text on the terminal


def probe(
    names: Sequence[str], suite_name: str, worst: int, options: ConnectionOptions, terminal: TerminalOptions
) -> int:
    """Print what rendering and parsing withstand, then let every judge grade the corpus and print what moved.

    `worst`: how many replies to list. Returns the exit code. Raises UsageError.
    """
    suite, known = load.load(suite_name).suite, connections.models(options.models_file)
    specs = connections.specs(names, known, suite)
    late = [spec.name for spec in specs if spec.waits_for_all]
    if late:
        raise UsageError(
            f"--hostile asks one judge at a time, not {late[0]}; the offline judge's card has its own results"
        )
    made = probing.planned(suite, probe_scenario(suite), corpus())
    asked = ResolvedRun(
        suite=made.suite,
        edition="hostile",
        trials=made.trials,
        judges=specs,
        endpoints=connections.endpoints(
            [spec.endpoint for spec in specs if spec.needs_model], known, environment.read(), options
        ),
        options=msgspec.structs.replace(options, parallel=1),
    )
    probes = _graded(asked, made, terminal) if specs else []
    tables = [report.offline(checks.withstand(made.scenario, made.replies))]
    longest = _LONGEST if terminal.format_ == "table" else None
    tables += [table for one in probes for table in report.tables(one, worst, longest)]
    print_tables(tables, terminal.format_)
    stopped_by = probes[0].stopped_by if probes else None
    if stopped_by is None:
        return 0
    note(f"Error: {stopped_by}")
    return stopped_by.exit_code


def _graded(asked: ResolvedRun, made: HostilePlan, terminal: TerminalOptions) -> list[HostileProbe]:
    """What the judges gave; of nobody where the plan was not approved."""
    with (
        TemporaryDirectory() as folder,
        closing(database.connect(Path(folder, "probe.db"))) as connection,
        Screen(terminal, asked.options) as screen,
    ):
        probing.store(connection, made)

        async def approve(preview: RunPreview) -> bool:
            usd = preview.cost.typical_usd
            cost = f"about ${usd:.4f}" if usd else "no cost"
            work = f"{len(made.replies)} hostile replies, {preview.cost.verdicts} verdicts"
            return screen.agree([f"plan: {work}; {cost}; nothing is stored"], usd, asked.endpoints)

        try:
            result = drive(pipeline.carry_out(asked, connection, Path("probe.db"), approve, screen.hooks))
        except asyncio.CancelledError:
            raise Interrupted("interrupted: nothing of a probe is stored") from None
        if not result.started:
            return []
        return [made.probed(connection, spec)._replace(stopped_by=result.stopped_by) for spec in asked.judges]
