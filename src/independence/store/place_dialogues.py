"""The dialogues of an edition under a condition with what judges made of them: one join."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from independence.errors import StoreError
from independence.store import context, digests, spending
from independence.store.dialogue_rows import DIGITS
from independence.store.queries import UNDER, JudgeCounts, keys_json
from independence.store.spending import Dates
from independence.types import Where

# Finished, not begun on another dialogue and without a mark; graded as it is now, with values, no quotation made up.
_DONE = "f.answered = p.turns AND NOT f.broken"
_PLAIN = (
    f"{_DONE} AND p.parent IS NULL AND f.start_context IS NULL AND f.flags IS NULL AND v.context = f.at "
    "AND v.missing IS NULL AND v.quote_found IS NOT 0 AND v.field_set IS NOT NULL"
)
_READ = (
    f"SELECT p.config_dir, p.run, p.scenario, p.experiment, p.trial, ifnull({_PLAIN}, 0), iif({_DONE}, f.said, NULL), "
    f"iif({_DONE}, f.words, NULL), {_DONE} AND f.thought, f.first_at, f.last_at, v.judge, v.judge IS NOT NULL AND "
    "v.missing IS NULL, v.rubric, v.field_set, v.field_values, v.judged_at FROM planned p "
    "LEFT JOIN dialogues f ON f.trial = p.trial LEFT JOIN verdicts v INDEXED BY verdicts_short ON v.trial = p.trial"
)


class PlacedVerdict(NamedTuple):
    """A planned dialogue with a verdict on it; no judge where there is none."""

    config_dir: str
    run: int
    scenario: str
    experiment: str
    trial: str
    plain: int  # whether nothing is to be said of it but what stands here
    said: str | None  # as of a `TrialState`; None while it is unfinished, as the next four
    words: str | None
    thought: int | None
    first_at: str | None
    last_at: str | None
    judge: str | None
    valid: int  # whether a verdict came, and is not missing
    rubric: str | None
    layout: int | None  # row in `field_sets`
    values: bytes | None
    judged_at: str | None


class PlaceRead(NamedTuple):
    """What a place holds under one judge, and who graded there."""

    verdicts: list[PlacedVerdict]
    judges: list[JudgeCounts]


def read(connection: sqlite3.Connection, where: Where) -> PlaceRead | None:
    """The dialogues of an edition under a condition; None where several judges graded."""
    graded = f"SELECT DISTINCT judge FROM verdicts WHERE trial = (SELECT trial FROM planned WHERE {UNDER} LIMIT 1)"
    if len(connection.execute(graded, where.columns).fetchall()) > 1:
        return None
    found = _verdicts(connection, where)
    valid = Counter(one.judge for one in found if one.valid)
    names = {one.judge for one in found} - {None}
    return PlaceRead(found, [JudgeCounts(name, valid[name]) for name in names if name]) if len(names) < 2 else None


def under_judge(connection: sqlite3.Connection, where: Where, judge: str | None) -> list[PlacedVerdict]:
    """The same of one judge among several, or of none."""
    return _verdicts(connection, where, " AND v.judge = ?", judge)


def _verdicts(connection: sqlite3.Connection, where: Where, of: str = "", *judge: str | None) -> list[PlacedVerdict]:
    """By config_dir, run and scenario; several verdicts on a dialogue one after the other."""
    found = connection.execute(f"{_READ}{of} WHERE {UNDER}", (*judge, *where.columns)).fetchall()
    return list(map(PlacedVerdict._make, sorted(found, key=itemgetter(0, 1, 2))))


def newest(found: Sequence[PlacedVerdict], rubrics: Mapping[str, str]) -> list[PlacedVerdict]:
    """One verdict a dialogue: of several that count alike the newest; one to be looked at before all others.

    `rubrics`: scenario -> digest that its verdicts count under.
    """
    out = []
    for _, dialogue in groupby(found, itemgetter(0, 1, 2)):
        first, *others = dialogue
        if others:
            own = [first, *others]
            counting = [one for one in own if one.rubric == rubrics.get(one.scenario)] or own
            latest = max(reversed(counting), key=lambda one: one.judged_at or "")
            first = next((one for one in own if not one.plain), latest)
        out.append(first)
    return out


def dates(found: Sequence[PlacedVerdict]) -> Dates:
    """First and last answer, and valid verdict."""
    answered = [at for one in found for at in (one.first_at, one.last_at)]
    return spending.ends(answered, (one.judged_at for one in found if one.valid))


def reply_texts(connection: sqlite3.Connection, trials: Iterable[str]) -> dict[str, list[str]]:
    """The replies of trials that are in line, by turn. Raises StoreError for those that are not as they were given.

    Boards read them, and their table has no digests: `dialogues` has.
    """
    found = connection.execute(
        "SELECT d.trial, d.said, c.text, c.thinking FROM json_each(?) k JOIN dialogues d ON d.trial = k.value "
        "LEFT JOIN calls c ON c.trial = d.trial AND c.version = 0 AND c.missing IS NULL ORDER BY d.trial, c.turn",
        (keys_json(trials),),
    )
    out: dict[str, list[str]] = {}
    for (trial, said), own in groupby(found, itemgetter(0, 1)):
        texts = [(str(text), str(thinking)) for *_, text, thinking in own][: len(said) // DIGITS]
        if "".join(context.digest(*words)[:DIGITS] for words in texts) != said:
            what = f"the store is damaged (calls: the answers of {trial} are not as they were given)"
            raise StoreError(what, digests.REMEDY)
        out[trial] = [text for text, _ in texts]
    return out
