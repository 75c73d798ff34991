"""Published result sets, and scores that people gave: brought into a store, or read as a store of their own."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.api import adopting
from independence.api.formats import Importer, ImportOptions, ImportResult
from independence.api.reading import Store
from independence.config import plugins, registry
from independence.errors import UsageError
from independence.exchange import data_set, humans, logged_storing, published, storing
from independence.exchange import summary as summaries
from independence.exchange.adoption import imported_requests
from independence.exchange.humans import HumanScores
from independence.exchange.logged_storing import StoredLogs
from independence.exchange.rent import reader, records
from independence.exchange.storing import NewRows
from independence.report import table
from independence.store.database import writing
from independence.store.queries import PUBLISHED
from independence.suites import load
from independence.suites.load import LoadedSuite
from independence.types import Where

_LISTED = 20  # skipped lines that are named


def import_results(
    path: Path | str,
    store: Path | str = "independence.db",
    *,
    suite: str | None = None,
    models_file: Path | str | None = None,
    say: Callable[[str], object] = str,
) -> ImportResult:
    """Bring the result set at `path` into a store, as its edition `published`; what is there already stays.

    `path`: a folder or tar of the bench, a run folder of the rent benchmark, a CSV of scores that people gave, the
    viewer's ratings.json, or a data set of Parquet files, which goes into the edition that it was made of. `suite`:
    whose dialogues the files hold, by default v2, of a rent folder rent. `models_file`:
    labels for the configurations of the bench. `say` is told what is being done. Raises UsageError where there is
    nothing to read or the archive is damaged, and nothing is written then.
    """
    path, store = Path(path), Path(store)
    say(f"reading {path}")
    if data_set.is_data_set(path):
        if suite or models_file:
            raise UsageError("a data set says whose it is; leave --suite and --models-file out")
        return imported_logs(logged_storing.store([data_set.read(path)], store, say), "data sets")
    if humans.is_scores(path):
        return _scores(path, store, suite)
    for importer in plugins.every(plugins.IMPORTERS, Importer):
        if importer.takes(path):
            return importer.read(path, store, ImportOptions(suite, Path(models_file) if models_file else None, say))
    if (found := records.find(path)) is None:
        if runs := records.below(path):
            raise UsageError(f"{path}: holds run folders of the rent benchmark; name one of them: {', '.join(runs)}")
        return _bench(path, store, suite, models_file, say)
    if models_file is not None:
        raise UsageError("--models-file names configurations of the bench; a rent run folder names its models")
    return _rent(found, store, load.load(suite or "rent"), say)


def read_results(path: Path | str, *, suite: str | None = None, models_file: Path | str | None = None) -> Store:
    """A published result set as a store of its own, which is deleted when it is closed; nothing else is written.

    The arguments are those of `import_results`, but for scores that people gave: they need the store that they grade.
    """
    if humans.is_scores(Path(path)):
        raise UsageError(f"{path}: no store and no result set", "name a store, or a folder or tar of published results")
    held = tempfile.TemporaryDirectory(prefix="independence-")
    try:
        kept = Path(held.name, "results.db")
        import_results(path, kept, suite=suite, models_file=models_file)
        return Store(kept).closes(held.cleanup)
    except BaseException:
        held.cleanup()
        raise


def _bench(
    path: Path, store: Path, suite: str | None, models_file: Path | str | None, say: Callable[[str], object]
) -> ImportResult:
    known = registry.load(Path(models_file)) if models_file else None
    loaded = load.load(suite or "v2").suite

    def counted(files: int) -> None:
        say(f"reading {path}, {files:,} files")

    listed = frozenset(subject.config_dir for subject in known.subjects) if known else None
    runs, summary = published.read(path, loaded, listed, counted)
    storing.refuse_older(path, summary.older, suite)
    say(f"storing {summary.replies:,} replies")
    with writing(store, new=True) as connection:
        new = storing.store(connection, loaded, runs, storing.published_labels(runs, known))
        changed = adopting.other_words(connection, Where(loaded.suite, PUBLISHED), imported_requests.of_runs(runs))
    notes = [said_new(new), *changed]
    if summary.older:
        notes.append(
            f"{summary.older} configurations of the older layout: their names say neither effort nor temperature; "
            "taken for what the publisher sent by default"
        )
    notes += [f"skipped, not readable: {name}" for name in summary.unreadable]
    document = msgspec.json.format(msgspec.json.encode(summary), indent=2).decode()
    return ImportResult([summaries.table(summary)], document, notes)


def _rent(found: records.RentFolder, store: Path, suite: LoadedSuite, say: Callable[[str], object]) -> ImportResult:
    result = reader.read(found, suite)
    say("storing what was read")
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


class ImportedScores(NamedTuple):
    """What became of scores that people gave."""

    new: int  # verdicts that were not there before
    notes: list[str]


def import_ratings(content: bytes, store: Path | str) -> ImportedScores:
    """Store what a ratings file of the viewer holds as verdicts of the judge `human:RATER`, all or nothing.

    Raises UsageError for what is none, or does not fit the rubrics of the store.
    """
    return _score(Path(store), lambda connection: humans.check_scores(content, Path("ratings.json"), connection))


def _scores(path: Path, store: Path, suite: str | None) -> ImportResult:
    return ImportResult([], "", _score(store, lambda connection: humans.read(path, connection, suite), path).notes)


def _score(
    store: Path, read: Callable[[sqlite3.Connection], HumanScores], path: Path = Path("ratings.json")
) -> ImportedScores:
    with writing(store, new=False) as connection:
        scores = read(connection)
        new = humans.store(connection, path, scores)
    raters = Counter(one.row.judge for one in scores.verdicts)
    notes = [f"{rater}: {count} verdicts" for rater, count in raters.items()]
    if scores.blank:
        notes.append(f"{scores.blank} lines have no value yet; left out")
    stored = f"new in the store: {new} verdicts" if new else "new in the store: nothing"
    return ImportedScores(new, [*notes, *scores.notes, stored])


def imported_logs(found: StoredLogs, kind: str) -> ImportResult:
    """What an import of dialogues with their rows found. `kind`: of the files."""
    document = msgspec.json.format(msgspec.json.encode(found), indent=2).decode()
    return ImportResult([], document, [f"{found.files:,} {kind}, {found.dialogues:,} dialogues", said_new(found.new)])


def said_new(rows: NewRows) -> str:
    """How much of an import was new, in a sentence."""
    return f"new in the store: {f'{rows.replies} replies, {rows.verdicts} verdicts' if any(rows) else 'nothing'}"
