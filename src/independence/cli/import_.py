"""`independence import`: bring in a published result set."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options

if TYPE_CHECKING:
    from independence.config.registry import Registry
    from independence.exchange.rows import ImportedRun


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--models-file", type=click.Path(dir_okay=False, path_type=Path), help="Labels for its configurations.")
@click.option("--suite", default="v2", show_default=True, help="The suite whose dialogues the files hold.")
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
@options.db()
def command(path: Path, models_file: Path | None, suite: str, format_: str, db: Path) -> None:
    """Read the published layout from PATH (a folder or a tar) into the edition `published`.

    Anomalies are tolerated, flagged on the replies and counted. Importing twice changes nothing.
    """
    import sqlite3

    from independence.cli import imported
    from independence.config import registry
    from independence.exchange import published, storing
    from independence.store import database
    from independence.suites import load

    known = registry.load(models_file) if models_file else None
    loaded = load.load(suite)
    listed = frozenset(subject.config_dir for subject in known.subjects) if known else None
    result = published.read(path, loaded.suite, listed)
    connection = database.connect(db)
    try:
        stored = storing.store(connection, loaded.suite, result.runs, _labels(result.runs, known))
    except sqlite3.Error as error:
        raise database.translate(error, db) from error
    finally:
        connection.close()
    imported.show(result.summary, stored, format_)


def _labels(runs: Iterable[ImportedRun], known: Registry | None) -> dict[str, str]:
    """Labels as published: `display_label`, or the id behind its vendor; an unlisted configuration keeps its raw id."""
    subjects = known.subjects if known else ()
    labels = {subject.config_dir: subject.display_label or subject.label.removeprefix("local/") for subject in subjects}
    taken = set(labels.values())
    for run in runs:
        if run.config_dir not in labels:
            labels[run.config_dir] = run.config_dir if run.model_id in taken else run.model_id
            taken.add(labels[run.config_dir])
    return labels
