"""`independence import`, `export` and `label-sample`: published results and scores come in, files for others go out."""

from __future__ import annotations

from pathlib import Path

import click

from independence.cli import activity, options
from independence.cli.terminal import note
from independence.config.options import Place
from independence.errors import UsageError

_LOG = ".eval"


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--models-file", type=click.Path(dir_okay=False, path_type=Path), help="Labels for its configurations.")
@click.option("--suite", help="The suite of the results; default: v2, for a rent run folder rent; for scores any.")
@options.output_format("table", "json")
@options.db()
def import_(path: Path, models_file: Path | None, suite: str | None, format_: str, db: Path) -> None:
    """Read published results from PATH into the edition `published`.

    PATH is a result set of the bench (a folder or a tar), a run folder of the rent benchmark, or scores that people
    gave, stored as verdicts of the judge human:RATER: a CSV (item, rater, field, value) or the viewer's ratings.json.
    A .eval log of Inspect AI, of our task or of `independence export --inspect`, or a folder of them goes into the
    edition that it was made of, and so does a folder of `independence export --parquet`.
    Files of the bench and lines of a run folder that cannot be read are skipped and named. Importing twice changes
    nothing.
    """
    from independence.api import importing
    from independence.cli import table_output
    from independence.integrations import logs

    with activity.working(f"reading {path}") as say:
        if not _is_log(path):
            found = importing.import_results(path, db, suite=suite, models_file=models_file, say=say)
        elif suite or models_file:
            raise UsageError("a log says whose it is; leave --suite and --models-file out")
        else:
            found = importing.imported_logs(logs.import_logs(path, db, say=say), "logs")
    if format_ == "table":
        table_output.print_tables(found.tables, format_)
    elif found.document:
        print(table_output.spelled(found.document))
    for line in found.notes:
        note(line)


def _is_log(path: Path) -> bool:
    """Whether a path is a log of Inspect, or a folder of logs."""
    if path.is_dir():
        return any(path.glob(f"*{_LOG}"))
    return path.suffix == _LOG


@click.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--summary", is_flag=True, help="Only summary.csv, in the published columns of the rent benchmark.")
@click.option("--published", is_flag=True, help="The file layout of the original bench, which its viewer reads.")
@click.option("--site", is_flag=True, help="The viewer as files for any web server, GitHub Pages included; all boards.")
@click.option("--inspect", is_flag=True, help="A .eval log of Inspect AI for each subject and condition.")
@click.option("--parquet", is_flag=True, help="A data set of Parquet files with its card, which `datasets` loads.")
@click.option("--redact-prompts", is_flag=True, help="With --site: without the system prompts that are your own.")
@click.option(
    "--format", "format_", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True,
    help="Format of the tables; --summary and --published have their own.",
)  # fmt: skip
@options.ONLY_MODELS
@options.FORCE
@options.PLACE
@options.db()
def export(
    folder: Path,
    summary: bool,
    published: bool,
    site: bool,
    inspect: bool,
    parquet: bool,
    redact_prompts: bool,
    format_: str,
    models: tuple[str, ...],
    force: bool,
    place: Place,
    db: Path,
) -> None:
    """Write one suite edition into DIR: subjects, dialogues, verdicts and the board.

    Keys and addresses are never exported. With --site: every board and dialogue of the store as pages. With --summary:
    the summary of a suite such as rent, of one condition and judge. With --published: one file per turn with the
    verdicts of one judge, which `independence import` reads. With --inspect: logs that Inspect AI and `independence
    import` read, with the verdicts of all judges. With --parquet: replies, verdicts and the board as a data set, which
    `independence import` reads back whole.
    """
    from independence.api import files, reading
    from independence.exchange import output
    from independence.store import database

    if summary + published + site + inspect + parquet > 1:
        layouts = "--summary, --published, --site, --inspect and --parquet"
        raise UsageError(f"{layouts} are layouts; export one after the other, into two folders")
    if site:
        if models or any(place.values()):
            raise UsageError("--site writes every board of the store; leave --models, --suite and the like out")
        _export_site(folder, db, redacted=redact_prompts, force=force)
        return
    if inspect:
        _export_logs(folder, db, models, place, force=force)
        return
    layout: files.Layout = "csv" if format_ == "csv" else "jsonl"
    layout = "summary" if summary else "published" if published else "parquet" if parquet else layout
    with (
        reading.Store(db, note) as store,
        activity.working("reading the store") as say,
        store.reading() as connection,
        database.reading_once(connection),
    ):
        made = files.contents(store, layout, models, **place)
        say(f"writing {len(made.files):,} files")
        output.write(folder, made.files, made.about, force)
    note(f"written: {f'{len(made.files):,} files' if published else ', '.join(made.files)} in {folder}")


def _export_site(folder: Path, db: Path, *, redacted: bool, force: bool) -> None:
    from independence.api import reading
    from independence.viewer import site as viewer_site

    with reading.Store(db, note) as store, activity.working("writing the pages"):
        files_written = viewer_site.export_site(store, folder, redact_prompts=redacted, force=force)
    note(f"written: {files_written:,} files in {folder}; `independence view --site {folder}` shows them")


def _export_logs(folder: Path, db: Path, models: tuple[str, ...], place: Place, *, force: bool) -> None:
    from independence.api import reading
    from independence.integrations import logs

    if place.pop("judge", None):
        raise UsageError("--inspect writes the verdicts of all judges; leave --judge out")
    with reading.Store(db, note) as store, activity.working("writing the logs"):
        names = logs.export_logs(store, folder, models=models, force=force, **place)
    many = "log" if len(names) == 1 else "logs"
    note(f"written: {len(names):,} {many} in {folder}; `inspect view --log-dir {folder}` shows them")


@click.command("label-sample")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--size", type=click.IntRange(min=1), default=150, show_default=True, help="Number of dialogues, at most."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the sample.")
@click.option("--audited-by", metavar="human:NAME", help="Instead: all dialogues that an audit drew for this person.")
@options.ONLY_MODELS
@options.FORCE
@options.PLACE
@options.db()
def label_sample(
    file: Path,
    size: int,
    seed: int,
    audited_by: str | None,
    models: tuple[str, ...],
    force: bool,
    place: Place,
    db: Path,
) -> None:
    """Write a CSV of dialogues to be scored by people: item, rater, field, value, and the words.

    The sample is balanced over subjects, over scenarios or a grid's factors and sides, and over stance where a judge
    has graded it. It does not say which model answered. Fill in rater and value; `independence import FILE` stores
    the scores.
    """
    from independence.api import files, reading
    from independence.config import user_files

    with reading.Store(db, note) as store:
        sample = files.label_sample(store, size, seed, models, audited_by, **place)
    user_files.write_new(file, sample.content, "label-sample", force=force)
    which = "" if audited_by else f" of {sample.found}"
    note(f"written: {sample.drawn}{which} dialogues in {file}" + ("" if audited_by else f" (--seed {seed})"))
    for name, levels in sample.levels.items():
        note(f"{name}: {', '.join(f'{level} {count}' for level, count in sorted(levels.items()))}")
