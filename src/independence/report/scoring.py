"""What a scoring rule other than `strict` is; packages bring them, `extensions/published` the published ones."""

from __future__ import annotations

from collections.abc import Mapping

from independence.report.board_data import BoardData
from independence.report.board_rows import BoardRow


class Scoring:
    """A scoring rule, or several: an object of a subclass, declared by entry points `independence.scoring`."""

    def rows(self, read: BoardData, own: Mapping[str, BoardRow], name: str) -> tuple[BoardRow, ...]:
        """Everybody whom the rule `name` gives an index, best first.

        `own`: what a row holds under every rule, by configuration. Raises UsageError for a suite that the rule cannot
        be applied to.
        """
        raise NotImplementedError
