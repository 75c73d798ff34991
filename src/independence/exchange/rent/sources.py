"""What is read of a store before any record of a run folder is made."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

import msgspec

from independence.exchange import chosen
from independence.exchange.rent import storing
from independence.exchange.rent.own import Record
from independence.exchange.rent.storing import Beside
from independence.exchange.requests import Requests
from independence.report import place as places
from independence.report.place import Place
from independence.store import exported, queries
from independence.store.exported import GivenAnswer, GivenVerdict, Spot
from independence.suites import digest

_BESIDE = msgspec.json.Decoder(Beside)


class Sources(NamedTuple):
    """One place under one judge, for the chosen subjects. Stale answers and verdicts on other words are left out."""

    place: Place
    judge: str | None
    judged_at: str  # when it did so last, ISO 8601; empty without verdicts
    judges: tuple[str, ...]  # all who graded here
    models: Mapping[str, str]  # config_dir -> model as the records name it
    simulated: bool  # all subjects are
    spots: tuple[Spot, ...]
    answers: Mapping[str, GivenAnswer]  # by trial
    verdicts: Mapping[str, GivenVerdict]  # by trial
    files: Mapping[tuple[str, int, str], bytes]  # what is kept beside: by config_dir, run, name
    requests: Requests

    def beside(self, spot: Spot, name: str) -> Beside | None:
        """What is kept beside a row of an import."""
        content = self.files.get((spot.config_dir, spot.run, name))
        return _BESIDE.decode(content) if content else None


def read(connection: sqlite3.Connection, place: Place, judge: str | None, names: Collection[str]) -> Sources:
    """Read a place. Raises StoreError for a name that nothing here has."""
    name, condition = place.suite.suite, (place.variant, place.mode)
    about = chosen.subjects(connection, place, names)
    graded = queries.verdicts(connection, name, place.edition, condition)
    by_whom, judges = judge or places.usual_judge(graded), tuple(sorted({verdict.judge for verdict in graded}))
    states = {state.key: state for state in queries.states(connection, name, place.edition, condition)}
    spots = tuple(
        spot
        for spot in exported.spots(connection, name, place.edition)
        if (spot.variant, spot.mode) == condition and spot.config_dir in about
    )
    simulated = all(about[spot.config_dir].simulated for spot in spots)
    verdicts = _verdicts(connection, place, by_whom, {key: state.at for key, state in states.items()})
    judged_at = max((row.judged_at for row in verdicts.values()), default="")
    return Sources(
        place, by_whom, judged_at, judges, chosen.model_names(about), simulated, spots,
        {
            spot.trial: row for spot, row in exported.answers(connection, name, place.edition)
            if spot.trial in states and not states[spot.trial].stale
        },
        verdicts,
        {
            (one.config_dir, one.run, one.name): one.content
            for one in exported.sidecars(connection, name, place.edition, "") if one.config_dir in about
        },
        Requests(connection, place),
    )  # fmt: skip


def as_it_came(line: Record, beside: Beside | None) -> Record:
    """A record with every value that was published, further keys at its end; what the tables say is theirs to say."""
    kept = beside.record.items() if beside else ()
    theirs = ("score", *storing.TEXTS)
    return line | {name: json.loads(bytes(value)) for name, value in kept if name not in theirs}


def run_ids(sources: Sources) -> dict[tuple[str, int], int]:
    """(config_dir, run) -> run id: an import's own, else the second at which the first answer of that run came."""
    began: dict[int, int] = {}
    for spot in sources.spots:
        if spot.trial in sources.answers:
            at = _seconds(sources.answers[spot.trial].answered_at)
            began[spot.run] = min(at, began.get(spot.run, at))
    taken: set[int] = set()
    for run in sorted(began):
        while began[run] in taken:  # runs may share a second, their ids may not
            began[run] += 1
        taken.add(began[run])
    out = {}
    for spot in sources.spots:
        kept = sources.files.get((spot.config_dir, spot.run, storing.RUN_ID))
        out[spot.config_dir, spot.run] = int(kept) if kept else began.get(spot.run, 0)
    return out


def _verdicts(
    connection: sqlite3.Connection, place: Place, judge: str | None, ends: Mapping[str, str | None]
) -> dict[str, GivenVerdict]:
    """The judge's verdict on each dialogue as it is now, under the edition's rubric before the published one."""
    rubrics = {scenario.id: digest.rubric(place.suite, scenario) for scenario in place.suite.scenarios}
    out: dict[str, GivenVerdict] = {}
    for spot, row in exported.verdicts(connection, place.suite.suite, place.edition):
        if row.judge != judge or spot.trial not in ends or row.context != ends[spot.trial]:
            continue
        if row.rubric == rubrics.get(spot.scenario) or (row.rubric == queries.PUBLISHED and spot.trial not in out):
            out[spot.trial] = row
    return out


def _seconds(stamp: str) -> int:
    try:
        return int(datetime.fromisoformat(stamp).timestamp())
    except (ValueError, OverflowError):
        return 0
