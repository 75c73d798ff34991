"""Subjects of a run that are named as the store's boards print them, with the configuration they were asked in."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from independence.config.registry import Registry
from independence.config.subjects import from_json
from independence.store import name_lookup, queries
from independence.store.name_lookup import Names


def resolve_stored_names(
    connection: sqlite3.Connection, names: Sequence[str], known: Registry
) -> tuple[tuple[str, ...], Registry]:
    """The names, those of stored subjects as labels, and the registry with these.

    What the models file lists goes first, and an id that could be one of an endpoint stays an id.
    """
    listed = {name for subject in known.subjects for name in (subject.label, subject.model_id)}
    doubtful = [name for name in names if name not in listed and _is_label(name, known)]
    if not doubtful:
        return tuple(names), known
    stored = {
        config: from_json(text)
        for info in reversed(queries.editions(connection))
        for config, text in queries.configurations(connection, info.where).items()
    }
    called_so = {config: Names(config, one.label, one.model_id) for config, one in stored.items()}
    found = {name: stored[own[0]] for name in doubtful if len(own := name_lookup.fitting(name, called_so)) == 1}
    labels = {subject.label for subject in known.subjects}
    added = {one.label: one for one in found.values() if one.label not in labels}
    subjects = (*known.subjects, *added.values())
    renamed = tuple(found[name].label if name in found else name for name in names)
    return renamed, msgspec.structs.replace(known, subjects=subjects)


def _is_label(name: str, known: Registry) -> bool:
    """Whether a name can be no model id, so that nothing else is meant by it."""
    return "@" in name or "+" in name or ("/" not in name and not known.redirected)
