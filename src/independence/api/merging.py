"""One store of several, as those that `run --shard` fills on several machines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from independence.errors import StoreError
from independence.store import merging
from independence.store.file import database
from independence.store.merging import Merged

_NAMED = 3


class MergedStore(NamedTuple):
    """A store, and what was taken from it."""

    store: Path
    taken: Merged


def merge(stores: Sequence[Path], out: Path, *, keep_first: bool = False) -> list[MergedStore]:
    """Put into `out` what it lacks of these stores; it is made where it is not there. They stay as they are.

    Raises StoreError for a store that cannot be read, and, before anything is written, where two stores have something
    else of one dialogue; `keep_first` keeps what `out` has, then what the store named first has.

    >>> merge([Path("shard-1.db"), Path("shard-2.db")], Path("whole.db"))  # doctest: +SKIP
    """
    merged = []
    with database.writing(out, new=not out.exists()) as target, database.transaction(target):
        for store in stores:
            if store.exists() and store.samefile(out):
                continue
            with database.reading(store) as source, database.reading_once(source):
                taken = merging.merge(source, target)
            if taken.conflicts and not keep_first:
                named = "; ".join(taken.conflicts[:_NAMED])
                more = len(taken.conflicts) - _NAMED
                raise StoreError(
                    f"{store}: differs from what is there before it: {named}{f'; and {more} more' * (more > 0)}",
                    "nothing was written; --keep-first keeps what the store named first has",
                )
            merged.append(MergedStore(store, taken))
    return merged
