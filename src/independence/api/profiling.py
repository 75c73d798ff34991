"""The profile of what a store holds, and two subjects in every column of it; `running.run("profile")` asks it."""

from __future__ import annotations

from typing import ClassVar

from independence.api.comparing import Compared
from independence.api.reading import Names, Store, names
from independence.config import functions
from independence.config.functions import Asked
from independence.report import profile
from independence.report.files.table import Table, without_empty_columns
from independence.store.file import database


class ProfileResult(Compared):
    """One row a model over several suites, never summed; or two models, a row for each column."""

    ROWS: ClassVar[str] = "rows"

    def __init__(self, tables: list[Table]) -> None:
        """`tables`: first the one for people."""
        self.tables = tables[1:]
        self._people = tables[:1]

    @property
    def shown(self) -> list[Table]:
        """The table for people."""
        return self._people


def read_profile(
    store: Store, *, judge: str | None = None, models: Names = (), sort: str | None = None
) -> ProfileResult:
    """One row a model over suites, with what the store has of it.

    `judge`: of the parts that a judge grades, by default the usual one. `models`: only these labels or ids, as they
    stand among all. `sort`: a column, such as `J`. Raises UsageError for an unknown one, StoreError.
    """
    with store.reading() as connection, database.collecting_seldom():
        return ProfileResult(profile.tables(profile.columns(connection, judge), names(models), sort))


def compare_profiles(store: Store, first: Asked, second: Asked, *, judge: str | None = None) -> ProfileResult:
    """Compare two subjects, each a label, id or function, in every column of the profile, tested together (Holm).

    Every difference is the first minus the second. `judge`: as for `read_profile`. Raises UsageError where both are
    one, StoreError for names the store does not hold.
    """
    own, other = map(str, functions.named([first, second]))
    with store.reading() as connection, database.collecting_seldom():
        made = profile.compared(profile.columns(connection, judge), own, other)
        return ProfileResult([without_empty_columns(made), made])
