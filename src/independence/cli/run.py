"""`independence run`: plan, show the cost estimate, run, grade, print the board."""

from __future__ import annotations

from typing import Any

import click

from independence.cli import options


@click.command("run")
@click.option("--suite", default="v2", show_default=True, help="A built-in suite or a folder with suite.yaml.")
@click.option(
    "--models", "-m", type=options.Names(), default=(), help="Ids or labels: vendor/model, local/ID, sim/NAME."
)
@click.option("--runs", type=int, help="Fill runs 1..N; default 3.")
@click.option(
    "--replicates",
    type=click.Choice(["auto"]),
    help="Repeat scenarios where the noise is; --runs (2) of each at least.",
)
@click.option("--calls", type=click.IntRange(min=1), help="With --replicates: calls a subject, verdicts included.")
@click.option("--exp", "-e", "experiments", type=options.Names(), default=(), help="Only these experiments.")
@options.part
@click.option("--variants", type=options.Names(), default=(), help="System prompt variants, or a .md file of yours.")
@click.option("--modes", type=options.Names(), default=(), help="user_role, tool_role.")
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
@click.option("--provider", help="Pin the provider; fails closed.")
@click.option("--local-model", help="Id on that server.")
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
    from independence.engine.plan import Part

    flags["offline"] = judges.Offline(flags.pop("unsure_share"), flags.pop("audit_share"), flags.pop("weights"))
    flags["part"] = Part(flags.pop("no_neutral"), flags.pop("limit"), flags.pop("sample_seed"))
    manner = {name: flags[name] for name in launch.Manner.__struct_fields__ if name in flags}
    launch.run(launch.read_flags(flags), launch.Manner(**manner))
