"""`independence show`: a dialogue as it was sent, with every verdict and its reasons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from independence.store.export_rows import ExportedTrial
    from independence.store.scopes import BoardScope


@click.command("show")
@click.argument("subject")
@click.argument("scenario", required=False)
@click.option("--run", type=click.IntRange(min=1), help="Which run; default: the first with an answer.")
@options.place_options
@click.option(
    "--format", "format_", type=click.Choice(["text", "md", "json"]), default="text", show_default=True,
    help="How to print it.",
)  # fmt: skip
@options.db()
def command(
    subject: str,
    scenario: str | None,
    run: int | None,
    suite: str | None,
    variant: str | None,
    mode: str | None,
    judge: str | None,
    format_: str,
    db: Path,
) -> None:
    """Print one dialogue of SUBJECT as it was sent: system prompt, every turn, every reply, every verdict.

    Without SCENARIO: a list of the dialogues of SUBJECT with their scores. Imported dialogues are shown in the words
    that were sent then.
    """
    from independence.cli import place_lookup
    from independence.store import database

    with database.reading(db) as connection:
        scope = place_lookup.find(connection, suite, variant, mode)
        judge = place_lookup.judge(connection, [scope], judge)
        own = _of_subject(connection, scope, subject)
        if scenario is None:
            _list(connection, scope, own, judge, run, format_)
            return
        _show(connection, scope, _chosen(own, scenario, run), judge, format_)


def _of_subject(connection: sqlite3.Connection, scope: BoardScope, subject: str) -> list[ExportedTrial]:
    """The planned dialogues of one subject in a place. Raises StoreError, with the names there are."""
    from independence.errors import StoreError
    from independence.store import export_rows, scopes

    spots = [
        spot
        for spot in export_rows.planned_trials(connection, scope.where)
        if (spot.variant, spot.mode) == scope.condition
    ]
    there = {spot.config_dir for spot in spots}
    every = scopes.of_edition(connection, scope.where)
    known = {config: names for config, names in every.items() if config in there}
    at = f"in {scope.where.edition_name} under {scope.condition}"
    found = scopes.subjects([subject], known, at)
    if len(found) > 1:
        held = scopes.listed([known[config].label for config in found])
        raise StoreError(f"`{subject}` names several subjects {at}; use a label: {held}")
    return [spot for spot in spots if spot.config_dir == found[0]]


def _chosen(own: Sequence[ExportedTrial], scenario: str, run: int | None) -> list[ExportedTrial]:
    """The runs of that scenario, the asked one alone where one is asked for. Raises StoreError."""
    import difflib

    from independence.errors import StoreError

    scenarios = list(dict.fromkeys(spot.scenario for spot in own))
    fitting = [spot for spot in own if spot.scenario == scenario]
    if not fitting:
        near = difflib.get_close_matches(scenario, scenarios, n=1)
        hint = f"did you mean `{near[0]}`? " if near else ""
        raise StoreError(f"no scenario `{scenario}` here; {hint}it has {', '.join(scenarios)}")
    if run is None:
        return fitting
    if asked := [spot for spot in fitting if spot.run == run]:
        return asked
    raise StoreError(f"--run {run}: `{scenario}` has the runs {', '.join(str(spot.run) for spot in fitting)}")


def _list(
    connection: sqlite3.Connection,
    scope: BoardScope,
    own: Sequence[ExportedTrial],
    judge: str | None,
    run: int | None,
    format_: str,
) -> None:
    from independence.cli.table_output import print_tables
    from independence.exchange import trajectory_reading

    table = trajectory_reading.dialogue_table(connection, scope, own[0].config_dir, judge, run)
    print_tables([table], "table" if format_ == "text" else format_)


def _show(
    connection: sqlite3.Connection, scope: BoardScope, fitting: Sequence[ExportedTrial], judge: str | None, format_: str
) -> None:
    from independence.cli.terminal import note
    from independence.cli.transcript import print_trajectory
    from independence.exchange import trajectory_reading
    from independence.store import queries

    spot = next((one for one in fitting if queries.calls_of(connection, one.trial)), fitting[0])
    if len(fitting) > 1:
        note(f"run {spot.run} of {', '.join(str(one.run) for one in fitting)}; --run N shows another")
    print_trajectory(trajectory_reading.TrajectoryReader(connection, scope).read(spot, judge), format_)
