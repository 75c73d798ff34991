"""Why answers and verdicts are missing, in the sentences that were stored with them."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable

from independence.store.queries import keys_json, planned_clause
from independence.types import Where

_LONGEST = 200  # signs of a sentence


def sentences(
    connection: sqlite3.Connection, where: Where, judges: Iterable[str], trials: Iterable[str] | None = None
) -> dict[str, str]:
    """Reason -> the sentence that stands behind it in an edition (and condition), or behind most, and how many.

    Of answers, and of verdicts of some judges on dialogues as they are now. `trials`: on these alone.
    """
    clause, values = planned_clause(where, trials)
    found = connection.execute(
        f"WITH p AS (SELECT DISTINCT p.trial FROM planned p WHERE {clause}) "
        "SELECT v.missing, v.detail, count(*) FROM p CROSS JOIN verdicts v ON v.trial = p.trial "
        "WHERE v.missing IS NOT NULL AND v.judge IN (SELECT value FROM json_each(?)) AND EXISTS "
        "(SELECT 1 FROM calls c WHERE c.trial = v.trial AND c.version = 0 AND c.after = v.context) GROUP BY 1, 2 "
        "UNION ALL SELECT c.missing, c.detail, count(*) FROM p CROSS JOIN dialogues d ON d.trial = p.trial CROSS JOIN "
        "calls c ON c.trial = d.trial AND c.version = 0 AND c.missing = d.missing GROUP BY 1, 2",
        (*values, keys_json(judges)),
    )
    by_reason = defaultdict[str, Counter[str]](Counter)
    for reason, sentence, count in found:
        by_reason[reason][" ".join(sentence.split())] += count
    out = {}
    for reason, counts in by_reason.items():
        sentence, count = max(counts.items(), key=lambda one: (one[0] != "", one[1]))
        short = sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]}…"
        if sentence:
            out[reason] = short if len(counts) == 1 else f"{count} times {short}"
    return out
