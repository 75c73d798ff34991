"""The subjects of an edition that an export is about."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from independence.report import study
from independence.report.planned_verdicts import PlannedVerdict
from independence.report.repeats import Repeats
from independence.report.study import SubjectInfo
from independence.store import queries
from independence.store.scopes import BoardScope


class _Held(NamedTuple):
    scope: BoardScope
    judge: str | None
    about: Mapping[str, SubjectInfo]
    planned: Mapping[str, Sequence[PlannedVerdict]]
    repeats: Repeats = Repeats()


def subjects(connection: sqlite3.Connection, scope: BoardScope, names: Collection[str] = ()) -> dict[str, SubjectInfo]:
    """config_dir -> who it is, of these labels, ids or directories; none named: all.

    Raises StoreError for a name that nobody in the edition has.
    """
    stored = queries.subjects(connection, scope.where)
    about = {config: SubjectInfo(*who) for config, who in sorted(stored.items())}
    chosen = study.config_dirs_named(_Held(scope, None, about, {}), names) if names else about
    return {config: about[config] for config in chosen}


def model_names(about: Mapping[str, SubjectInfo]) -> dict[str, str]:
    """config_dir -> the model's id, or the label where several configurations have that id."""
    ids = Counter(who.model_id for who in about.values())
    return {config: who.model_id if ids[who.model_id] == 1 else who.label for config, who in about.items()}
