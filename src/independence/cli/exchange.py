"""`independence import`, `export` and `label-sample`: published results and scores come in, files for others go out."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import click
from click.shell_completion import CompletionItem

from independence.cli import options
from independence.cli.option_groups import Command, Option
from independence.cli.options import Db, Force, OnlyModels, ReadDb, output_format
from independence.cli.output import activity
from independence.cli.output.terminal import STORE, note
from independence.config import plugins
from independence.config.flags import OF_EXTENSIONS, Argument, Flag
from independence.config.options import Place
from independence.errors import UsageError, suggestion


def _of_addresses(command: click.Command) -> click.Command:
    """The command with a flag for each importer of ours whose results are on the web."""
    from independence.api.formats import Importer

    for name in plugins.ours(plugins.IMPORTERS):
        if address := plugins.find(plugins.IMPORTERS, name, Importer).address:
            help_ = f"What is published at {address}, or a clone or archive of it."
            command.params.insert(
                1, Option([f"--{name}"], OF_EXTENSIONS, is_flag=False, flag_value=address, metavar="[PATH]", help=help_)
            )
    return command


@_of_addresses
@options.command("import")
def import_(
    *,
    path: Annotated[str | None, Argument()] = None,
    models_file: Annotated[Path | None, Flag("Labels for its configurations.")] = None,
    suite: Annotated[str | None, Flag(
        "The suite of the results; default: v2, for a rent run folder rent; for scores any."
    )] = None,
    format_: Annotated[str, output_format("table", "json")] = "table",
    db: Db = STORE,
    **published: str | None,
) -> None:  # fmt: skip
    """Read published results from PATH, a file, folder or address, into the edition `published`.

    PATH is a result set of the bench (a folder or a tar), a run folder of the rent benchmark, or scores that people
    gave, stored as verdicts of the judge human:RATER: a CSV (item, rater, field, value), the viewer's ratings.json, or
    files of the rent benchmark's labelling app.
    A .eval log of Inspect AI, of our task or of `independence export --as inspect`, or a folder of them goes into the
    edition that it was made of, and so does a folder of `independence export --as parquet`.
    Files of the bench and lines of a run folder that cannot be read are skipped and named. Importing twice changes
    nothing.
    """
    from independence.api import importing
    from independence.cli.output import table_output

    named = [one for one in (path, *published.values()) if one is not None]
    if len(named) != 1:
        raise UsageError(
            "name one PATH to import", f"or {', '.join(f'--{name}' for name in published)} for what is on the web"
        )
    with activity.working(f"reading {named[0]}") as say:
        found = importing.import_results(named[0], db, suite=suite, models_file=models_file, say=say)
    if format_ == "table":
        table_output.print_tables(found.tables, format_)
    elif found.document:
        print(table_output.spelled(found.document))
    for line in found.notes:
        note(line)


_TABLES = ("jsonl", "csv")
_OURS = (*_TABLES, "parquet", "site", "snapshot")


class _Layout(click.ParamType):  # type: ignore[type-arg]
    """What an export is written as: one of ours, or an exporter of a package."""

    name = "NAME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself."""
        known = (*_OURS, *plugins.ours(plugins.EXPORTERS))
        if value not in known and not plugins.declared(plugins.EXPORTERS, value):
            self.fail(f"nothing is exported as `{value}`; {suggestion(value, known, 'there are')}", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        known = (*_OURS, *plugins.ours(plugins.EXPORTERS))
        return [CompletionItem(one) for one in known if one.startswith(incomplete)]


class _ExportCommand(Command):
    """`export`, which also takes `--site` for `--as site`, and `--format csv` for `--as csv`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Write what older spellings mean."""
        own = {name for one in super().get_params(ctx) for name in one.opts}
        out = list[str]()
        for arg in args:
            word, equals, value = arg.partition("=")
            name = word.removeprefix("--")
            if word == "--format":
                out.append(f"--as{equals}{value}")
            elif (
                word.startswith("--")
                and word not in own
                and (name in _OURS or plugins.declared(plugins.EXPORTERS, name))
            ):
                out.append(f"--as={name}")
            else:
                out.append(arg)
        return super().parse_args(ctx, out)


@options.command("export", cls=_ExportCommand)
def export(
    folder: Annotated[Path, Argument(metavar="DIR", type=click.Path(path_type=Path))],
    place: Place,
    *,
    layouts: Annotated[tuple[str, ...], Flag(
        "jsonl or csv (tables), parquet, site (the viewer for any web server), snapshot (the board under its date), "
        "inspect, published, rent, summary.", "--as", whole=True, type=_Layout(),
    )] = ("jsonl",),
    scoring: Annotated[str | None, Flag(
        "As a site: boards by this scoring rule first, strict beside it; see `leaderboard --scoring`."
    )] = None,
    redact_prompts: Annotated[bool, Flag("As a site: without the system prompts that are your own.")] = False,
    models: OnlyModels = (),
    force: Force = False,
    db: ReadDb = STORE,
) -> None:  # fmt: skip
    """Write one suite edition into DIR: subjects, dialogues, verdicts and the board.

    Keys and addresses are never exported. As `site`: every board and dialogue of the store as pages. As `rent`: a suite
    such as rent as a run folder that the published scripts read, of one condition and judge; as `summary` its summary
    alone. As `published`: one file per turn with the verdicts of one judge. As `inspect`: logs that Inspect AI reads,
    with the verdicts of all judges. As `parquet`: replies, verdicts and the board as a data set. `independence import`
    reads what is written as rent, published, inspect and parquet. Packages may add others.
    """
    from independence.api import files, reading

    layout, *more = dict.fromkeys(layouts)
    if more:
        raise UsageError(f"--as {layout} and --as {more[0]}: export one after the other, into two folders")
    if scoring is not None and layout != "site":
        raise UsageError("--scoring is about --as site; other exports have the verdicts and the strict board")
    if layout == "site":
        if models or any(place.values()):
            raise UsageError("--as site writes every board of the store; leave --models, --suite and the like out")
        from independence.viewer import site as viewer_site

        with reading.Store(db, note) as store, activity.working("writing the pages"):
            count = viewer_site.export_site(
                store, folder, scoring=scoring or "strict", redact_prompts=redact_prompts, force=force
            )
        note(f"written: {count:,} files in {folder}; `independence view --site {quote(str(folder))}` shows them")
        return
    if layout == "snapshot":
        from independence.api import snapshots

        with reading.Store(db, note) as store, activity.working("building the board"):
            written = snapshots.write(store, folder, models, place)
        note(f"written: {', '.join(written)} in {folder}")
        return
    with reading.Store(db, note) as store, activity.working("reading the store") as say:
        made = files.write(store, folder, layout, models, place, force=force, say=say)
    names = f"{', '.join(made.files)} in {{folder}}"
    note(f"written: {(made.written or names).replace('{folder}', str(folder))}")


@options.command("label-sample")
def label_sample(
    file: Annotated[Path, Argument()],
    place: Place,
    *,
    size: Annotated[int, Flag("Number of dialogues, at most.", type=click.IntRange(min=1))] = 150,
    seed: Annotated[int, Flag("Seed of the sample.")] = 0,
    raters: Annotated[tuple[str, ...], Flag("People: each dialogue is for three of them.")] = (),
    models: OnlyModels = (),
    force: Force = False,
    db: ReadDb = STORE,
) -> None:
    """Write a CSV of dialogues to be scored by people: item, rater, field, value, and the words.

    The sample is balanced over subjects, over scenarios or a grid's factors and sides, and over stance where a judge
    has graded it. It does not say which model answered. Fill in rater and value; `independence import FILE` stores
    the scores.
    """
    from independence.api import files, reading
    from independence.config import user_files

    with reading.Store(db, note) as store:
        sample = files.label_sample(store, size, seed, models, raters, **place)
    user_files.write_new(file, sample.content, "label-sample", force=force)
    note(f"written: {sample.drawn} of {sample.found} dialogues in {file} (--seed {seed})")
    for name, levels in sample.levels.items():
        note(f"{name}: {', '.join(f'{level} {count}' for level, count in sorted(levels.items()))}")
