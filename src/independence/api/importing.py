"""Published result sets, and scores that people gave: brought into a store, or read as a store of their own."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.api.formats import Importer, ImportOptions, ImportResult
from independence.api.reading import Store
from independence.config import plugins, user_files
from independence.errors import UsageError
from independence.exchange import data_set, fetched, humans, logged_storing, streamed_files
from independence.exchange.humans import ScoresFile
from independence.exchange.logged_storing import StoredLogs
from independence.exchange.storing import NewRows
from independence.store.file.database import writing

_OWN = ("scores as .csv or .json", "a data set of `export --as parquet`")


def import_results(
    path: Path | str,
    store: Path | str = "independence.db",
    *,
    suite: str | None = None,
    models_file: Path | str | None = None,
    say: Callable[[str], object] = str,
) -> ImportResult:
    """Bring what is at `path` into a store; what is there already stays.

    `path`: a file or folder, or the address of a file on the web: a CSV of scores that people gave, the viewer's
    ratings.json, a data set of Parquet files, or what an importer takes: of ours a folder or tar of the bench and a run
    folder of the rent benchmark, which go into the edition `published`, and logs of Inspect AI. Data sets and logs go
    into the edition that they were made of.
    `suite`: whose dialogues the files hold, by default v2, of a rent folder rent. `models_file`: labels for the
    configurations of the bench. `say` is told what is being done. Where an address of an importer's own cannot be
    reached, what ships with the program is taken. Raises UsageError where there is nothing to read or it is damaged,
    and nothing is written then.
    """
    store, options = Path(store), ImportOptions(suite, Path(models_file) if models_file else None, say)
    with ExitStack() as held:
        try:
            file = held.enter_context(fetched.local(path, say))
        except UsageError as error:
            for _, importer in plugins.every(plugins.IMPORTERS, Importer):
                if importer.address == str(path) and (found := importer.shipped(store, options)):
                    return found._replace(notes=[f"not fetched: {error.what}", *found.notes])
            raise
        found = _read(file, store, options)
    return found if file == Path(path) else found._replace(notes=[f"fetched from {path}", *found.notes])


def _read(path: Path, store: Path, options: ImportOptions) -> ImportResult:
    suite, models_file, say = options
    say(f"reading {path}")
    if data_set.is_data_set(path):
        if suite or models_file:
            raise UsageError("a data set says whose it is; leave --suite and --models-file out")
        return imported_logs(logged_storing.store([data_set.read(path)], store, say), "data sets")
    for _, importer in plugins.every(plugins.IMPORTERS, Importer):
        if importer.takes(path):
            return importer.read(path, store, options)
    if humans.is_scores(path):
        held = humans.read(user_files.read_bytes(path), path)  # before a store is looked for
        return ImportResult([], "", import_scores(held, store, suite).notes)
    raise _refused(path)


def _refused(path: Path) -> UsageError:
    """That no importer takes a path."""
    if not path.exists():
        return UsageError(f"{path}: no such file or folder", "name a result set that is there")
    if not path.is_dir():
        user_files.opened(path).close()  # or a pipe would be waited for
        if kind := streamed_files.kind_of_file(path):
            return UsageError(f"{path}: this is {kind[0]}, not a tar archive", kind[1])
    known = filter(None, (importer.help for _, importer in plugins.every(plugins.IMPORTERS, Importer)))
    *most, last = [*known, *_OWN]
    return UsageError(f"{path}: nothing in it that can be imported", f"import takes {', '.join(most)}, or {last}")


def read_results(path: Path | str, *, suite: str | None = None, models_file: Path | str | None = None) -> Store:
    """A published result set as a store of its own, which is deleted when it is closed; nothing else is written.

    The arguments are those of `import_results`. Scores that people gave are refused: they need the store that they
    grade.
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


class ImportedScores(NamedTuple):
    """What became of scores that people gave."""

    new: int  # verdicts that were not there before
    notes: list[str]


def import_ratings(content: bytes, store: Path | str) -> ImportedScores:
    """Store what a ratings file of the viewer holds as verdicts of the judge `human:RATER`, all or nothing.

    Raises UsageError for what is none, or does not fit the rubrics of the store.
    """
    return import_scores(humans.read(content, Path("ratings.json")), Path(store))


def import_scores(held: ScoresFile, store: Path, suite: str | None = None) -> ImportedScores:
    """Store scores as verdicts of the judge `human:RATER`, all or nothing. Raises UsageError, StoreError."""
    with writing(store, new=False) as connection:
        scores = humans.check(held, connection, suite)
        new = humans.store(connection, held.path, scores)
    raters = Counter(row.judge for _, row in scores.verdicts)
    left = {rater: f"{count} lines have no value yet" for rater, count in scores.blank.items()}
    notes = [
        f"{rater}: {raters[rater]} verdicts" + (f", {left[rater]}" if rater in left else "")
        for rater in {**raters, **left}
        if rater
    ]
    if "" in left:
        notes.append(f"{left['']}; left out")
    stored = f"new in the store: {new} verdicts" if new else "new in the store: nothing"
    return ImportedScores(new, [*notes, *scores.notes, stored])


def imported_logs(found: StoredLogs, kind: str) -> ImportResult:
    """What an import of dialogues with their rows found. `kind`: of the files."""
    document = msgspec.json.format(msgspec.json.encode(found), indent=2).decode()
    return ImportResult([], document, [f"{found.files:,} {kind}, {found.dialogues:,} dialogues", said_new(found.new)])


def said_new(rows: NewRows) -> str:
    """How much of an import was new, in a sentence."""
    return f"new in the store: {f'{rows.replies} replies, {rows.verdicts} verdicts' if any(rows) else 'nothing'}"
