"""Functions and objects of the user's own that are asked in the place of models: their names, and where they are.

One is `python/NAME+VERSION`. The version is its attribute `version` or `__version__`, else a digest of its source, so
that an edited function is another subject. A process knows those that were given to it, by that name.
"""

from __future__ import annotations

import inspect
import marshal
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from independence.config import plugins
from independence.errors import UsageError, nearest

PYTHON: Final = "python"  # how their names begin, and the endpoint that asks them
_BY_MODULE: Final = f"{PYTHON}:"
_BY_NAME: Final = f"{PYTHON}/"
_FORM: Final = f"write {_BY_MODULE}MODULE:FUNCTION, as {_BY_MODULE}agents:mira"
_NOT_IN_NAMES: Final = re.compile(r"[^\w.-]+")
_DIGITS: Final = 8  # of a digest


class Opens(Protocol):
    """An object that makes a session for each dialogue."""

    def open(self) -> Any:
        """What is called with the messages of one dialogue, turn by turn."""
        ...


Asked = str | Callable[..., Any] | Opens  # a model by its name, or what answers in its place


class Function(NamedTuple):
    """One that answers."""

    call: Any  # takes the messages; an object with `open` makes a session of each dialogue
    name: str
    version: str
    stated: bool  # whether the user gave the version

    @property
    def key(self) -> str:
        """The id that its endpoint knows, `NAME+VERSION`."""
        return f"{self.name}+{self.version}"


_KNOWN: Final[dict[str, Function]] = {}


def known(key: str) -> Function:
    """The function of a subject. Raises UsageError where this process was not given it."""
    if key not in _KNOWN:
        near = nearest(key.partition("+")[0], _KNOWN)
        what = f"{_BY_NAME}{key} is a Python function that was not given to this command"
        raise UsageError(what, f"did you mean `{_BY_NAME}{near}`?" if near else f"{_FORM}, or give it to `run`")
    return _KNOWN[key]


def answers(value: object) -> bool:
    """Whether a value may be meant as a function: what is no text and can be called or opened."""
    return callable(value) or callable(getattr(value, "open", None))


def named(values: Any) -> Any:
    """The names of models or judges, one or several, with the functions among them by their ids. Raises UsageError."""
    if answers(values):
        values = (values,)
    if not isinstance(values, list | tuple):
        return values
    given: dict[str, object] = {}
    names = []
    for one in values:
        found = _located(one) if isinstance(one, str) else one if answers(one) else None
        if found is not None:
            key = register(found).key
            if given.setdefault(key, found) != found:
                raise UsageError(
                    f"two functions are called {_BY_NAME}{key}", "give each a `version` or name of its own"
                )
        names.append(one if found is None else _BY_NAME + key)
    return tuple(names)


def name_in(options: msgspec.Struct) -> None:
    """Put ids in the place of functions, and of where they are found, among models and judges. Raises UsageError."""
    for field in ("models", "judges"):
        msgspec.structs.force_setattr(options, field, named(getattr(options, field)))


def register(found: Any) -> Function:
    """Let this process know a function. Raises UsageError for what cannot answer."""
    name = _NOT_IN_NAMES.sub("-", _name(found)).strip("-") or "function"
    if isinstance(found, type):
        raise UsageError(f"{_BY_NAME}{name} is a class", f"give an object of it, as {name}()")
    if not answers(found):
        what = f"{_BY_NAME}{name}, of the type {type(found).__name__}, can neither be called nor opened"
        raise UsageError(what, "give it `__call__(messages)`, or `open()` for a session of each dialogue")
    opens = callable(getattr(found, "open", None))
    try:
        inspect.signature(found.open if opens else found).bind(*([] if opens else [[]]))
    except TypeError as error:
        takes = "`open()` takes no argument" if opens else "it is called with the messages, and nothing else"
        raise UsageError(f"{_BY_NAME}{name} cannot be called ({error})", takes) from error
    except ValueError:  # of what is written in C nothing is known
        pass
    version = _version(found)
    one = Function(found, name, version or _digest(found), bool(version))
    _KNOWN[one.key] = one
    return one


def _name(found: Any) -> str:
    given = getattr(found, "name", None)
    if isinstance(given, str) and given.strip():
        return given
    if isinstance(found, partial):
        return _name(found.func)
    if inspect.ismethod(found) and not isinstance(found.__self__, type):
        return f"{type(found.__self__).__name__}.{found.__name__}"
    return str(getattr(found, "__name__", type(found).__name__))


def _version(found: Any) -> str:
    """What the user calls its version; empty where that is not said."""
    for one in (found, getattr(found, "func", None), getattr(found, "__self__", None)):
        for attribute in ("version", "__version__"):
            stated = getattr(one, attribute, None)
            if isinstance(stated, str | int | float) and not inspect.ismodule(one):
                return _NOT_IN_NAMES.sub("-", str(stated)).strip("-")
    return ""


def _digest(found: Any) -> str:
    """A digest of the source of a function, or of the class of an object; of its code where there is no source."""
    while isinstance(found, partial):
        found = found.func
    source = found if inspect.isroutine(found) else type(found)
    try:
        text = inspect.getsource(source).encode(errors="replace")
    except (OSError, TypeError):
        code = getattr(found, "__code__", None)
        spelled = f"{source.__module__}.{source.__qualname__}".encode()
        text = spelled if code is None else marshal.dumps(code.replace(co_filename="", co_firstlineno=1))
    return sha256(text).hexdigest()[:_DIGITS]


def _located(text: str) -> Any:
    """What `python:MODULE:FUNCTION` or the entry point `python/NAME` leads to; None for other names."""
    if text.startswith(_BY_MODULE):
        return _imported(text)
    key = text.removeprefix(_BY_NAME)
    if key != text and key not in _KNOWN and plugins.declared(plugins.MODELS, key):
        return plugins.find(plugins.MODELS, key, object)
    return None


def _imported(text: str) -> Any:
    """Raises UsageError where a part of the way to it is not there."""
    module, _, path = text.removeprefix(_BY_MODULE).partition(":")
    module = module.removesuffix(".py").replace("/", ".").strip(".")
    if not module or not path:
        raise UsageError(f"`{text}` names no function", _FORM)
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        with redirect_stdout(sys.stderr):
            found: Any = import_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the module does when it is imported
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            near = nearest(module, (one.stem for one in Path().glob("*.py")))
            fix = f"did you mean `{near}`?" if near else "it is looked for in this folder and among what is installed"
            raise UsageError(f"{text}: there is no module `{module}`", fix) from error
        raise UsageError(f"{text}: `{module}` cannot be imported ({type(error).__name__}: {error})") from error
    for part in path.split("."):
        if not hasattr(found, part):
            near = nearest(part, (one for one in dir(found) if not one.startswith("_")))
            raise UsageError(f"{text}: there is no `{part}` in it", f"did you mean `{near}`?" if near else _FORM)
        found = getattr(found, part)
    return found
