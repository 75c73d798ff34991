"""Matches published prompts with the scenarios of a suite: the same facts, asked by the same side.

A published prompt is known by its row number, which another grid (without the uninvolved side, cut, sampled) counts
anew. So a number counts only where the facts agree; else the facts say which scenario it is.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from independence.exchange.rent import folder as files
from independence.exchange.rent.folder import Oddity, RentFolder
from independence.exchange.rent.records import FACTORS, Factor, Factors, GridSnapshot, LinePosition, PromptRecord, parse
from independence.suites.schema import Scenario, Suite

PERSPECTIVE = "perspective"
ROW = "row"  # variable of a scenario: the facts of its row, where its words do not hold them
_KEY = ("amount", "relationship_quality")


class GridRow(NamedTuple):
    """A prompt of a grid or of a record, and where it stands; `side` is empty where it is not known."""

    at: LinePosition
    prompt_id: str
    side: str
    facts: Mapping[str, Factor]


def factors(scenario: Scenario) -> Factors:
    """The facts a scenario's asker is told, under their published names: those of its background, and who asks.

    A scenario without such a background has the facts of its row in a grid file, else its factors.
    """
    facts = _background(scenario.context) or _background(scenario.vars.get(ROW, "")) or dict(scenario.factors)
    found: Factors = {PERSPECTIVE: scenario.side, **facts}
    return {name: found[name] for name in (*FACTORS, *found) if name in found}


def baseline(facts: Mapping[str, Factor]) -> str | None:
    """The key of the answers to an uninvolved asker that a record is compared with. None where a fact is missing."""
    return "/".join(str(facts[name]) for name in _KEY) if all(facts.get(name) is not None for name in _KEY) else None


def matching_scenarios(suite: Suite, rows: Sequence[GridRow], by_id: bool = False) -> list[str | None]:
    """The scenario of each row, None where the suite has none. No two rows have the same one.

    `by_id`: the suite was made of these very rows, so that a row's id says which scenario it is.

    Where several scenarios have the same facts, rows take them in their order; a row whose id is no number takes none.
    """
    known = {scenario.id: factors(scenario) for scenario in suite.scenarios}
    if by_id:
        return [row.prompt_id if row.prompt_id in known else None for row in rows]
    alike = Counter(_key_facts(own) for own in known.values())
    out = [row.prompt_id if row.prompt_id in known and _fits(row, known[row.prompt_id]) else None for row in rows]
    free: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for scenario, own in known.items():
        if scenario not in out:
            free[_key_facts(own)].append(scenario)
    for at, row in enumerate(rows):
        key = _key_facts({PERSPECTIVE: row.side, **row.facts})
        if out[at] is None and free[key] and (alike[key] == 1 or row.prompt_id.isdecimal()):
            out[at] = free[key].pop(0)
    return out


def split(suite: Suite, scenarios: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Scenario -> sides that its cell lacks, for the first scenario of every cell that some side is missing from.

    A side that no cell has was left out on purpose.
    """
    by_id = {scenario.id: scenario for scenario in suite.scenarios}
    cells: dict[str, dict[str, str]] = defaultdict(dict)
    for scenario in scenarios:
        cells[by_id[scenario].cell][by_id[scenario].side] = scenario
    wanted = list(dict.fromkeys(s.side for s in suite.scenarios if any(s.side in sides for sides in cells.values())))
    return {
        next(iter(sides.values())): lacking
        for sides in cells.values()
        if (lacking := tuple(side for side in wanted if side not in sides))
    }


def grid_rows(folder: RentFolder, found: list[Oddity]) -> list[GridRow]:
    """The rows of the prompts file where it is there, else of the snapshot, whose rows are numbered."""
    if folder.prompts:
        return [*_of_prompts(folder.prompts, found)]
    return [*_of_snapshot(folder.snapshot, found)] if folder.snapshot else []


def grid_row(at: LinePosition, prompt_id: str, facts: Factors, side: str = "") -> GridRow:
    """A row of these facts; without a side the one that they name."""
    return GridRow(at, prompt_id, side or str(facts.get(PERSPECTIVE) or ""), facts)


def by_scenario(suite: Suite, rows: Sequence[GridRow], found: list[Oddity], by_id: bool = False) -> dict[str, GridRow]:
    """Scenario -> its row of the grid. Reports rows that the suite does not have, and incomplete triplets."""
    out: dict[str, GridRow] = {}
    for one, scenario in zip(rows, matching_scenarios(suite, rows, by_id), strict=True):
        if scenario:
            out[scenario] = one
        else:
            about = f"row {one.prompt_id} of the grid is none of suite {suite.suite}"
            found.append(Oddity("unknown_prompt", one.at, about))
    report_split(suite, out, found)
    return out


def report_split(suite: Suite, rows: Mapping[str, GridRow], found: list[Oddity]) -> None:
    """Report triplets without one of their sides; `rows` by scenario."""
    for scenario, lacking in split(suite, rows).items():
        about = f"the triplet of prompt {rows[scenario].prompt_id} has no {' and no '.join(lacking)}"
        found.append(Oddity("split_triplet", rows[scenario].at, about))


def _background(context: str) -> dict[str, Factor] | None:
    begin, end = context.find("{"), context.rfind("}")
    try:
        found = json.loads(context[begin : end + 1])
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _fits(row: GridRow, own: Mapping[str, Factor]) -> bool:
    facts = {PERSPECTIVE: row.side, **row.facts}
    return all(str(facts[name]) == str(own.get(name)) for name in FACTORS if facts.get(name) not in (None, ""))


def _key_facts(facts: Mapping[str, Factor]) -> tuple[str, ...]:
    return tuple(str(facts.get(name)) for name in FACTORS)


def _of_prompts(file: Path, found: list[Oddity]) -> Iterator[GridRow]:
    for at, line in files.lines(file):
        try:
            record = parse(at, line, PromptRecord).record
        except ValueError as error:
            found.append(Oddity("broken_line", at, str(error)))
            continue
        yield grid_row(at, record.prompt_id, record.factors)


def _of_snapshot(file: Path, found: list[Oddity]) -> Iterator[GridRow]:
    at = LinePosition(file.name, 0)
    try:
        snapshot = parse(at, files.content(file), GridSnapshot)
    except ValueError as error:
        found.append(Oddity("broken_grid", at, str(error)))
        return
    if snapshot.wrong:
        found.append(Oddity("broken_grid", at, f"{', '.join(snapshot.wrong)} cannot be read"))
    for number, factors in enumerate(snapshot.record.factors):
        yield grid_row(LinePosition(file.name, number + 1), f"{number:03d}", factors)
