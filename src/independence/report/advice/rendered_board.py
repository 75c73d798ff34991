"""A board of advice, whatever it was read by, as whoever prints it needs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from independence.report.advice.board import SidesBoard
    from independence.report.advice.published import StanceBoard
    from independence.report.table import Table


class RenderedBoard(NamedTuple):
    """One board."""

    document: SidesBoard | StanceBoard  # as JSON has it
    record: Table  # one line a subject with everything
    tables: Sequence[Table]  # for people
    narrow: Sequence[Table]  # the same on 80 columns
    plot: Sequence[str]  # lines of at most 80 signs
    details: Callable[[], Sequence[Table]]
