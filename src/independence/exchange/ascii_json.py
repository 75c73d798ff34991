"""JSON in ASCII on one line, byte for byte as `json.dumps` of the standard library writes it, in less time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import NoneType
from typing import Final

import msgspec
from msgspec import Raw

_ALIKE: Final = frozenset({int, bool, NoneType, Raw})  # spelled alike by both encoders, like texts in ASCII
_LEAST, _MOST = 1e-4, 1e16  # floats from here to there are too
_KEPT: Final = 256  # texts: requests that open a dialogue come once for every subject and run


def record(row: Mapping[str, object], names: Iterable[str]) -> bytes:
    """A JSON object of these keys of a row, in their order. What is `Raw` in it is JSON in ASCII."""
    return _ascii(
        {
            name: own if type(own := row[name]) in _ALIKE or (type(own) is str and own.isascii()) else _spelled(own)
            for name in names
        }
    )


def encode(value: object) -> bytes:
    """The JSON of plain values: objects, lists, texts, numbers. What is `Raw` in them is JSON in ASCII."""
    return _ascii(_spelled(value))


@lru_cache(_KEPT)
def respelled(data: bytes) -> bytes:
    """JSON as `json.dumps` spells it. Raises msgspec.DecodeError."""
    return json.dumps(msgspec.json.decode(data)).encode()


def _ascii(value: object) -> bytes:
    data = msgspec.json.encode(value)
    if not data.isascii():  # a key of an object
        data = respelled(data)
    return msgspec.json.format(data, indent=0).replace(b"\x7f", rb"\u007f")


def _spelled(value: object) -> object:
    """The same value; what the encoders spell differently is spelled already."""
    if isinstance(value, str):
        return value if value.isascii() else Raw(json.dumps(value).encode())
    if isinstance(value, float):
        return value if value == 0 or _LEAST <= abs(value) < _MOST else Raw(json.dumps(value).encode())
    if isinstance(value, dict):
        return {key: _spelled(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_spelled, value))
    return value
