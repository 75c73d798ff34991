"""Names in a store, for the Tab key: read without waiting, changing or complaining."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, Literal

from independence.errors import StoreError
from independence.store.file.database import opened_unread

Kind = Literal["subjects", "scenarios", "suites", "variants"]
_BUSY_S: Final = 0.2
_SQL: Final[dict[Kind, str]] = {
    "subjects": "SELECT DISTINCT label FROM subjects ORDER BY 1",
    "scenarios": "SELECT DISTINCT scenario FROM planned ORDER BY 1",
    "suites": "SELECT suite FROM editions UNION SELECT suite || '@' || edition FROM editions ORDER BY 1",
    "variants": "SELECT DISTINCT variant FROM planned ORDER BY 1",
}


def names(path: Path, kind: Kind) -> list[str]:
    """Sorted names of that kind; none where there is no store, or it cannot be read now."""
    try:
        opened, _ = opened_unread(f"{path.absolute().as_uri()}?mode=ro", path, _BUSY_S)
        with closing(opened) as connection:
            return [name for (name,) in connection.execute(_SQL[kind])]
    except (sqlite3.Error, StoreError):
        return []
