"""`independence merge`: one store of several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from independence.cli import options
from independence.cli.options import Db, Format
from independence.cli.output.terminal import STORE, note
from independence.config.flags import Argument, Flag

_NAMED = 20


@options.command("merge")
def command(
    stores: Annotated[tuple[Path, ...], Argument()],
    *,
    keep_first: Annotated[bool, Flag("Where stores differ, keep what the one named first has.")] = False,
    format_: Format = "table",
    db: Db = STORE,
) -> None:
    """Put several stores together into the one that --db names; it is made if it is not there.

    Replies, verdicts and plans are named by their content, so each comes once, and merging again adds nothing. The
    stores stay as they are. `run --shard` fills such stores on several machines.
    """
    from independence.api import merging
    from independence.cli.output import activity
    from independence.cli.output.table_output import print_tables
    from independence.report.files.table import Column, Table

    columns = (
        Column("store", "Store"), Column("dialogues", "Dialogues", "count"), Column("verdicts", "Verdicts", "count"),
        Column("conflicts", "Not taken", "count"),
    )  # fmt: skip
    with activity.working("merging"):
        merged = merging.merge(stores, db, keep_first=keep_first)
    rows = [(str(one.store), one.taken.dialogues, one.taken.verdicts, len(one.taken.conflicts)) for one in merged]
    print_tables([Table("merged", f"Added to {db}", columns, tuple(rows))], format_)
    for one in merged:
        for conflict in one.taken.conflicts[:_NAMED]:
            note(f"{one.store}: not taken: {conflict}")
        if (more := len(one.taken.conflicts) - _NAMED) > 0:
            note(f"{one.store}: and {more} more")
