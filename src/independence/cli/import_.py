"""`independence import`: bring in a published result set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options

if TYPE_CHECKING:
    from independence.exchange.rent.records import RentFolder

_LISTED = 20  # skipped lines named on stderr


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--models-file", type=click.Path(dir_okay=False, path_type=Path), help="Labels for its configurations.")
@click.option("--suite", help="The suite of the results; default: v2, for a rent run folder rent; for scores any.")
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
@options.db()
def command(path: Path, models_file: Path | None, suite: str | None, format_: str, db: Path) -> None:
    """Read published results from PATH into the edition `published`.

    PATH is a result set of the bench (a folder or a tar), a run folder of the rent benchmark, or a CSV of scores that
    people gave (item, rater, field, value), stored as verdicts of the judge human:RATER. Its content decides which.
    Anomalies are tolerated, flagged and counted. Importing twice changes nothing.
    """
    from independence.errors import UsageError
    from independence.exchange import humans
    from independence.exchange.rent import records

    if humans.is_scores(path):
        _scores(path, suite, db)
        return
    found = records.find(path)
    runs = () if found else records.below(path)
    if runs:
        raise UsageError(f"{path}: holds run folders of the rent benchmark; name one of them: {', '.join(runs)}")
    if found is None:
        _bench(path, models_file, suite, format_, db)
    elif models_file is not None:
        raise click.UsageError("--models-file names configurations of the bench; a rent run folder names its models")
    else:
        _rent(path, found, suite or "rent", format_, db)


def _bench(path: Path, models_file: Path | None, suite: str | None, format_: str, db: Path) -> None:
    import sqlite3

    from independence.cli import import_summary
    from independence.cli.activity import working
    from independence.config import registry
    from independence.exchange import published, storing
    from independence.store import database
    from independence.suites import load

    known = registry.load(models_file) if models_file else None
    loaded = load.load(suite or "v2")
    listed = frozenset(subject.config_dir for subject in known.subjects) if known else None
    with working(f"reading {path}") as say:
        result = published.read(path, loaded.suite, listed, lambda count: say(f"reading {path}, {count:,} files"))
    storing.refuse_older(path, result.summary.older, suite)
    connection = database.connect(db)
    try:
        with working(f"storing {result.summary.replies:,} replies"):
            stored = storing.store(connection, loaded.suite, result.runs, storing.published_labels(result.runs, known))
    except sqlite3.Error as error:
        raise database.translate(error, db) from error
    finally:
        connection.close()
    import_summary.show_import(result.summary, stored, format_)


def _scores(path: Path, suite: str | None, db: Path) -> None:
    import sqlite3
    from collections import Counter

    from independence.cli.terminal import note
    from independence.exchange import humans
    from independence.store import database

    with database.connect_existing(db) as connection:
        scores = humans.read(path, connection, suite)
        try:
            new = humans.store(connection, path, scores)
        except sqlite3.Error as error:
            raise database.translate(error, db) from error
    for rater, count in Counter(one.row.judge for one in scores.verdicts).items():
        note(f"{rater}: {count} verdicts")
    if scores.blank:
        note(f"{scores.blank} lines have no value yet; left out")
    note(f"new in the store: {new} verdicts" if new else "new in the store: nothing")


def _rent(path: Path, found: RentFolder, suite: str, format_: str, db: Path) -> None:
    import sqlite3

    from independence.cli.activity import working
    from independence.cli.table_output import print_tables
    from independence.cli.terminal import note
    from independence.exchange import storing
    from independence.exchange.rent import reader
    from independence.store import database
    from independence.suites import load

    with working(f"reading {path}"):
        result = reader.read(found, load.load(suite))
    connection = database.connect(db)
    try:
        with working("storing what was read"):
            stored = storing.store_folder(connection, result)
    except sqlite3.Error as error:
        raise database.translate(error, db) from error
    finally:
        connection.close()
    print_tables([reader.table(result)], format_)
    for line in result.skipped[:_LISTED]:
        note(f"skipped, {line}")
    if len(result.skipped) > _LISTED:
        note(f"skipped, {len(result.skipped) - _LISTED} more")
    edition = result.edition
    if edition.words:
        note(
            f"asked in other words than the published ones: kept apart, as --suite {edition.suite.suite}@{edition.name}"
        )
    note(f"new in the store: {stored.replies} replies, {stored.verdicts} verdicts" if any(stored) else
         "new in the store: nothing")  # fmt: skip
