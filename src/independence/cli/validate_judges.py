"""`independence validate-judges`: how far judges agree, whom they favour, what they cost.

With `--hostile`: does a judge's verdict move when the reply it grades talks to it?
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import msgspec

from independence.api import reading
from independence.cli import activity, options, screen, table_output
from independence.cli.options import TerminalOptions
from independence.cli.terminal import note
from independence.config import environment
from independence.config.options import ConnectionOptions
from independence.engine import connections, event_loop, examining, pipeline, probing, resolve, service
from independence.errors import StoreError, UsageError
from independence.judge.hostile import checks, corpus, probe
from independence.report import hostile as report
from independence.report import judge_known
from independence.report import judge_validation as validation
from independence.store import database, scopes
from independence.suites import load, schema

_LONGEST = 700  # characters of one text on the terminal; the other formats hold all of it


@click.command("validate-judges")
@click.option(
    "--judge", "-j", "names", type=options.NameList(), multiple=True,
    help="Only these judges; repeatable. Default: all.",
)  # fmt: skip
@options.ONLY_MODELS
@click.option(
    "--worst", type=click.IntRange(min=0), default=10, show_default=True, help="Number of disagreements to list."
)
@click.option("--hostile", is_flag=True, help="Let the judges grade hostile replies instead; nothing is stored.")
@options.each(*options.STORED_PLACE)
@options.connection()
@options.TERMINAL
@options.db()
def command(
    names: tuple[tuple[str, ...], ...],
    models: tuple[str, ...],
    worst: int,
    hostile: bool,
    suite: str | None,
    variant: str | None,
    mode: str | None,
    connection: ConnectionOptions,
    terminal: TerminalOptions,
    db: Path,
) -> None:
    """Compare judges on the dialogues that more than one of them graded.

    Prints a board per judge, agreement, self-preference, costs, the dialogues on which two judges differ most, and what
    each made of the suite's known dialogues.
    With --hostile: how often a verdict changes if the graded reply contains text that addresses the judge; --suite is
    a built-in one or a folder then.
    """
    named = tuple(name for each in names for name in each)
    longest = _LONGEST if terminal.format_ == "table" else None
    if hostile:
        _probe(named, load.load(suite or "v2").suite, connection, terminal, (worst, longest))
        return
    wanted = validation.ValidationOptions(named, models, worst, longest)
    with activity.working("comparing judges", terminal.quiet), reading.Store(db, note) as store:
        scope = store.scope(suite, variant, mode)
        with store.reading() as opened:
            known = [
                one
                for one in examining.stored(opened, scopes.grading(opened, scope))
                if not named or one.judge in named
            ]
            tables = [judge_known.table(known)] if known else []
            try:
                tables = [*validation.validate(opened, scope, wanted), *tables]
            except StoreError as error:
                if not tables:
                    raise
                note(str(error), terminal.quiet)
    table_output.print_tables(tables, terminal.format_)


def _probe(
    names: Sequence[str], suite: schema.Suite, asked: ConnectionOptions, terminal: TerminalOptions,
    listed: tuple[int, int | None],
) -> None:  # fmt: skip
    """Print what rendering and parsing withstand, then let every judge grade the corpus and print what moved.

    `listed`: how many replies, and how much of each. Raises UsageError.
    """
    known, local = event_loop.drive(service.known_models(asked, names))
    specs = connections.specs(names, known, suite)
    late = [spec.name for spec in specs if spec.waits_for_all]
    if late:
        raise UsageError(
            f"--hostile asks one judge at a time, not {late[0]}; the offline judge's card has its own results"
        )
    made = probing.planned(suite, probe.probe_scenario(suite), corpus.corpus())
    needed = [spec.endpoint for spec in specs if spec.endpoint]
    run = resolve.ResolvedRun(
        suite=made.dialogues.suite,
        edition="hostile",
        trials=made.dialogues.trials,
        judges=specs,
        endpoints=connections.endpoints(needed, known, environment.read(), asked),
        options=msgspec.structs.replace(asked, parallel=1),
        local=local,
    )
    probes = _graded(run, made, terminal) if specs else []
    tables = [report.offline(checks.withstand(made.scenario, made.replies))]
    tables += [table for one in probes for table in report.tables(one, *listed)]
    table_output.print_tables(tables, terminal.format_)
    if probes and (stopped_by := probes[0].stopped_by) is not None:
        note(f"Error: {stopped_by}")
        sys.exit(stopped_by.exit_code)


def _graded(run: resolve.ResolvedRun, made: probing.HostilePlan, terminal: TerminalOptions) -> list[probe.HostileProbe]:
    """What the judges gave; of nobody where the plan was not approved."""
    with (
        TemporaryDirectory() as folder,
        closing(database.connect(path := Path(folder, "probe.db"))) as connection,
        screen.Screen(terminal, run.options) as shown,
    ):
        probing.store(connection, made.dialogues)

        async def approve(preview: pipeline.RunPreview) -> bool:
            usd = preview.cost.typical_usd
            cost = f"about ${usd:.4f}" if usd else "no cost"
            work = f"{len(made.replies)} hostile replies, {preview.cost.verdicts} verdicts"
            return shown.agree([f"plan: {work}; {cost}; nothing is stored"], usd, run.endpoints)

        resolver = pipeline.Resolver(lambda _: None, lambda *_: run)
        result = shown.drive(pipeline.carry_out(resolver, connection, path, approve, shown.hooks))
        if not result.started:
            return []
        return [made.probed(connection, spec)._replace(stopped_by=result.stopped_by) for spec in run.judges]
