"""Functions that take options as keywords, as `help` and notebooks show them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., object])


def spelled_out(keywords: type[Any]) -> Callable[[F], F]:
    """Lists the keys of a typed dictionary as keywords of the function that unpacks it, for `help` and notebooks."""

    def with_signature(function: F) -> F:
        known = inspect.signature(function)
        own = [one for one in known.parameters.values() if one.kind is not one.VAR_KEYWORD]
        listed = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=..., annotation=_written(kind))
            for name, kind in keywords.__annotations__.items()
        ]
        vars(function)["__signature__"] = known.replace(parameters=[*own, *listed])
        return function

    return with_signature


def _written(kind: object) -> object:
    """An annotation; one that was written as text, as that text."""
    return getattr(kind, "__forward_arg__", kind)
