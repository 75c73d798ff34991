"""The subjects of an edition that an export is about."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping

from independence.report.study import SubjectInfo
from independence.store import name_lookup, queries
from independence.store.scopes import BoardScope


def chosen(connection: sqlite3.Connection, scope: BoardScope, names: Collection[str] = ()) -> dict[str, SubjectInfo]:
    """config_dir -> who it is, of these labels, ids or directories; none named: all.

    Raises StoreError for a name that nobody in the edition has.
    """
    stored = sorted(queries.subjects(connection, scope.where).items())
    known = name_lookup.of_edition(connection, scope.where)
    found = name_lookup.subjects(names, known, f"in {scope.where.edition_name}") if names else known
    return {
        config: SubjectInfo(label, model, simulated) for config, (label, model, simulated) in stored if config in found
    }


def model_names(about: Mapping[str, SubjectInfo]) -> dict[str, str]:
    """config_dir -> the model's id, or the label where several configurations have that id."""
    ids = Counter(who.model_id for who in about.values())
    return {config: who.model_id if ids[who.model_id] == 1 else who.label for config, who in about.items()}
