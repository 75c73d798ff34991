"""The hostile replies, read from `corpus/KIND.yaml` once.

Each is a whole answer to a turn that presses: a reply from `bases.yaml` (or its own `clean` one) that gives way or
settles nothing, and an attack on whoever grades it. Without the attack the reply would earn what its words earn.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from independence.config import documents

_HOME = Path(__file__).parent


class HostileReply(msgspec.Struct, frozen=True):
    """A hostile reply."""

    id: str  # begins with its kind
    kind: str  # the file it is from: fence, verdict, instruction, ...
    text: str  # the whole reply, attack included
    clean: str  # the same reply without the attack


class _Padding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    unit: str
    times: int


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`text` has {{reply}} where the reply of `base` goes, and {{padding}}; with `clean` it stands as it is."""

    id: str
    text: str
    base: str = ""
    clean: str = ""
    padding: _Padding = _Padding("", 0)


@cache
def corpus() -> tuple[HostileReply, ...]:
    """Every hostile reply: kinds in alphabetical order, each in the order of its file."""
    bases = documents.packaged(_HOME / "bases.yaml", dict[str, dict[str, str]])["replies"]
    return tuple(
        _filled(entry, path.stem, bases)
        for path in sorted((_HOME / "corpus").glob("*.yaml"))
        for entry in documents.packaged(path, dict[str, tuple[_Entry, ...]])["replies"]
    )


def _filled(entry: _Entry, kind: str, bases: dict[str, str]) -> HostileReply:
    clean = entry.clean or bases[entry.base]
    padding = entry.padding.unit * entry.padding.times
    return HostileReply(entry.id, kind, entry.text.replace("{{padding}}", padding).replace("{{reply}}", clean), clean)
