"""Result sets as files: what a store holds is written for other tools, what others published is read."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal, NamedTuple

from independence.api.reading import Names, Store
from independence.config import registry
from independence.errors import UsageError
from independence.exchange import cache, export_tables, output, published, storing
from independence.exchange.output import Manifest
from independence.exchange.rent import reader, records, summary
from independence.exchange.rent.summary import StoredScores
from independence.report import planned_verdicts
from independence.store import database, scopes
from independence.store.scopes import BoardScope
from independence.suites import load

Layout = Literal["jsonl", "csv", "published", "summary"]
Files = dict[str, Iterable[bytes]]


class ExportContents(NamedTuple):
    """What an export writes."""

    files: Files  # name -> content in parts, read while it is written
    about: Manifest
    judges: tuple[str, ...] = ()  # of a summary: every judge that graded


def export(
    store: Store,
    folder: Path | str,
    layout: Layout = "jsonl",
    *,
    suite: str | None = None,
    variant: str | None = None,
    mode: str | None = None,
    judge: str | None = None,
    models: Names = (),
) -> list[str]:
    """Write one edition into a folder; returns the names of the files. Neither keys nor addresses are in them.

    `jsonl` and `csv` are tables of subjects, dialogues, verdicts and the board; `published` is the published cache
    layout; `summary` the published summary of a suite such as rent. Without a condition: every one of the edition.
    Raises UsageError where there is nothing to write or a file would be written over that no export wrote; DiskFull.
    """
    made = contents(store, layout, suite=suite, variant=variant, mode=mode, judge=judge, models=models)
    with store.reading():
        output.write(Path(folder), made.files, made.about)
    return list(made.files)


def contents(
    store: Store,
    layout: Layout = "jsonl",
    *,
    suite: str | None = None,
    variant: str | None = None,
    mode: str | None = None,
    judge: str | None = None,
    models: Names = (),
) -> ExportContents:
    """What `export` writes, with the same arguments. Raises UsageError where there is nothing to write."""
    named = (models,) if isinstance(models, str) else tuple(models)
    judges: tuple[str, ...] = ()
    with store.reading() as connection:
        places = scopes.conditions(connection, suite, variant, mode)
        judge = planned_verdicts.judge_anywhere(connection, places, judge)
        if layout == "summary":
            places = [scopes.find(connection, places[0].where.edition_name, variant, mode)]
            scores = summary.read(connection, places[0], judge, named)
            judge, judges, files = scores.judge, tuple(scores.judges), _summary(scores)
        elif layout == "published":
            files = _published(connection, places, judge, named)
        else:
            files = _tables(connection, places, judge, named, layout)
    where = places[0].where
    conditions = tuple(str(place.condition) for place in places)
    about = Manifest(suite=where.suite, edition=where.edition, conditions=conditions, judge=judge)
    return ExportContents(files, about, judges)


def _summary(scores: StoredScores) -> Files:
    if scores.judge is None:
        raise UsageError("no verdicts yet, so there is no score to sum up; `independence judge` grades")
    content = summary.to_csv(scores.rated, scores.sides).encode("utf-8", "backslashreplace")
    return {summary.NAME: [content]}


def _published(
    connection: sqlite3.Connection, places: Sequence[BoardScope], judge: str | None, models: Sequence[str]
) -> Files:
    about = export_tables.chosen_subjects(connection, places[0], models)
    files: Files = {name: [content] for name, content in cache.files(connection, places, judge, about)}
    if not files:
        raise UsageError("nothing was answered yet, so there is no file to write; `independence run` asks")
    return files


def _tables(
    connection: sqlite3.Connection, places: Sequence[BoardScope], judge: str | None, models: Sequence[str], layout: str
) -> Files:
    about = export_tables.chosen_subjects(connection, places[0], models)
    encode = export_tables.jsonl if layout == "jsonl" else export_tables.to_csv
    edition = export_tables.ExportedEdition(connection, places, about)
    files: Files = {f"{one.name}.{layout}": encode(one) for one in export_tables.tables(edition)}
    built = export_tables.boards_of(connection, places, judge)
    if built:
        lines = (
            export_tables.board_jsonl(built, about) if layout == "jsonl" else [export_tables.board_csv(built, about)]
        )
        files[f"{export_tables.BOARD}.{layout}"] = lines
    return files


def read_results(path: Path | str, *, suite: str | None = None, models_file: Path | str | None = None) -> Store:
    """A published result set as a store of its own, which is deleted when it is closed; nothing else is written.

    `path`: a folder or tar of the bench, or a run folder of the rent benchmark. `suite`: whose dialogues the files
    hold, by default v2, of a rent folder rent. `models_file`: labels for its configurations. Raises UsageError where
    there is nothing to read or the archive is damaged.
    """
    source, held = Path(path), tempfile.TemporaryDirectory(prefix="independence-")
    try:
        kept = Path(held.name, "results.db")
        with closing(database.connect(kept)) as connection:
            if found := records.find(source):
                storing.store_folder(connection, reader.read(found, load.load(suite or "rent")))
            else:
                _store_bench(connection, source, suite, models_file)
        return Store(kept).closes(held.cleanup)
    except BaseException:
        held.cleanup()
        raise


def _store_bench(connection: sqlite3.Connection, path: Path, suite: str | None, models_file: Path | str | None) -> None:
    known = registry.load(Path(models_file)) if models_file else None
    loaded = load.load(suite or "v2")
    listed = frozenset(subject.config_dir for subject in known.subjects) if known else None
    result = published.read(path, loaded.suite, listed)
    storing.refuse_older(path, result.summary.older, suite)
    storing.store(connection, loaded.suite, result.runs, storing.published_labels(result.runs, known))
