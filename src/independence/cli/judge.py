"""`independence judge`: grade stored replies with another judge."""

from __future__ import annotations

from typing import Any

import click

from independence.cli import options


@click.command("judge")
@click.option("--judge", "-j", "judges", multiple=True, required=True,
              help="A model id, `cues`, `offline` or `hybrid:MODEL`; repeatable.")  # fmt: skip
@click.option("--audit", type=click.IntRange(min=1), is_flag=False, flag_value=20,
              help="Let the model grade N dialogues a scenario (20), to correct the offline judge of all.")  # fmt: skip
@options.offline
@click.option("--suite", help="NAME or NAME@EDITION; may be left out when the store holds one.")
@click.option("--variant", "--variants", "variant", help="System prompt variant; default: the suite's.")
@click.option("--mode", "--modes", "mode", help="Delivery mode; default: the suite's.")
@click.option("--exp", "-e", "experiments", type=options.NameList(), default=(), help="Only these experiments.")
@click.option("--models", "-m", type=options.NameList(), default=(), help="Only these labels or ids.")
@options.work
@options.output_format()
@options.db()
def command(**flags: Any) -> None:
    """Grade every finished dialogue of one edition and condition, imported ones included.

    Verdicts are added beside those of other judges, never overwritten; what is graded already is not graded again.
    With --audit, one model grades a few dialogues of each scenario, and the offline judge's board is corrected by them.
    """
    from independence.cli import judges as graders
    from independence.cli import launch, run_request
    from independence.store import database

    database.connect_existing(flags["db"]).close()
    flags["offline"] = graders.OfflineOptions(
        flags.pop("unsure_share"), flags.pop("audit_share"), flags.pop("weights"), flags.pop("audit")
    )
    wanted = run_request.GradingRequest(**{name: flags[name] for name in run_request.GradingRequest.__struct_fields__})
    simulated = graders.simulated(wanted.judges)
    manner = launch.OutputOptions(
        **{name: flags[name] for name in launch.OutputOptions.__struct_fields__ if name in flags}
    )
    launch.carry_out(
        launch.JobRequest(lambda connection, sim: run_request.resolve_grading(wanted, connection, sim), simulated),
        manner,
    )
