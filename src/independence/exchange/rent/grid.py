"""The grid of a run folder: which prompts were to be asked, and whether their triplets are whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from independence.exchange.rent import folder as files
from independence.exchange.rent import oddities as odd
from independence.exchange.rent import prompts
from independence.exchange.rent.folder import Folder, Line
from independence.exchange.rent.oddities import Oddity
from independence.exchange.rent.prompts import Row
from independence.exchange.rent.records import Factors, PromptRecord, Snapshot, decode
from independence.suites.schema import Suite


class Asked(NamedTuple):
    """A prompt and where it is said that it was asked."""

    at: Line
    prompt_id: str


class Listed(NamedTuple):
    """A row of the grid and where it stands."""

    at: Line
    row: Row


def rows(folder: Folder, found: list[Oddity]) -> list[Listed]:
    """The rows of the prompts file where it is there, else of the snapshot, whose rows are numbered."""
    if folder.prompts:
        return [*_of_prompts(folder.prompts, found)]
    return [*_of_snapshot(folder.snapshot, found)] if folder.snapshot else []


def asked(suite: Suite, listed: Sequence[Listed], found: list[Oddity], by_id: bool = False) -> dict[str, Asked]:
    """Scenario -> its row. Names rows that the suite does not have, and triplets that are not whole."""
    out: dict[str, Asked] = {}
    for (at, row), scenario in zip(listed, prompts.place(suite, [one.row for one in listed], by_id), strict=True):
        if scenario:
            out[scenario] = Asked(at, row.prompt_id)
        else:
            about = f"row {row.prompt_id} of the grid is none of suite {suite.suite}"
            found.append(Oddity(odd.UNKNOWN_PROMPT, at, about))
    whole(suite, out, found)
    return out


def whole(suite: Suite, by_scenario: Mapping[str, Asked], found: list[Oddity]) -> None:
    """Name triplets without one of their sides."""
    for scenario, lacking in prompts.split(suite, by_scenario).items():
        at, prompt_id = by_scenario[scenario]
        about = f"the triplet of prompt {prompt_id} has no {' and no '.join(lacking)}"
        found.append(Oddity(odd.SPLIT_TRIPLET, at, about))


def _of_prompts(file: Path, found: list[Oddity]) -> Iterator[Listed]:
    for at, line in files.lines(file):
        try:
            record = decode(line, PromptRecord).record
        except ValueError as error:
            found.append(Oddity(odd.BROKEN_LINE, at, str(error)))
            continue
        yield Listed(at, _row(record.prompt_id, record.factors))


def _of_snapshot(file: Path, found: list[Oddity]) -> Iterator[Listed]:
    try:
        snapshot = decode(files.content(file), Snapshot)
    except ValueError as error:
        found.append(Oddity(odd.BROKEN_GRID, Line(file.name, 0), str(error)))
        return
    if snapshot.wrong:
        found.append(Oddity(odd.BROKEN_GRID, Line(file.name, 0), f"{', '.join(snapshot.wrong)} cannot be read"))
    for number, factors in enumerate(snapshot.record.factors, start=1):
        yield Listed(Line(file.name, number), _row(f"{number - 1:03d}", factors))


def _row(prompt_id: str, factors: Factors) -> Row:
    return Row(prompt_id, str(factors.get(prompts.PERSPECTIVE) or ""), factors)
