"""Golden files: read, compared, written."""

from __future__ import annotations

import json
import lzma
import platform
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from tests.gates import canonical

FOLDER = Path(__file__).parent / "golden"
_MADE_WITH = FOLDER / "made-with.json"
_TOLD, _LONGEST = 20, 300
_NOISE = 1e-12
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def _path(name: str) -> Path:
    return FOLDER / f"{name}.json{'.xz' * name.startswith(('published', 'demo-sides'))}"  # those are long


def _text(path: Path) -> str:
    held = path.read_bytes()
    return (lzma.decompress(held) if path.suffix == ".xz" else held).decode()


def _write(path: Path, text: str) -> None:
    held = text.encode()
    path.write_bytes(lzma.compress(held, preset=9) if path.suffix == ".xz" else held)


def _here() -> dict[str, str]:
    found = np.show_config(mode="dicts")["SIMD Extensions"]  # processors add in different orders
    return {
        "instructions": " ".join([*found["baseline"], *found.get("found", ())]),
        "python": ".".join(map(str, sys.version_info[:2])),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "machine": platform.machine(),
    }


def _made_with() -> dict[str, dict[str, str]]:
    """Golden file -> the libraries it was made with."""
    held: dict[str, dict[str, str]] = json.loads(_text(_MADE_WITH))
    return held


def _rounded(value: Any) -> Any:
    """The same with numbers to nine digits: other libraries and processors add in another order."""
    if isinstance(value, float):
        return float(f"{value:.9g}") if abs(value) > _NOISE else 0.0
    if isinstance(value, str) and _NUMBER.fullmatch(value):  # a cell of CSV
        return _rounded(float(value))
    if isinstance(value, dict):
        return {name: _rounded(held) for name, held in value.items()}
    if isinstance(value, list):
        return [_rounded(held) for held in value]
    return value


def differences(old: Any, new: Any, where: str = "") -> Iterator[str]:
    """What differs between two documents, a line each."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *(name for name in new if name not in old)]:
            yield from differences(old.get(name, "(absent)"), new.get(name, "(absent)"), f"{where}/{name}")
        if old.keys() == new.keys() and list(old) != list(new):
            yield f"{where}: members in another order: {list(old)} -> {list(new)}"
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{where}/{place}")
    elif repr(old) != repr(new):
        yield f"{where}: {_short(old)} -> {_short(new)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 400 else f"{text[:400]}... ({len(text)} characters)"


def compare(name: str, new: Any) -> list[str]:
    """What differs from the golden file: byte for byte where it was made with what is here, else to nine digits."""
    text, made = _text(_path(name)), canonical.written(new)
    if text == made:
        return []
    old, new = json.loads(text), json.loads(made)
    if _made_with().get(name) != _here():
        old, new = _rounded(old), _rounded(new)
    return list(differences(old, new))


def hold(name: str, new: Any) -> None:
    """Fail, naming the first differences, where a document is not as its golden file."""
    found = compare(name, new)
    told = "\n".join(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..." for line in found[:_TOLD])
    assert not found, f"{name}: {len(found)} differ from the golden file\n{told}"


def write(name: str, new: Any) -> list[str]:
    """Write a golden file; what differed before."""
    path, text = _path(name), canonical.written(new)
    old = json.loads(_text(path)) if path.exists() else {}
    _write(path, text)
    _write(_MADE_WITH, canonical.written(_made_with() | {name: _here()}))
    return list(differences(old, json.loads(text)))
