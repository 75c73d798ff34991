"""By which names people may call what a store holds: subjects, judges and variants. One rule for every command."""

from __future__ import annotations

import difflib
import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from independence.errors import StoreError
from independence.store import queries
from independence.types import Where

K = TypeVar("K")
_SHOWN = 6  # names in one sentence
_CUT = re.compile(r"…|\.\.\.")
_MARK = re.compile(r" \((sim|simulated)\)\Z")  # what boards print behind a label


class Names(NamedTuple):
    """What one subject is called."""

    config_dir: str
    label: str
    model_id: str

    @property
    def short(self) -> str:
        """The label without effort and temperature, as boards print it where that is unique."""
        return self.label.split("@", 1)[0]


def of_edition(connection: sqlite3.Connection, where: Where) -> dict[str, Names]:
    """What the subjects of an edition are called, by config_dir."""
    stored = queries.subjects(connection, where)
    return {config: Names(config, label, model_id) for config, (label, model_id, _) in sorted(stored.items())}


def fitting(name: str, known: Mapping[K, Names]) -> list[K]:
    """Who is called exactly that: by directory, else label, else model id (all its configurations), else short name.

    A short name counts as far as it means one label.
    """
    name = _MARK.sub("", name.strip())
    for at in range(len(Names._fields)):
        if found := [key for key, names in known.items() if names[at] == name]:
            return found
    found = _by_short(name, known)
    return found if len({known[key].label for key in found}) == 1 else []


def _by_short(name: str, known: Mapping[K, Names]) -> list[K]:
    return [key for key, names in known.items() if name in (names.short, names.model_id.rsplit("/", 1)[-1])]


def subjects(asked: Iterable[str], known: Mapping[K, Names], where: str, *, what: str = "subject") -> list[K]:
    """Everybody whom these names mean, in their order. Raises StoreError for a name that fits nobody here."""
    found: dict[K, None] = {}
    for name in asked:
        own = fitting(name, known)
        if not own:
            raise StoreError(unknown(name, known, where, what=what))
        found |= dict.fromkeys(own)
    return list(found)


def unknown(name: str, known: Mapping[K, Names], where: str, *, what: str = "subject") -> str:
    """Why a name is refused, with the full names that it may mean."""
    several = sorted({known[key].label for key in _by_short(_MARK.sub("", name), known)})
    if several:
        return f"`{name}` names several subjects {where}; use a label: {listed(several)}"
    labels = sorted({names.label for names in known.values()})
    near = meant(name, labels)
    if not near:
        every = sorted({one for names in known.values() for one in (*names, names.short)})
        near = difflib.get_close_matches(name, every, n=3)
    if near:
        return f"no {what} `{name}` {where}; did you mean {offered(near)}?"
    there = f"there is {listed(labels)}" if labels else "there is none"
    return f"no {what} `{name}` {where}; {there}"


def meant(name: str, full: Collection[str]) -> list[str]:
    """The full names that a cut or partial one may stand for."""
    parts = [part.lower() for part in _CUT.split(name.strip())]
    if len(parts) == 1:
        return [one for one in full if parts[0] and parts[0] in one.lower()]
    head, tail = parts[0], parts[-1]
    starting = [one for one in full if one.lower().startswith(head)]
    return [one for one in starting if tail in one.lower()[len(head) :]]


def judge(name: str, there: Sequence[str]) -> str:
    """The judge of that name, in full or behind its last slash. Raises StoreError, naming those there are."""
    if name in there:
        return name
    short = [one for one in there if name and one.rsplit("/", 1)[-1] == name]
    if len(short) == 1:
        return short[0]
    near = short or meant(name, there) or difflib.get_close_matches(name, there, n=3)
    hint = f"; did you mean {offered(near)}?" if near else ";"
    raise StoreError(f"no verdicts by judge `{name}` here{hint} judges: {', '.join(there) or 'none'}")


def variant(name: str, there: Collection[str]) -> str:
    """The variant of that name, or the one persona whose name begins so: `mine` for `mine-8229`. Else as it is."""
    if name in there:
        return name
    own = [one for one in there if re.fullmatch(re.escape(name) + "-[0-9a-f]{4}", one)]
    return own[0] if len(own) == 1 else name


def listed(names: Sequence[str]) -> str:
    """Names in one sentence, cut where they are many."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def offered(names: Sequence[str]) -> str:
    """Names to choose from, in back-ticks."""
    more = len(names) - _SHOWN
    marked = [f"`{name}`" for name in names[:_SHOWN]]
    if more > 0:
        return f"{', '.join(marked)} or one of {more} more"
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} or {marked[-1]}"
