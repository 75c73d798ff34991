"""Prompts of a grid in the published format, one a line, and the scenarios of a suite that they are.

A prompt is known by its row number, which another grid (without the uninvolved side, cut, sampled) counts anew. So a
number counts only where the facts agree; else the facts say which scenario it is.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from independence.config import documents
from independence.suites.schema import Scenario, Suite

Factor = str | int | float | bool | None
Factors = dict[str, Factor]
R = TypeVar("R", bound=msgspec.Struct)
_NO_JSON = re.compile(rb"\b(NaN|Infinity)\b")
# The facts of a prompt in their order; each side knows some of them.
FACTORS = ("perspective", "base_rent", "amount", "relationship_quality", "justification", "tenant_quality",
           "landlord_quality")  # fmt: skip
PERSPECTIVE = "perspective"
ROW = "row"  # variable of a scenario: the facts of its row, where its words do not hold them


class PromptRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the grid: one prompt."""

    prompt_id: str = ""
    factors: Factors = {}
    messages: msgspec.Raw = msgspec.Raw(b"[]")


class EditedPrompt(PromptRecord, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of a grid that somebody wrote, in which an unknown key is a mistake."""


class ParsedLine(NamedTuple, Generic[R]):
    """A record, and where it stands."""

    file: str
    number: int
    record: R

    @property
    def at(self) -> str:
        """File and line."""
        return f"{self.file}:{self.number}"


def parse(file: Path, number: int, line: bytes, kind: type[R], fix: str = "") -> ParsedLine[R]:
    """Read one object; `fix` as in `documents.json_of`. Raises UsageError where it is none of this kind."""
    if _NO_JSON.search(line):  # Python writes NaN and Infinity, which are no JSON: they become texts
        with suppress(ValueError, RecursionError):
            line = json.dumps(json.loads(line, parse_constant=str)).encode()
    return ParsedLine(file.name, number, documents.json_of(line, file, kind, number, fix))


class GridRow(NamedTuple):
    """A prompt of a grid or of a record; `side` is empty where it is not known."""

    prompt_id: str
    side: str
    facts: Mapping[str, Factor]


def grid_row(prompt_id: str, facts: Factors, side: str = "") -> GridRow:
    """A row of these facts; without a side the one that they name."""
    return GridRow(prompt_id, side or str(facts.get(PERSPECTIVE) or ""), facts)


def factors(scenario: Scenario) -> Factors:
    """The facts a scenario's asker is told, under their published names: those of its background, and who asks.

    A scenario without such a background has the facts of its row in a grid file, else its factors.
    """
    facts = _background(scenario.context) or _background(scenario.vars.get(ROW, "")) or dict(scenario.factors)
    found: Factors = {PERSPECTIVE: scenario.side, **facts}
    return {name: found[name] for name in (*FACTORS, *found) if name in found}


def matching_scenarios(suite: Suite, rows: Sequence[GridRow]) -> list[str | None]:
    """The scenario of each row, None where the suite has none. No two rows have the same one.

    Where several scenarios have the same facts, rows take them in their order; a row whose id is no number takes none.
    """
    known = {scenario.id: factors(scenario) for scenario in suite.scenarios}
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
