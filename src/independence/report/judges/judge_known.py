"""What judges made of the known dialogues of a suite, as a table."""

from __future__ import annotations

from collections.abc import Iterable

from independence.judge.examination import Examination
from independence.report.files import table_layouts
from independence.report.files.table import Table


def table(found: Iterable[Examination]) -> Table:
    """A row a judge."""
    rows = [(one.judge, one.pairs, one.right, one.quotes, one.quotes_found, "; ".join(one.misses)) for one in found]
    return table_layouts.made("judges/judge-known", rows)
