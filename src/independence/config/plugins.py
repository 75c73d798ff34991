"""Objects that other installed packages declare by entry points, looked up when a name is none of ours."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TypeVar

from independence.errors import UsageError

T = TypeVar("T")
_KINDS = {"dialects": "dialect", "judges": "judge", "analyses": "analysis"}


def declared(group: str, name: str) -> bool:
    """Whether an installed package declares an object of that name."""
    return bool(import_module("importlib.metadata").entry_points(group=group, name=name))


def find(group: str, name: str, shape: type[T], ours: Sequence[str]) -> T:
    """The object that a package declares under `name` in an entry-point group such as `independence.dialects`.

    Raises UsageError where there is none, where it cannot be loaded, and where it is no `shape`.
    """
    kind = _KINDS[group.rpartition(".")[2]]
    for entry in import_module("importlib.metadata").entry_points(group=group, name=name):
        try:
            found = entry.load()
        except (ImportError, AttributeError) as error:
            raise UsageError(f"{kind} `{name}`: {entry.value} cannot be loaded ({error})") from error
        if not isinstance(found, shape):
            raise UsageError(f"{kind} `{name}`: {entry.value} is no {shape.__name__}")
        return found
    raise UsageError(
        f"no {kind} `{name}`", f"there are {', '.join(ours)}; a package adds one by an entry point of group `{group}`"
    )
