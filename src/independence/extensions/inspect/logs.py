"""Logs of Inspect AI as functions of this package; Inspect is loaded where one is called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Unpack

from independence.api.reading import Names, Store
from independence.config.options import Place
from independence.exchange import output
from independence.exchange.logged_storing import StoredLogs
from independence.extensions.inspect import versions
from independence.store.file import database


def export_logs(
    store: Store, folder: Path | str, *, models: Names = (), force: bool = False, **place: Unpack[Place]
) -> list[str]:
    """Write the dialogues of one edition as `.eval` logs of Inspect AI, one for each subject and condition.

    `models`: labels, ids or config names; without any all. `suite`, `variant`, `mode` as for `independence.export`; a
    log has the verdicts of all judges. `force` writes over files that no export wrote. Returns the names of the files.
    Raises UsageError where there is nothing to write, a file would be written over, or Inspect AI is not installed;
    DiskFull.
    """
    with versions.fitting():
        from independence.extensions.inspect import eval_files

    with store.reading() as connection, database.reading_once(connection):
        made = eval_files.contents(store, models, place)
        output.write(Path(folder), made.files, made.about, force)
    return list(made.files)


def import_logs(
    path: Path | str, store: Path | str = "independence.db", *, say: Callable[[str], object] = str
) -> StoredLogs:
    """Bring a `.eval` log of our task, or of `export_logs`, or a folder of them into a store, all of it or nothing.

    What is there already stays. `.dialogues` says how many were read, `.new` how many replies and verdicts were new.
    Raises UsageError for what is no such log, was cut off or changed, or holds samples that failed; StoreError.
    """
    with versions.fitting():
        from independence.extensions.inspect import eval_files

    return eval_files.import_logs(path, store, say)
