"""Options from the keywords of a Python function, with an error that names the keyword that was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar, get_type_hints

import msgspec

from independence.config import functions
from independence.config.options import (
    ConnectionOptions,
    DecisionOptions,
    GateOptions,
    GradeOptions,
    RerunOptions,
    RunOptions,
    SuitePart,
)
from independence.errors import UsageError, suggestion
from independence.types import Sampling

_PARTS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "connection": ConnectionOptions,
    "part": SuitePart,
    "sampling": Sampling,
}
Options = TypeVar("Options", GateOptions, DecisionOptions, RunOptions, RerunOptions, GradeOptions)
S = TypeVar("S", bound=msgspec.Struct)
# What flags are called in Python where that is another word; and what functions take beside options.
_AS_FLAGS: Final = {"delivery": "modes", "reasoning_effort": "effort", "db": "store"}
_PROMPT: Final = "system_prompt"  # another word for the variants: text, a file, or a name
_BESIDE: Final = ("store", "on_event", "approve", "hooks")


def from_settings(
    make: type[Options],
    options: Options | str | None,
    first: str,
    settings: Mapping[str, object],
    function: str = "run",
    also: Sequence[str] = (),
) -> Options:
    """The options themselves, or options made of their first field and the rest as keywords.

    Fields of what they hold, such as `max_cost` or `temperature`, are keywords too. `function`: who takes them, for the
    sentence about a keyword that is none; `also`: which others it takes. Raises UsageError.
    """
    if isinstance(options, make):
        if settings:
            raise UsageError(f"{', '.join(settings)}: options are there already", "give a name and keywords, or them")
        return options
    own = dict(settings) if options is None else {first: options, **settings}
    fields: list[str] = [field.name for field in msgspec.structs.fields(make)]
    prompt = next((name for name in ("variants", "variant") if name in fields), _PROMPT)
    if _PROMPT in own and prompt in own:
        raise UsageError(f"{_PROMPT} and {prompt} are one thing", "give one of them")
    own = {prompt if name == _PROMPT else name: value for name, value in own.items()}
    parts: dict[str, type[msgspec.Struct]] = {part: kind for part, kind in _PARTS.items() if part in fields}
    offered: list[str] = [*fields, *(name for kind in parts.values() for name in kind.__struct_fields__)]
    for name in own:
        if name not in offered:
            meant = _AS_FLAGS.get(name, name)
            fix = suggestion(meant, [*offered, *also, *_BESIDE], "it takes")
            raise UsageError(f"{function}() has no option `{name}`", fix)
    for part, kind in parts.items():
        held = {name: own.pop(name) for name in kind.__struct_fields__ if name in own}
        own |= {part: _converted(held, kind)} if held else {}
    return _converted(own, make)


def divided(settings: Mapping[str, object], kind: type[msgspec.Struct]) -> tuple[dict[str, object], dict[str, object]]:
    """The keywords that are fields of a record, and the others."""
    own = {name: value for name, value in settings.items() if name in kind.__struct_fields__}
    return own, {name: value for name, value in settings.items() if name not in own}


def _converted(values: Mapping[str, object], kind: type[S]) -> S:
    """Values checked and converted: a name alone is a list of one, text a path where a path is meant."""
    several = {name for name, held in get_type_hints(kind).items() if held == tuple[str, ...]}
    named = {name: (value,) if name in several and isinstance(value, str) else value for name, value in values.items()}
    named |= {name: functions.named(named[name]) for name in ("models", "judges") if name in named}
    try:
        return msgspec.convert(named, kind, dec_hook=lambda wanted, value: wanted(value))
    except msgspec.ValidationError as error:
        raise UsageError(f"{error}") from error
