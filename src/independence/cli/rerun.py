"""`independence rerun`: more runs of subjects that the store holds."""

from __future__ import annotations

from typing import Any

import click

from independence.cli import options


@click.command("rerun")
@click.option("--target-runs", "-R", type=int, help="Fill runs 1..N; default: one more than each subject has.")
@click.option("--run-number", type=int, help="Only this run, to fill what it lacks.")
@click.option("--top-n", "-n", type=int, help="The first N of the strict board; default: 10.")
@click.option("--models", "-m", type=options.NameList(), default=(), help="These labels or ids instead.")
@click.option("--suite", help="NAME or NAME@EDITION; may be left out when the store holds one.")
@click.option("--variant", "--variants", "variant", help="System prompt variant; default: the suite's.")
@click.option("--mode", "--modes", "mode", help="Delivery mode; default: the suite's.")
@click.option("--judge", "-j", "judges", multiple=True,
              help="A model id, `cues`, `offline` or `hybrid:MODEL`; default: whose verdicts boards show.")  # fmt: skip
@options.offline
@click.option("--no-judge", is_flag=True, help="Collect replies only.")
@click.option("--local-timeout", type=float, help="Seconds.  [default: 600]")
@options.work
@options.output_format()
@options.db()
def command(**flags: Any) -> None:
    """Ask stored subjects again, in the words of their edition, until they have more runs.

    What is stored is never asked again; holes are filled. Imported subjects are left alone.
    """
    from independence.cli import judges, launch, open_store, rerun_plan
    from independence.cli.terminal import note
    from independence.errors import UsageError

    if flags["models"] and flags["top_n"] is not None:
        raise UsageError("-m names subjects and -n takes the best; give one of the two")
    flags["offline"] = judges.OfflineOptions(flags.pop("unsure_share"), flags.pop("audit_share"), flags.pop("weights"))
    wanted = rerun_plan.RerunRequest(**{name: flags[name] for name in rerun_plan.RerunRequest.__struct_fields__})
    connection = open_store.existing(flags["db"])
    try:
        chosen = rerun_plan.choose(wanted, connection)
    finally:
        connection.close()
    manner = launch.OutputOptions(
        **{name: flags[name] for name in launch.OutputOptions.__struct_fields__ if name in flags}
    )
    note(chosen.summary, manner.quiet)
    launch.carry_out(
        launch.JobRequest(lambda _, loopback: rerun_plan.job(wanted, chosen, loopback), chosen.simulated), manner
    )
