"""The files of the two published projects as formats of `independence import` and `export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from independence.api.formats import ExportContents, Exporter, Importer, ImportOptions, ImportResult
from independence.errors import UsageError, listed

if TYPE_CHECKING:
    from independence.api.reading import Store
    from independence.config.options import Place

_LISTED: Final = 20  # skipped lines that are named
_FOLDERS, _SHOWN = 3, 60  # folders in a notice, and how much of their names

_WORDLESS: Final = "without the words of the dialogues; the same command brings them where there is a network"
_NEXT: Final = "next: `independence leaderboard` (as it was published: --scoring published), `independence view`"


class BenchImporter(Importer):
    """A result set of the bench: a folder or a tar. What is neither is refused in its words."""

    help = "a result set of the bench (a tar, or a folder of folders named like `vendor--model@low-t0.7`)"
    address = "https://github.com/mikhailsal/ai-independence-bench/archive/refs/heads/main.tar.gz"

    def takes(self, path: Path) -> bool:
        """Whether it can be one."""
        from independence.extensions.published import result_set

        return result_set.can_be(path)

    def read(self, path: Path, store: Path, options: ImportOptions) -> ImportResult:
        """Bring it into the edition `published` of the suite, by default v2."""
        import msgspec

        from independence.api.importing import said_new
        from independence.config import registry
        from independence.exchange.storing import write
        from independence.extensions.published import adopting, import_summary, result_set, storing
        from independence.store.file.database import transaction, writing
        from independence.store.queries import PUBLISHED
        from independence.suites import load
        from independence.types import Where

        known = registry.load(options.models_file or Path(registry.PUBLISHED))
        suite = load.load(options.suite or "v2").suite
        listed = frozenset(subject.config_dir for subject in known.subjects) if options.models_file else None
        runs, summary = result_set.read(
            path, suite, listed, lambda files: options.say(f"reading {path}, {files:,} files")
        )
        storing.refuse_older(path, summary.older, options.suite)
        storing.refuse_other(path, suite, summary)
        options.say(f"storing {summary.replies:,} replies")
        with writing(store, new=True) as connection:
            rows = storing.rows(suite, runs, storing.published_labels(runs, known))
            with transaction(connection):
                new = write(connection, rows)
            changed = adopting.other_words(connection, Where(suite.suite, PUBLISHED), rows)
        notes = [said_new(new), *changed]
        if summary.older:
            notes.append(
                f"{summary.older} configurations of the older layout: their names say neither effort nor temperature; "
                "taken for what the publisher sent by default"
            )
        notes += [f"skipped, not readable: {name}" for name in summary.unreadable]
        notes.append(_NEXT)
        document = msgspec.json.format(msgspec.json.encode(summary), indent=2).decode()
        return ImportResult([import_summary.table(summary)], document, notes)

    def shipped(self, store: Path, options: ImportOptions) -> ImportResult | None:
        """Every published verdict of v2, without words."""
        from independence.api.importing import said_new
        from independence.exchange.storing import write
        from independence.extensions.published import shipped
        from independence.store import queries
        from independence.store.file.database import transaction, writing
        from independence.store.queries import PUBLISHED
        from independence.suites import load
        from independence.types import Where

        if options.suite not in (None, "v2") or options.models_file:
            return None
        with writing(store, new=True) as connection, transaction(connection):
            there = queries.subjects(connection, Where("v2", PUBLISHED))
            new = write(connection, shipped.rows(load.load("v2").suite, there))
        notes = [f"taken instead: the scores that ship with this program ({shipped.source()}), {_WORDLESS}"]
        return ImportResult([], "", [*notes, said_new(new._replace(replies=0)), _NEXT])


class RentImporter(Importer):
    """A run folder of the rent benchmark."""

    help = "a run folder of the rent benchmark"

    def takes(self, path: Path) -> bool:
        """Whether it is one, or holds some."""
        from independence.extensions.published.rent import records

        return records.find(path) is not None or bool(records.below(path))

    def read(self, path: Path, store: Path, options: ImportOptions) -> ImportResult:
        """Bring it into the edition of its words, of suite rent unless another is named."""
        from independence.api.importing import said_new
        from independence.extensions.published.rent import reader, records, storing
        from independence.report.files import table
        from independence.store.file.database import writing
        from independence.suites import load

        if (found := records.find(path)) is None:
            runs = ", ".join(records.below(path))
            raise UsageError(f"{path}: holds run folders of the rent benchmark; name one of them: {runs}")
        if options.models_file is not None:
            raise UsageError("--models-file names configurations of the bench; a rent run folder names its models")
        result = reader.read(found, load.load(options.suite or "rent"))
        options.say("storing what was read")
        with writing(store, new=True) as connection:
            new = storing.store_folder(connection, result)
        notes = [f"skipped, {line}" for line in result.skipped[:_LISTED]]
        if more := len(result.skipped[_LISTED:]):
            notes.append(f"skipped, {more} more")
        edition = result.edition
        if edition.words:
            kept = f"{edition.suite.suite}@{edition.name}"
            notes.append(f"asked in other words than the published ones: kept apart, as --suite {kept}")
        tables = [reader.table(result)]
        return ImportResult(tables, table.to_json(tables), [*notes, said_new(new)])


class LabellingImporter(Importer):
    """Scores of people out of the labelling app of the rent benchmark."""

    help = "scores of its labelling app (final_consensus_export.csv, team_review_consensus.csv, its review JSONL)"

    def takes(self, path: Path) -> bool:
        """Whether it begins as a file of the app does."""
        from independence.extensions.published.rent import labelling

        return labelling.takes(path)

    def read(self, path: Path, store: Path, options: ImportOptions) -> ImportResult:
        """Store the scores of the answers that the store has."""
        from independence.api.importing import import_scores
        from independence.extensions.published.rent import labelling

        if options.models_file is not None:
            raise UsageError("--models-file names configurations of the bench; scores name no model")
        held = labelling.placed(path, *labelling.read(path), store, options.suite)
        return ImportResult([], "", import_scores(held, store, options.suite).notes)


class CacheExporter(Exporter):
    """The file layout of the bench: one file a turn, with the verdicts of one judge."""

    def contents(self, store: Store, models: tuple[str, ...], place: Place) -> ExportContents:
        """The files of every condition that is meant."""
        from independence.api import files
        from independence.exchange import export_tables
        from independence.extensions.published import cache_files
        from independence.extensions.published.dialogues import folder_names
        from independence.store import plans

        places = store.places(place)
        with store.reading() as connection:
            judge = files.judge_of_export(store, connection, places, place.get("judge"))
            about = export_tables.chosen_subjects(connection, places[0], models)
            made = cache_files.files(connection, places, judge, about)
            found = {config for one in places for config in plans.unequal(connection, one.where)}
            unequal = sorted(about[config].label for config in found if config in about)
        if unequal:
            store.notice(
                f"{listed(unequal)}: more runs of some scenarios than of others (`check` and decisions buy so), "
                "which readers of this layout take for incomplete runs; --as parquet or inspect keeps them apart"
            )
        renamed = [f"`{name[:_SHOWN]}`" for config, name in folder_names(about).items() if config != name]
        if renamed:
            count = f"{len(renamed)} of {len(about)} folders are named a little differently from their configuration"
            store.notice(f"{count}, so that every disk can hold them: {', '.join(renamed[:_FOLDERS])}")
        if not made:
            raise UsageError("nothing was answered yet, so there is no file to write; `independence run` asks")
        return ExportContents(made, files.manifest(places, judge), f"{len(made):,} files in {{folder}}")


class RentExporter(Exporter):
    """The run folder of the rent benchmark, of one condition and judge, or its summary alone."""

    def __init__(self, *, summary_alone: bool) -> None:
        self._alone = summary_alone

    def contents(self, store: Store, models: tuple[str, ...], place: Place) -> ExportContents:
        """The files."""
        from independence.api import files
        from independence.extensions.published.rent import run_folder, summary

        places = store.places(place, one=True)
        with store.reading() as connection:
            by = files.judge_of_export(store, connection, places, place.get("judge"))
            scores = summary.read(connection, places[0], by, models)
            made: dict[str, list[bytes]] = {}
            if not self._alone:
                made = run_folder.files(connection, places[0], scores.judge, models)
        if scores.judge is None and self._alone:
            raise UsageError("no verdicts yet, so there is no score to sum up; `independence judge` grades")
        if scores.judge is None:
            store.notice("no verdicts yet, so there are no scored files; `independence judge` grades")
        else:
            name = summary.NAME if self._alone else run_folder.SUMMARY
            made[name] = [summary.to_csv(scores.rated, scores.sides).encode("utf-8", "backslashreplace")]
        return ExportContents(made, files.manifest(places, scores.judge))


BENCH: Final = BenchImporter()
RENT: Final = RentImporter()
LABELLING: Final = LabellingImporter()
CACHE: Final = CacheExporter()
RENT_FOLDER: Final = RentExporter(summary_alone=False)
SUMMARY: Final = RentExporter(summary_alone=True)
