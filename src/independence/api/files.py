"""What a store holds, as files for other tools and for people."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Unpack

from independence.api.formats import ExportContents, Exporter
from independence.api.reading import Names, Store, names
from independence.config import plugins
from independence.config.options import Place
from independence.exchange import data_set, export_tables, labels, output
from independence.exchange.output import Manifest
from independence.report.board import judge_choice
from independence.store import queries, scopes
from independence.store.file import database
from independence.store.scopes import BoardScope

Files = dict[str, Iterable[bytes]]
_OWN = ("jsonl", "csv", "parquet")


def export(
    store: Store,
    folder: Path | str,
    layout: str = "jsonl",
    *,
    suite: str | None = None,
    variant: str | None = None,
    mode: str | None = None,
    judge: str | None = None,
    models: Names = (),
) -> list[str]:
    """Write one edition into a folder; returns the names of the files. Neither keys nor addresses are in them.

    `jsonl` and `csv` are tables of subjects, dialogues, verdicts and the board; `published` is the published cache
    layout; `parquet` a data set that `datasets` loads and `independence import` reads back whole; `summary` the
    published summary of a suite such as rent. Without a condition: every one of the edition.
    Without a judge: the usual one of those that graded under all of these conditions.
    Raises UsageError where there is nothing to write or a file would be written over that no export wrote; DiskFull.
    """
    place = Place(suite=suite, variant=variant, mode=mode, judge=judge)
    return list(write(store, Path(folder), layout, models, place).files)


def write(
    store: Store,
    folder: Path,
    layout: str,
    models: Names,
    place: Place,
    *,
    force: bool = False,
    say: Callable[[str], object] = str,
) -> ExportContents:
    """What `export` does. `force`: also over files that no export wrote; `say` is told how much is written."""
    with store.reading() as connection, database.reading_once(connection):
        if layout in _OWN:
            places = store.places(place)
            judge = judge_of_export(store, connection, places, place.get("judge"))
            files = _tables(connection, places, judge, names(models), layout)
            made = ExportContents(files, manifest(places, judge))
        else:
            made = plugins.find(plugins.EXPORTERS, layout, Exporter, _OWN).contents(store, names(models), place)
        say(f"writing {len(made.files):,} files")
        output.write(folder, made.files, made.about, force)
    return made


def manifest(places: Sequence[BoardScope], judge: str | None) -> Manifest:
    """What files of an export are about; `judge`: whose verdicts they hold, None: of all."""
    where, conditions = places[0].where, tuple(str(place.condition) for place in places)
    return Manifest(suite=where.suite, edition=where.edition, conditions=conditions, judge=judge)


def judge_of_export(
    store: Store, connection: sqlite3.Connection, places: Sequence[BoardScope], asked: str | None
) -> str | None:
    """The judge that is asked for, else the usual one of those that graded under every condition where any did.

    None where no judge has. Raises StoreError for one that graded nothing.
    """
    if asked is not None:
        return judge_choice.judge_anywhere(connection, places, asked)
    there = [queries.judges(connection, place.where) for place in places]
    graded = [own for own in there if any(one.valid for one in own)]
    by = judge_choice.shared_judge(*graded) if graded else None
    names = sorted({name for own in graded for name in judge_choice.independent(own)})
    if by is None and graded:
        store.notice(
            "no judge graded under every condition, so each board is by the judge that its rows name; --judge takes "
            f"one of {', '.join(names)}"
        )
    elif len(names) > 1:
        store.notice(f"judge of this export: {by}; --judge takes another of {', '.join(names)}")
        wheres = [place.where for place in places]
        if half := judge_choice.half_finished(connection, wheres, by, judge_choice.together(there)):
            store.notice(half)
    return by


class LabelSample(NamedTuple):
    """A balanced sample of dialogues, for people to score."""

    content: bytes  # a CSV to be filled in
    drawn: int
    found: int  # dialogues that could have been drawn
    levels: Mapping[str, Mapping[str, int]]  # how often each was drawn, by what the sample is balanced over


def label_sample(
    store: Store,
    size: int,
    seed: int = 0,
    models: Names = (),
    raters: Names = (),
    **place: Unpack[Place],
) -> LabelSample:
    """At most `size` finished dialogues of one condition. Raises StoreError where there are none.

    `raters`: people, three of whom are to score each dialogue; each has lines of their own.
    """
    (scope,) = store.places(place, one=True)
    with store.reading() as connection:
        by = judge_choice.judge_here(connection, scope, place.get("judge"))
        found = labels.candidates(connection, scope, by, names(models))
        drawn = labels.sample(found, size, seed)
        content = labels.to_csv(scopes.grading(connection, scope), drawn, tuple(dict.fromkeys(names(raters))))
    return LabelSample(content, len(drawn), len(found), labels.counts(drawn))


def _tables(
    connection: sqlite3.Connection, places: Sequence[BoardScope], judge: str | None, models: Sequence[str], layout: str
) -> Files:
    about = export_tables.chosen_subjects(connection, places[0], models)
    encode = export_tables.jsonl if layout == "jsonl" else export_tables.to_csv
    edition = export_tables.ExportedEdition(connection, places, about)
    if layout == "parquet":
        return data_set.files(connection, edition, export_tables.boards_of(connection, places, judge))
    files: Files = {
        f"{one.name}.{layout}": encode(one)
        for one in (*export_tables.tables(edition), *export_tables.profile_of(edition))
    }
    if built := export_tables.boards_of(connection, places, judge):
        files[f"{export_tables.BOARD}.{layout}"] = (
            list(export_tables.board_jsonl(built, about))
            if layout == "jsonl"
            else [export_tables.board_csv(built, about)]
        )
    return files
