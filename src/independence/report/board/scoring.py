"""What a scoring rule other than `strict` is; packages bring them, `extensions/published` the published ones."""

from __future__ import annotations

from collections.abc import Mapping

from independence.report.board.board_data import BoardData
from independence.report.board.rows import Row
from independence.suites.schema import Suite


class Scoring:
    """A scoring rule, or several: an object of a subclass, declared by entry points `independence.scoring`."""

    def rows(self, read: BoardData, own: Mapping[str, Row], name: str) -> tuple[Row, ...]:
        """Everybody whom the rule `name` gives an index, best first.

        `own`: what a row holds under every rule, by configuration. Raises UsageError for a suite that the rule cannot
        be applied to.
        """
        raise NotImplementedError

    def check(self, suite: Suite, name: str) -> None:
        """Raises UsageError for a suite that the rule `name` cannot be applied to, whatever its verdicts are."""

    def lost(self, read: BoardData, config: str, name: str) -> Mapping[str, float] | None:
        """Scenario -> points of the index that it costs a subject; None where the rule does not tell."""
        return None
