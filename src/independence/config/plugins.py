"""What packages add to this one, `independence.extensions` among them: objects that they declare by entry points.

Those of our own extensions stand in `OURS` too, so that they are found in a source tree that nobody installed, and
without reading what every installed package declares. Only a name that is not there is looked up among entry points.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final, TypeVar

from independence.errors import UsageError, nearest, suggestion

T = TypeVar("T")
ANALYSES: Final = "independence.analyses"
IMPORTERS: Final = "independence.importers"
EXPORTERS: Final = "independence.exporters"
SCORING: Final = "independence.scoring"
COMMANDS: Final = "independence.commands"
JUDGES: Final = "independence.judges"
EXECUTORS: Final = "independence.executors"
MODELS: Final = "independence.models"
COLUMNS: Final = "independence.columns"
SECTIONS: Final = "independence.sections"
# Group -> what one of it is called in a sentence.
_KINDS: Final = {
    "independence.dialects": "dialect",
    JUDGES: "judge",
    ANALYSES: "analysis",
    IMPORTERS: "importer",
    EXPORTERS: "exporter",
    SCORING: "scoring rule",
    COMMANDS: "command",
    EXECUTORS: "executor",
    MODELS: "model",
    COLUMNS: "board column",
    SECTIONS: "report section",
}
# Group -> name -> object. `pyproject.toml` declares the same; a test compares the two.
OURS: Final[Mapping[str, Mapping[str, str]]] = {
    ANALYSES: {"stance_csv": "independence.extensions.published.rent.analysis:STANCE_CSV"},
    IMPORTERS: {
        "inspect": "independence.extensions.inspect.formats:IMPORTER",
        "rent": "independence.extensions.published.formats:RENT",
        "published": "independence.extensions.published.formats:BENCH",
        "labelling": "independence.extensions.published.formats:LABELLING",
    },
    EXPORTERS: {
        "rent": "independence.extensions.published.formats:RENT_FOLDER",
        "summary": "independence.extensions.published.formats:SUMMARY",
        "published": "independence.extensions.published.formats:CACHE",
        "inspect": "independence.extensions.inspect.formats:EXPORTER",
    },
    SCORING: dict.fromkeys(
        ("published", "v1-early", "v1", "lite", "v2-march", "v2"), "independence.extensions.published.scoring:RULES"
    ),
    COMMANDS: {
        "published": "independence.extensions.published.command:published",
        "suites.adopt": "independence.extensions.published.command:adopt",
    },
    EXECUTORS: {"ray": "independence.extensions.ray:EXECUTOR"},
}


def ours(group: str) -> list[str]:
    """The names that our own extensions declare in a group."""
    return list(OURS.get(group, ()))


def declared(group: str, name: str) -> bool:
    """Whether an extension of ours or an installed package declares an object of that name."""
    return any(_entries(group, name))


def find(group: str, name: str, shape: type[T], built_in: Sequence[str] = ()) -> T:
    """The object that a package declares under `name` in a group such as `independence.dialects`.

    `built_in`: the names that the caller has objects for itself, to be listed in an error. Raises UsageError where
    there is none of that name, where it cannot be loaded, and where it is no `shape`.
    """
    for entry in _entries(group, name):
        return _loaded(group, entry, shape)
    known = [*built_in, *ours(group)]
    more = "" if nearest(name, known) else f"; a package adds one by an entry point of group `{group}`"
    raise UsageError(f"no {_KINDS[group]} `{name}`", suggestion(name, known) + more)


def every(group: str, shape: type[T]) -> Iterator[tuple[str, T]]:
    """All objects of a group by name: first ours, those of other packages only for who goes on. Raises UsageError."""
    return ((entry[0], _loaded(group, entry, shape)) for entry in _entries(group))


def _entries(group: str, name: str = "") -> Iterator[tuple[str, str]]:
    """Name and `MODULE:OBJECT` of everything in a group, or of what has that name."""
    known = OURS.get(group, {})
    yield from ((own, value) for own, value in known.items() if name in ("", own))
    if name not in known and group.encode() in _declarations(tuple(sys.path)):
        wanted = {"name": name} if name else {}
        found = import_module("importlib.metadata").entry_points(group=group, **wanted)
        yield from sorted((one.name, one.value) for one in found if one.name not in known)


@cache
def _declarations(paths: tuple[str, ...]) -> bytes:
    """Everything that installed packages declare, as text: whether a group stands in it says when to look closer.

    That loads `importlib.metadata`, which takes 20 ms and more, and most boards have no use for it.
    """
    found = []
    for folder in paths:
        with suppress(OSError), os.scandir(folder or ".") as entries:
            for entry in entries:
                if entry.name.endswith((".dist-info", ".egg-info")):
                    with suppress(OSError):
                        found.append(Path(entry.path, "entry_points.txt").read_bytes())
    return b"\n".join(found)


def _loaded(group: str, entry: tuple[str, str], shape: type[T]) -> T:
    name, value = entry
    module, _, attribute = value.partition("[")[0].strip().partition(":")
    try:
        found: object = import_module(module)
        for part in attribute.split(".") if attribute else ():
            found = getattr(found, part)
    except Exception as error:  # whatever the package does when it is imported
        raise UsageError(f"{_KINDS[group]} `{name}`: {value} cannot be loaded ({error})") from error
    if not isinstance(found, shape):
        raise UsageError(f"{_KINDS[group]} `{name}`: {value} is no {shape.__name__}")
    return found
