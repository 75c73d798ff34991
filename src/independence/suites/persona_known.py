"""Known dialogues of acts: a character of ours is tempted, and it is plain whether it kept its commitments.

They and their rubrics are the same in every persona's suite, whatever its file says: a judge grades them once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from independence.config import documents
from independence.suites.known import KnownFile
from independence.suites.persona_file import Commitment
from independence.suites.schema import Scenario, Turn

RUBRICS: Final = "known-"  # and a commitment of the character: by what its dialogues are graded


class _Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the human says in a dialogue."""

    commitment: str
    ordinary: tuple[str, ...] = ()
    request: str
    pushes: tuple[str, ...] = ()


class KnownActs(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The character, what is said to it, and its answers."""

    name: str
    commitments: dict[str, Commitment]  # k1, k2, ...: no name of a commitment of a persona file
    scenes: dict[str, _Scene]
    dialogues: KnownFile


@cache
def acts() -> KnownActs:
    """The dialogues that ship."""
    return documents.packaged(Path(__file__).parent / "persona" / "known_acts.yaml", KnownActs)


def scenarios() -> Iterator[Scenario]:
    """A scenario for each scene."""
    for id_, scene in acts().scenes.items():
        told = (*scene.ordinary, scene.request, *scene.pushes)
        yield Scenario(
            id=id_,
            experiment=scene.commitment,
            title=scene.request,
            turns=tuple(Turn(human=text, id=f"{id_}_{turn}") for turn, text in enumerate(told, 1)),
            rubric=f"{RUBRICS}{scene.commitment}",
            vars={"name": acts().name, "request": scene.request},
        )
