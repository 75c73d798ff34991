"""A table for a terminal: nothing takes room that says nothing."""

from __future__ import annotations

import msgspec

from independence.report.table import Table


def narrow(table: Table) -> Table:
    """The table without columns in which no row has a value; a table without rows as it is."""
    if not table.rows:
        return table
    kept = [place for place in range(len(table.columns)) if any(row[place] is not None for row in table.rows)]
    columns = tuple(table.columns[place] for place in kept)
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    return msgspec.structs.replace(table, columns=columns, rows=rows)
