"""`independence run`: plan, show the cost estimate, run, grade, print the board."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from independence.cli import hints, next_steps, options
from independence.suites import introductions


@click.command("run")
@click.option(
    "--suite", default="v2", show_default=True, help=f"A folder with suite.yaml, or {introductions.suites()}."
)
@click.option(
    "--models", "-m", type=options.NameList(), default=(), help="Ids or labels: vendor/model, local/ID, sim/NAME."
)
@options.roster
@click.option("--runs", type=int, help="Fill runs 1..N; default 3.")
@click.option("--run-number", type=int, help="Only this run, instead of 1..N: what it lacks is asked.")
@click.option(
    "--replicates",
    type=click.Choice(["auto"]),
    help="Repeat the scenarios that vary most; at least --runs of each, here 2 by default.",
)
@click.option("--calls", type=click.IntRange(1, 100_000), help="With --replicates: calls a subject, verdicts included.")
@options.experiments
@click.option(
    "--grid",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --suite rent: ask the prompts of this grid.jsonl (`suites grid`), an edition of their own.",
)
@options.part
@click.option(
    "--variants", type=options.VariantList(), default=(), help="System prompt variants, or a .md file of yours."
)
@click.option("--modes", type=options.NameList(), default=(), help="user_role, tool_role.")
@click.option(
    "--judge",
    "-j",
    "judges",
    multiple=True,
    help="A model id, `cues`, `offline` or `hybrid:MODEL`; repeatable. "
    "Default: google/gemini-3-flash-preview, or the suite's own.",
)
@options.offline
@click.option("--no-judge", is_flag=True, help="Collect replies only; the command without it grades them.")
@click.option("--reasoning-effort", "-r", help="auto, off, none, minimal, low, medium, high, xhigh, max.")
@click.option("--temperature", "-t", type=float, help="0 to 2.")
@click.option("--provider", help="Use this provider alone, or fail.")
@click.option("--local-model", help="Model id at --local-url.")
@click.option("--local-timeout", type=float, help="Seconds.  [default: 600]")
@click.option("--fail-under", type=float, help="Exit 1 when a subject's index is below this.")
@options.work
@options.output_format()
@options.db()
def command(**flags: Any) -> None:
    """Run a suite on models, grade every dialogue, print the board.

    The same command resumes: what is stored is never asked again.
    """
    from independence.cli import judges, launch
    from independence.engine.plan import GridPart

    flags["offline"] = judges.OfflineOptions(flags.pop("unsure_share"), flags.pop("audit_share"), flags.pop("weights"))
    flags["part"] = GridPart(flags.pop("no_neutral"), flags.pop("limit"), flags.pop("sample_seed"))
    manner = {name: flags[name] for name in launch.OutputOptions.__struct_fields__ if name in flags}
    launch.run(launch.read_flags(flags), launch.OutputOptions(**manner, afterword=_afterword()))


def _afterword() -> str:
    """What to do next, for a person at a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return ""
    return next_steps.listed(
        [
            (hints.command("leaderboard --detailed"), "every run and scenario"),
            (hints.command("generate-report --html"), "everything, with plots, in report.html"),
            (hints.command("rerun"), "one more run of every subject: narrower intervals"),
        ]
    )
