"""What a store holds as it changes: who works on it, and how far every dialogue is."""

from __future__ import annotations

import itertools
import re
import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

from independence.report.pages.schema import SCHEMA
from independence.report.pages.served import ChangesDocument, LiveCell, LiveDocument, LiveFailure
from independence.report.pages.slugs import slug
from independence.store import live, progress, scopes
from independence.store.file import digests
from independence.store.live import UnansweredCall
from independence.store.scopes import BoardScope

MOST_FAILURES: Final = 100
# The sums of what boards read, except for when each command was last at work.
_RESULTS: Final = (
    "SELECT (SELECT group_concat(name || ' ' || rows || ' ' || digests) "
    f"FROM {digests.TALLIES} WHERE name <> 'sessions') || (SELECT total(spent_usd) FROM sessions) "
    "|| (SELECT count(*) || coalesce(max(extracted_at), '') FROM names)"
)
_NUMBERED: Final = re.compile(r"\S*\d\S*")  # of a time, an id of the request, a count


class StoreVersion:
    """Tells when any process has changed the store. `str` of it is another one after each change of results."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._start = secrets.token_hex(4)  # a version means nothing to a server that is started anew
        self._at, self._results, self._number = -1, "", 0

    @property
    def moment(self) -> int:
        """Another one after any change at all: a run says once a second how it stands, with nothing new in it."""
        (moment,) = self._connection.execute("PRAGMA data_version").fetchone()
        return int(moment)

    def __str__(self) -> str:
        if self._at != (moment := self.moment):
            (results,) = self._connection.execute(_RESULTS).fetchone()
            self._number += results != self._results
            self._at, self._results = moment, results
        return f"{self._start}-{self._number}"


def changes(connection: sqlite3.Connection, version: str, at: float, *, writable: bool) -> ChangesDocument:
    """Who works on the store. `at`: what the time is, as the page shows how long ago something was."""
    runs = tuple(progress.read(connection))
    return ChangesDocument(schema=SCHEMA, version=version, at=at, writable=writable, runs=runs)


def board(connection: sqlite3.Connection, name: str, scope: BoardScope) -> LiveDocument:
    """How far every dialogue of a board is."""
    cells: dict[tuple[str, str], LiveCell] = {}
    labels: dict[str, str] = {}
    failures: dict[tuple[str, ...], list[tuple[str, UnansweredCall]]] = {}
    answers = verdicts = 0
    for one in scope.editions:
        known = scopes.of_edition(connection, one.where)
        for found in live.counts(connection, one.where):
            if found.config_dir in one.aside:
                continue
            key = scope.key(one.where, found.config_dir)
            labels[key] = known[found.config_dir].label
            states = (found.planned, found.running, found.done, found.judged, found.failed)
            cells[key, found.scenario] = (*states, found.run)
            answers, verdicts = answers + found.answers, verdicts + found.verdicts
        for lost in live.unanswered(connection, one.where):
            if lost.config_dir not in one.aside:
                key = scope.key(one.where, lost.config_dir)
                alike = (key, lost.kind, _NUMBERED.sub("#", lost.detail))
                failures.setdefault(alike, []).append((key, lost))
    planned, known_to_suite = {scenario for _, scenario in cells}, [one.id for one in scope.suite.scenarios]
    order = [*(one for one in known_to_suite if one in planned), *sorted(planned - set(known_to_suite))]
    return LiveDocument(
        schema=SCHEMA, board=name, subjects=tuple(map(slug, labels)), labels=tuple(labels.values()),
        scenarios=tuple(order), answers=answers, verdicts=verdicts,
        cells=tuple(tuple(cells.get((key, scenario)) for scenario in order) for key in labels),
        failures=tuple(_failure(labels, alike) for alike in itertools.islice(failures.values(), MOST_FAILURES)),
    )  # fmt: skip


def _failure(labels: Mapping[str, str], alike: Sequence[tuple[str, UnansweredCall]]) -> LiveFailure:
    """Calls that came to nothing in the same words, the newest first."""
    key, last = alike[0]
    return LiveFailure(
        subject=slug(key), label=labels[key], what=last.what, kind=last.kind, detail=last.detail, times=len(alike),
        scenarios=len({one.scenario for _, one in alike}), scenario=last.scenario, run=last.run, at=last.at,
    )  # fmt: skip
