"""What packages add to this one, `independence.extensions` among them: objects that they declare by entry points.

Those of our own extensions stand in `OURS` too, so that they are found in a source tree that nobody installed, and
without reading what every installed package declares. Only a name that is not there is looked up among entry points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeVar

from independence.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
IMPORTERS: Final = "independence.importers"
EXPORTERS: Final = "independence.exporters"
SCORING: Final = "independence.scoring"
COMMANDS: Final = "independence.commands"
# Group -> what one of it is called in a sentence.
_KINDS: Final = {
    "independence.dialects": "dialect",
    "independence.judges": "judge",
    "independence.analyses": "analysis",
    IMPORTERS: "importer",
    EXPORTERS: "exporter",
    SCORING: "scoring rule",
    COMMANDS: "command",
}
# Group -> name -> object. `pyproject.toml` declares the same; a test compares the two.
OURS: Final[Mapping[str, Mapping[str, str]]] = {
    IMPORTERS: {
        "inspect": "independence.extensions.inspect.formats:IMPORTER",
        "rent": "independence.extensions.published.formats:RENT",
        "bench": "independence.extensions.published.formats:BENCH",
    },
    EXPORTERS: {
        "summary": "independence.extensions.published.formats:SUMMARY",
        "published": "independence.extensions.published.formats:CACHE",
        "inspect": "independence.extensions.inspect.formats:EXPORTER",
    },
    SCORING: dict.fromkeys(
        ("published", "v1-early", "v1", "lite", "v2-march", "v2"), "independence.extensions.published.scoring:RULES"
    ),
    COMMANDS: {"suites.adopt": "independence.extensions.published.command:adopt"},
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
        return _loaded(entry, shape)
    kind, known = _KINDS[group], ", ".join([*built_in, *ours(group)])
    raise UsageError(
        f"no {kind} `{name}`", f"there are {known}; a package adds one by an entry point of group `{group}`"
    )


def every(group: str, shape: type[T]) -> Iterator[T]:
    """All objects of a group: first ours, and those of other packages only for who goes on. Raises UsageError."""
    return (_loaded(entry, shape) for entry in _entries(group))


def _entries(group: str, name: str = "") -> Iterator[EntryPoint]:
    """The entry points of a group, or those of one name."""
    metadata, known = import_module("importlib.metadata"), OURS.get(group, {})
    yield from (metadata.EntryPoint(own, value, group) for own, value in known.items() if name in ("", own))
    if name not in known:
        yield from (
            one for one in metadata.entry_points(group=group) if one.name not in known and name in ("", one.name)
        )


def _loaded(entry: EntryPoint, shape: type[T]) -> T:
    what = f"{_KINDS[entry.group]} `{entry.name}`: {entry.value}"
    try:
        found = entry.load()
    except (ImportError, AttributeError) as error:
        raise UsageError(f"{what} cannot be loaded ({error})") from error
    if not isinstance(found, shape):
        raise UsageError(f"{what} is no {shape.__name__}")
    return found
