"""What is left to do: the plan minus what the store holds, and why stored trials did not match."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from independence.engine.plan import Trial
from independence.judge.protocol import Judge, verdict_key
from independence.store import endings, queries
from independence.store.endings import FinishedTrial
from independence.types import Where, brief

_AT_ONCE = 5_000  # trials whose verdicts are in memory


class PendingTrial(msgspec.Struct, frozen=True, gc=False):
    """A trial with work left."""

    trial: Trial
    calls: int
    judges: tuple[Judge, ...]
    refused: bool = False  # a call of it was refused before, in words that leave open whether it always will be


class PendingWork(msgspec.Struct, frozen=True):
    """The plan, sorted into done and to do."""

    todo: list[PendingTrial]
    planned: int
    complete: int  # trials that need nothing more
    stale: int  # trials with an answer given on a replaced history; asked again from there
    missing: Counter[str]  # settled trials without a usable answer or verdict, by reason
    duplicates: int = 0  # trials with work left that say what another one says: asked once, in `todo` once

    __repr__ = brief


def together(parts: Sequence[PendingWork]) -> PendingWork:
    """Several plans as one."""
    counts = {name: sum(getattr(one, name) for one in parts) for name in ("planned", "complete", "stale", "duplicates")}
    missing = sum((one.missing for one in parts), Counter[str]())
    return PendingWork(todo=[item for one in parts for item in one.todo], missing=missing, **counts)


def compare(
    connection: sqlite3.Connection,
    where: Where,
    trials: Sequence[Trial],
    judges: Sequence[Judge],
    rubrics: Mapping[str, str],
) -> PendingWork:
    """Sort planned trials of an edition; `rubrics` gives each scenario's rubric digest."""
    everyone = tuple(dict.fromkeys(judges))
    keys = {trial.key for trial in trials}
    finished, unfinished = endings.read(connection, where, keys)
    missing: Counter[str] = Counter()
    todo: list[PendingTrial] = []
    refused = endings.refused(connection)
    stale = 0
    for trial, verdicts in _with_verdicts(connection, trials, finished, everyone, rubrics):
        calls, left = trial.dialogue.generated, everyone
        if (done := finished.get(trial.key)) is not None:
            calls, left = calls - done.answered, _ungraded(trial, everyone, verdicts, missing)
        elif (state := unfinished.get(trial.key)) is not None:
            stale += state.stale
            if state.settled and state.missing:
                missing[state.missing] += 1
                continue
            calls -= state.answered
        if calls or left:
            todo.append(PendingTrial(trial, calls, left, trial.key in refused))
    complete, shared = len(trials) - len(todo), 0
    if len(keys) < len(trials):
        shared = len(todo) - len({item.trial.key for item in todo})
        todo = without_duplicates(todo, rubrics)
    return PendingWork(todo, len(trials), complete=complete, stale=stale, missing=missing, duplicates=shared)


def _ungraded(
    trial: Trial, judges: Iterable[Judge], verdicts: Mapping[tuple[str, str, str], str | None], missing: Counter[str]
) -> tuple[Judge, ...]:
    """Judges who have not graded a finished dialogue; counts why verdicts of the others came to nothing."""
    left = []
    for judge in judges:
        graded = (trial.key, trial.dialogue.scenario.id, judge.name)
        if graded not in verdicts:
            left.append(judge)
        elif reason := verdicts[graded]:
            missing[reason] += 1
    return tuple(left)


def with_judges(todo: Iterable[PendingTrial], kept: Callable[[Judge], bool]) -> list[PendingTrial]:
    """The work that is left where only some of its judges are asked."""
    own = (msgspec.structs.replace(item, judges=tuple(filter(kept, item.judges))) for item in todo)
    return [item for item in own if item.calls or item.judges]


def without_duplicates(todo: Sequence[PendingTrial], rubrics: Mapping[str, str]) -> list[PendingTrial]:
    """The work in which what several places of a plan share stands once.

    A dialogue that two scenarios have in common is asked once, and graded once for each rubric digest.
    """
    places = Counter(item.trial.key for item in todo)
    asked: set[str] = set()
    graded: set[tuple[str, str, str]] = set()
    out = []
    for item in todo:
        own, trial = item, item.trial
        if places[trial.key] > 1:
            rubric = rubrics.get(trial.dialogue.scenario.id, "")
            grades = {judge: (trial.key, rubric, judge.name) for judge in item.judges}
            left = tuple(judge for judge, grade in grades.items() if grade not in graded)
            calls = item.calls if trial.key not in asked else 0
            own = msgspec.structs.replace(item, calls=calls, judges=left)
            asked.add(trial.key)
            graded.update(grades.values())
        if own.calls or own.judges:
            out.append(own)
    return out


def _with_verdicts(
    connection: sqlite3.Connection,
    trials: Sequence[Trial],
    finished: Mapping[str, FinishedTrial],
    judges: Sequence[Judge],
    rubrics: Mapping[str, str],
) -> Iterator[tuple[Trial, Mapping[tuple[str, str, str], str | None]]]:
    """Every trial, with the verdicts among which its own are, read for some trials at a time.

    (trial, scenario, judge) graded on today's dialogue and rubric -> reason where the verdict is missing.
    """
    for first in range(0, len(trials), _AT_ONCE):
        part = trials[first : first + _AT_ONCE]
        keys = {
            (trial.key, scenario, judge.name): verdict_key(done.end, rubrics[scenario], judge.settings)
            for trial in part
            if (done := finished.get(trial.key)) is not None and (scenario := trial.dialogue.scenario.id) in rubrics
            for judge in judges
        }
        stored = queries.known_verdicts(connection, set(keys.values())) if keys else {}
        verdicts = {one: stored[key] for one, key in keys.items() if key in stored}
        yield from ((trial, verdicts) for trial in part)


def differing_fields(connection: sqlite3.Connection, where: Where, trials: Iterable[Trial]) -> Counter[str]:
    """For planned trials that other editions of the suite answered in another shape: which fields differ, how often."""
    counts: Counter[str] = Counter()
    stored: dict[str, dict[str, str]] = {}
    if not queries.asked_otherwise(connection, where):
        return counts
    for trial in trials:
        config_dir = trial.subject.config_dir
        if config_dir not in stored:
            stored[config_dir] = queries.other_shapes(connection, where, config_dir)
        at = f"{trial.dialogue.condition}/{trial.dialogue.scenario.id}/{trial.run}"
        shape = stored[config_dir].get(at)
        if shape is not None and shape != trial.shape:
            old, new = msgspec.json.decode(shape), msgspec.json.decode(trial.shape)
            counts.update(field for field in new if old.get(field) != new[field])
    return counts
