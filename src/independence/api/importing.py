"""Published result sets, and scores that people gave: brought into a store, or read as a store of their own."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.api.reading import Store
from independence.config import registry
from independence.errors import StoreError, UsageError
from independence.exchange import adoption, humans, published, storing
from independence.exchange import summary as summaries
from independence.exchange.adoption import verifying
from independence.exchange.adoption.suite_folder import AdoptedSuite
from independence.exchange.adoption.verifying import RequestComparison
from independence.exchange.dialogues import ImportedRun
from independence.exchange.rent import reader, records
from independence.exchange.storing import NewRows
from independence.report import table
from independence.report.table import Table
from independence.store import queries, verifications
from independence.store.database import writing
from independence.store.queries import PUBLISHED
from independence.store.verifications import VerificationRow
from independence.suites import digest, load
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite
from independence.types import Where

_LISTED = 20  # skipped lines that are named


class ImportResult(NamedTuple):
    """What an import found."""

    tables: list[Table]  # for people
    document: str  # the same as JSON
    notes: list[str]


def import_results(
    path: Path | str,
    store: Path | str = "independence.db",
    *,
    suite: str | None = None,
    models_file: Path | str | None = None,
    say: Callable[[str], object] = str,
) -> ImportResult:
    """Bring the result set at `path` into a store, as its edition `published`; what is there already stays.

    `path`: a folder or tar of the bench, a run folder of the rent benchmark, or a CSV of scores that people gave.
    `suite`: whose dialogues the files hold, by default v2, of a rent folder rent. `models_file`: labels for the
    configurations of the bench. `say` is told what is being done. Raises UsageError where there is nothing to read or
    the archive is damaged, and nothing is written then.
    """
    path, store = Path(path), Path(store)
    say(f"reading {path}")
    if humans.is_scores(path):
        return _scores(path, store, suite)
    if (found := records.find(path)) is None:
        if runs := records.below(path):
            raise UsageError(f"{path}: holds run folders of the rent benchmark; name one of them: {', '.join(runs)}")
        return _bench(path, store, suite, models_file, say)
    if models_file is not None:
        raise UsageError("--models-file names configurations of the bench; a rent run folder names its models")
    return _rent(found, store, load.load(suite or "rent"), say)


def read_results(path: Path | str, *, suite: str | None = None, models_file: Path | str | None = None) -> Store:
    """A published result set as a store of its own, which is deleted when it is closed; nothing else is written.

    The arguments are those of `import_results`.
    """
    held = tempfile.TemporaryDirectory(prefix="independence-")
    try:
        kept = Path(held.name, "results.db")
        import_results(path, kept, suite=suite, models_file=models_file)
        return Store(kept).closes(held.cleanup)
    except BaseException:
        held.cleanup()
        raise


def adopt_suite(clone: Path | str, folder: Path | str | None = None) -> AdoptedSuite:
    """Write a suite in the published words from your own copy of the public repository; nothing of it is executed.

    `folder`: where to, by default `adopted-SUITE` here. `.folder` is where it is, `.loaded` the suite. Raises
    UsageError for a source that is not understood, and nothing is written then.
    """
    return adoption.suite_folder.adopt(Path(clone), None if folder is None else Path(folder))


def verify_suite(suite: LoadedSuite, results: Path | str) -> RequestComparison:
    """Compare what a suite sends with the requests of published results: a folder, a tar, or a store that holds them.

    `.holds` says whether all are equal but for known exceptions. Where they are, a store keeps that its import has
    the wording of the suite, and their boards become one. Raises UsageError or StoreError where there is nothing to
    compare.
    """
    path, own = Path(results), suite.suite
    if not _is_store(path):
        return verifying.compare(own, verifying.of_runs(published.read(path, own).runs))
    with writing(path, new=False) as connection:
        where = Where(own.suite, PUBLISHED)
        found = verifying.compare(own, verifying.of_store(connection, where))
        if not found.requests:
            raise StoreError(f"{path}: holds no imported results of {own.suite}", "`independence import` brings them")
        if found.holds:
            row = VerificationRow(
                suite=own.suite, edition=PUBLISHED, wording=digest.wording(own), requests=found.requests,
                equal=found.equal, exceptions=found.exceptions,
            )  # fmt: skip
            verifications.record(connection, row, msgspec.json.encode(own).decode())
    return found


def _is_store(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


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
        changed = _other_words(connection, Where(loaded.suite, PUBLISHED), runs)
    notes = [_new(new), *changed]
    if summary.older:
        notes.append(
            f"{summary.older} configurations of the older layout: their names say neither effort nor temperature; "
            "taken for what the publisher sent by default"
        )
    notes += [f"skipped, not readable: {name}" for name in summary.unreadable]
    document = msgspec.json.format(msgspec.json.encode(summary), indent=2).decode()
    return ImportResult([summaries.table(summary)], document, notes)


def _other_words(connection: sqlite3.Connection, where: Where, runs: Sequence[ImportedRun]) -> list[str]:
    """What to say where an import of verified wording got requests of other words; it has none from then on."""
    text = queries.read_as(connection, where) if verifications.verified(connection, where) else None
    if (
        text is None
        or not verifying.compare(msgspec.json.decode(text, type=Suite), verifying.of_runs(runs)).unexplained
    ):
        return []
    verifications.withdraw(connection, where)
    what = "requests in other words than those that were verified: the imported results have a board of their own again"
    return [f"{what}; `independence suites adopt --verify` compares anew"]


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
    return ImportResult(tables, table.to_json(tables), [*notes, _new(new)])


def _scores(path: Path, store: Path, suite: str | None) -> ImportResult:
    with writing(store, new=False) as connection:
        scores = humans.read(path, connection, suite)
        new = humans.store(connection, path, scores)
    raters = Counter(one.row.judge for one in scores.verdicts)
    notes = [f"{rater}: {count} verdicts" for rater, count in raters.items()]
    if scores.blank:
        notes.append(f"{scores.blank} lines have no value yet; left out")
    return ImportResult([], "", [*notes, f"new in the store: {new} verdicts" if new else "new in the store: nothing"])


def _new(rows: NewRows) -> str:
    return f"new in the store: {f'{rows.replies} replies, {rows.verdicts} verdicts' if any(rows) else 'nothing'}"
