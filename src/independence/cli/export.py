"""`independence export`: what the store holds, as files for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options
from independence.cli.activity import working
from independence.errors import UsageError

if TYPE_CHECKING:
    from independence.api.files import Layout


@click.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--summary", is_flag=True, help="Only summary.csv, in the published columns of the rent benchmark.")
@click.option("--published", is_flag=True, help="The file layout of the original bench, which its viewer reads.")
@click.option(
    "--format", "format_", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True,
    help="Format of the tables; --summary and --published have their own.",
)  # fmt: skip
@click.option("--models", "-m", type=options.NameList(), default=(), help="Only these labels or ids.")
@click.option("--force", is_flag=True, help="Overwrite files that no export wrote; never a store.")
@options.place_options
@options.db()
def command(
    folder: Path,
    summary: bool,
    published: bool,
    format_: str,
    models: tuple[str, ...],
    force: bool,
    suite: str | None,
    variant: str | None,
    mode: str | None,
    judge: str | None,
    db: Path,
) -> None:
    """Write one suite edition into DIR: subjects, dialogues, verdicts and the board.

    Keys and addresses are never exported. With --summary: the summary of a suite such as rent, of one condition and
    judge. With --published: one file per turn with the verdicts of one judge, which `independence import` reads.
    """
    from independence.api.files import contents
    from independence.api.reading import Store
    from independence.cli import place_lookup
    from independence.cli.terminal import note
    from independence.exchange import output

    if summary and published:
        raise UsageError("--summary and --published are two layouts; export one after the other, into two folders")
    layout: Layout = "summary" if summary else "published" if published else "csv" if format_ == "csv" else "jsonl"
    with Store(db) as store:
        with store.reading() as connection:
            place_lookup.conditions(connection, suite, variant, mode)
        with working("reading the store"):
            made = contents(store, layout, suite=suite, variant=variant, mode=mode, judge=judge, models=models)
        if judge is None and len(made.judges) > 1:
            note(f"scores are those of {made.about.judge}; --judge takes another of {', '.join(made.judges)}")
        with working(f"writing {len(made.files):,} files"), store.reading():
            output.write(folder, made.files, made.about, force)
    files = f"{len(made.files):,} files" if published else ", ".join(made.files)
    note(f"written: {files} in {folder}")
