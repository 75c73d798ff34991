"""Yes-or-no fields of verdicts as rates, with intervals that never lose their width."""

from __future__ import annotations

from independence.report.legend import words
from independence.report.study import Study
from independence.report.table import Column, Table, Value
from independence.stats.intervals import wilson


def tables(read: Study) -> list[Table]:
    """One table a yes-or-no field: how often it was true of each subject. Empty where no rubric has one."""
    suite = read.scope.suite
    fields = dict.fromkeys(
        name
        for scenario in suite.scenarios
        for name, field in suite.rubrics[scenario.rubric].fields.items()
        if field.type == "boolean"
    )
    return [_table(read, field) for field in fields]


def _table(read: Study, field: str) -> Table:
    rates: list[tuple[float, str, int, int]] = []
    for config, planned in read.planned.items():
        seen = [bool(cell.values[field]) for cell in planned if cell.values is not None and field in cell.values]
        if seen:
            rates.append((-sum(seen) / len(seen), read.about[config].name, sum(seen), len(seen)))
    columns = (
        Column("subject", "Subject"), Column("rate", "Rate", "number", 2),
        Column("ci", "95 % CI (Wilson)", "interval", 2), Column("verdicts", "Verdicts", "count"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [(name, true / n, wilson(true, n), n) for _, name, true, n in sorted(rates)]
    return Table(f"rate-{field.replace('_', '-')}", f"How often: {words(field)}", columns, tuple(rows))
