"""The face of a room: it names the modules that other rooms may use, and each is loaded when it is first used.

The stub beside a room's `__init__` names them, for type checkers, readers and `tests/gates`, which holds other rooms to
them. `from room import module` loads a module by itself; a room that is imported whole, so that `room.module` is loaded
only where that line is reached, has the `__getattr__` of `lazy`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def lazy(room: str) -> Callable[[str], ModuleType]:
    """A room's `__getattr__` (PEP 562), by which `room.module` loads that module. Raises AttributeError for others."""

    def load(name: str) -> ModuleType:
        module = f"{room}.{name}"
        if name.startswith("_") or find_spec(module) is None:
            raise AttributeError(f"`{room}` has no module `{name}`")
        return import_module(module)

    return load
