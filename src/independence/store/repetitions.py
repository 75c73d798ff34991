"""Which answers of a run repeat others of the same run: found once, when they are there, and kept.

What is kept holds for the answers that were compared; for others it is found anew. How answers are compared, their
caller knows (`judge.replies.repeated_answers`).
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import msgspec

from independence.errors import StoreError
from independence.store import context
from independence.store.dialogue_rows import DIGITS
from independence.store.file import digests
from independence.store.planned_dialogues import SubjectRun
from independence.store.queries import UNDER, keys_json
from independence.types import Where

Signs = Mapping[str, str]
"""Scenario -> a sign for each answer there; of scenarios of which nothing is to be said there is none."""
Compare = Callable[[Mapping[str, Sequence[str]]], Signs]
"""Scenario -> the texts of the answers of one run."""
_DIGITS = 16
_decode = msgspec.json.Decoder(dict[str, str]).decode


class RunAnswers(NamedTuple):
    """The dialogues of a run, by scenario."""

    scenarios: Sequence[str]
    trials: Sequence[str]
    said: Sequence[str]  # digests of the answers of each; empty without any

    @property
    def digest(self) -> str:
        """Of all answers and what they answer."""
        text = "\n".join(map(" ".join, zip(self.scenarios, self.said, strict=True)))
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def of_runs(
    connection: sqlite3.Connection, where: Where, runs: Mapping[SubjectRun, RunAnswers], compare: Compare
) -> dict[SubjectRun, Signs]:
    """What is to be said of some runs; what is not kept is found now. Raises StoreError for a damaged store."""
    sql = f"SELECT config_dir, run, answers, repeated FROM repetitions WHERE {UNDER}"
    kept = {SubjectRun(*row[:2]): row[2:] for row in connection.execute(sql, where.columns)}
    out = dict[SubjectRun, Signs]()
    for run, own in runs.items():
        answers, repeated = kept.get(run, ("", ""))
        if answers == own.digest:
            out[run] = {} if repeated == "{}" else _decode(repeated)
        else:
            texts, trials = reply_texts(connection, own.trials), zip(own.scenarios, own.trials, strict=True)
            out[run] = compare({scenario: texts[trial] for scenario, trial in trials if trial in texts})
    return out


def keep(connection: sqlite3.Connection, where: Where, config_dirs: Iterable[str], compare: Compare) -> None:
    """Find and keep what is to be said of the runs of some subjects, inside the caller's transaction.

    Raises StoreError for a damaged store.
    """
    found = connection.execute(
        "SELECT p.config_dir, p.run, p.scenario, p.trial, ifnull(d.said, '') FROM planned p LEFT JOIN dialogues d "
        f"ON d.trial = p.trial WHERE {UNDER} AND p.config_dir IN (SELECT value FROM json_each(?)) "
        "ORDER BY p.config_dir, p.run, p.scenario",
        (*where.columns, keys_json(config_dirs)),
    )
    runs = {
        SubjectRun(*run): RunAnswers(*zip(*(row[2:] for row in own), strict=True))
        for run, own in groupby(found, itemgetter(0, 1))
    }
    names = ("suite", "edition", "variant", "mode")
    rows = [
        {**dict(zip(names, where.columns, strict=True)), **run._asdict(), "answers": runs[run].digest,
         "repeated": msgspec.json.encode(signs).decode()}
        for run, signs in of_runs(connection, where, runs, compare).items()
    ]  # fmt: skip
    digests.insert(connection, "repetitions", rows, dict.fromkeys(("answers", "repeated")))


def reply_texts(connection: sqlite3.Connection, trials: Iterable[str]) -> dict[str, list[str]]:
    """The replies of trials that are in line, by turn. Raises StoreError for those that are not as they were given.

    Their table has no digests: `dialogues` has.
    """
    found = connection.execute(
        "SELECT d.trial, d.said, c.text, c.thinking FROM json_each(?) k JOIN dialogues d ON d.trial = k.value "
        "LEFT JOIN calls c ON c.trial = d.trial AND c.version = 0 AND c.missing IS NULL ORDER BY d.trial, c.turn",
        (keys_json(dict.fromkeys(trials)),),  # scenarios of the same words share one
    )
    out: dict[str, list[str]] = {}
    for (trial, said), own in groupby(found, itemgetter(0, 1)):
        texts = [(str(text), str(thinking)) for *_, text, thinking in own][: len(said) // DIGITS]
        if "".join(context.digest(*words)[:DIGITS] for words in texts) != said:
            what = f"the store is damaged (calls: the answers of {trial} are not as they were given)"
            raise StoreError(what, digests.REMEDY)
        out[trial] = [text for text, _ in texts]
    return out
