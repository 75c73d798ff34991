"""A report as data: sections of prose, tables and figures, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from independence.report.table import Table

MANY: Final = 4  # tables of a section from which on each is found by its title
LONG: Final = 40  # rows above which a table starts folded


class Prose(NamedTuple):
    """Our own words as Markdown. What a model or a file wrote is escaped by whoever quotes it here."""

    markdown: str


class Svg(NamedTuple):
    """A figure. `id` is kebab-case and unique in the report: anchor and file name; `caption` is one plain line."""

    id: str
    svg: str
    caption: str
    narrow: str = ""  # the same drawn for a phone, under ids of its own


Block = Table | Svg | Prose


class Section(NamedTuple):
    """One heading and what stands under it. `folds` is off where even a long table is what readers came for."""

    id: str  # kebab-case, unique in the report
    title: str
    body: Sequence[Block]
    folds: bool = True

    @property
    def listed(self) -> list[Table]:
        """Its tables, where there are so many that readers look for one by its title; else none."""
        own = [block for block in self.body if isinstance(block, Table)]
        return own if len(own) >= MANY else []

    def folded(self, table: Table) -> bool:
        """True for a table that starts folded."""
        return self.folds and len(table.rows) > LONG
