"""What is left to do: the plan minus what the store holds, and why stored trials did not match."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from independence.engine.plan import Trial
from independence.judge.protocol import Judge, verdict_key
from independence.store import queries, routes
from independence.store.queries import TrialState
from independence.store.routes import PastDraws
from independence.types import Condition, Where

_FEW = 4  # of so many planned trials one is wanted: then each is looked for by its key


class PendingTrial(NamedTuple):
    """A trial with work left."""

    trial: Trial
    calls: int
    judges: tuple[Judge, ...]


class PendingWork(NamedTuple):
    """The plan, sorted into done and to do."""

    todo: list[PendingTrial]
    planned: int
    complete: int  # trials that need nothing more
    stale: int  # trials with an answer given on a replaced history; asked again from there
    missing: Counter[str]  # settled trials without a usable answer or verdict, by reason
    duplicates: int = 0  # trials with work left that say what another one says: asked once, in `todo` once


def compare(
    connection: sqlite3.Connection,
    where: Where,
    trials: Sequence[Trial],
    judges: Sequence[Judge],
    rubrics: Mapping[str, str],
) -> PendingWork:
    """Sort planned trials of an edition; `rubrics` gives each scenario's rubric digest.

    An audit of the offline judge is done where everything that was drawn for it is bought.
    """
    wanted = {trial.key for trial in trials}
    few = len(wanted) * _FEW < queries.planned_count(connection, where)
    found = queries.states(connection, where, wanted if few else None)
    states = [state for state in found if state.key in wanted]
    known = {state.key: state for state in states}
    verdicts = _graded(connection, states, judges, rubrics)
    for judge in judges:
        if judge.purchase is not None and judge.purchase.rule.audits:
            for graded in _unbought(connection, trials, known, judge, rubrics):
                verdicts.pop(graded, None)
    missing: Counter[str] = Counter()
    todo: list[PendingTrial] = []
    stale = 0
    for trial in trials:
        state = known.get(trial.key)
        stale += bool(state and state.stale)
        if state and state.settled and state.missing:
            missing[state.missing] += 1
            continue
        calls = trial.dialogue.generated - (state.answered if state else 0)
        grades = {judge: (trial.key, trial.dialogue.scenario.id, judge.name) for judge in judges}
        left = tuple(judge for judge, graded in grades.items() if graded not in verdicts)
        missing.update(reason for judge, graded in grades.items() if (reason := _lacking(judge, verdicts.get(graded))))
        if calls or left:
            todo.append(PendingTrial(trial, calls, left))
    shared = len(todo) - len({item.trial.key for item in todo})
    return PendingWork(
        without_duplicates(todo, rubrics),
        len(trials),
        complete=len(trials) - len(todo),
        stale=stale,
        missing=missing,
        duplicates=shared,
    )


def without_batch_judges(todo: Iterable[PendingTrial]) -> list[PendingTrial]:
    """The same work without judges that wait until all dialogues are finished."""
    own = [item._replace(judges=tuple(judge for judge in item.judges if not judge.waits_for_all)) for item in todo]
    return [item for item in own if item.calls or item.judges]


def without_duplicates(todo: Iterable[PendingTrial], rubrics: Mapping[str, str]) -> list[PendingTrial]:
    """The same work with what several places of a plan share in it once.

    A dialogue that two scenarios have in common is asked once, and graded once for each rubric digest.
    """
    asked: set[str] = set()
    graded: set[tuple[str, str, str]] = set()
    out = []
    for trial, calls, judges in todo:
        grades = {judge: (trial.key, rubrics.get(trial.dialogue.scenario.id, ""), judge.name) for judge in judges}
        left = tuple(judge for judge, grade in grades.items() if grade not in graded)
        fresh = calls if trial.key not in asked else 0
        asked.add(trial.key)
        graded.update(grades.values())
        if fresh or left:
            out.append(PendingTrial(trial, fresh, left))
    return out


def _graded(
    connection: sqlite3.Connection,
    states: Sequence[TrialState],
    judges: Sequence[Judge],
    rubrics: Mapping[str, str],
) -> dict[tuple[str, str, str], str | None]:
    """(trial, scenario, judge) graded on today's dialogue and rubric -> reason where the verdict is missing."""
    keys: dict[tuple[str, str, str], str] = {}
    for state in states:
        if state.end and state.scenario in rubrics:
            for judge in judges:
                key = verdict_key(state.end, rubrics[state.scenario], judge.settings)
                keys[state.key, state.scenario, judge.name] = key
    stored = queries.known_verdicts(connection, set(keys.values()))
    return {graded: stored[key] for graded, key in keys.items() if key in stored}


def _lacking(judge: Judge, reason: str | None) -> str | None:
    """Why a verdict is missing; of judges that buy some, being unsure is no reason: their estimates allow for it."""
    return None if judge.purchase is not None and reason == "unsure" else reason


class PurchasableVerdict(NamedTuple):
    """A finished dialogue before a judge that buys verdicts."""

    key: str  # of the judge's own verdict
    purchase_key: str  # of the model's
    cell: tuple[Condition, str]  # condition and scenario


class PurchasableVerdicts(NamedTuple):
    """Finished dialogues before such a judge."""

    by_dialogue: Mapping[tuple[str, str], PurchasableVerdict]  # by trial and scenario
    stored_keys: frozenset[str]  # the model's verdicts that are stored
    past: Mapping[Condition, Mapping[str, PastDraws]] = MappingProxyType({})  # earlier draws of a hybrid, by scenario


def purchasable_verdicts(
    connection: sqlite3.Connection,
    trials: Iterable[Trial],
    states: Mapping[str, TrialState],
    judge: Judge,
    rubrics: Mapping[str, str],
) -> PurchasableVerdicts:
    """Every finished dialogue of a plan before a judge that buys verdicts; `states` by key."""
    assert judge.purchase is not None
    own, model = judge.settings, judge.purchase.auditor.settings
    out = {}
    for trial in trials:
        scenario, state = trial.dialogue.scenario.id, states.get(trial.key)
        if state is not None and state.end and scenario in rubrics:
            key, bought = (verdict_key(state.end, rubrics[scenario], settings) for settings in (own, model))
            out[trial.key, scenario] = PurchasableVerdict(key, bought, (trial.dialogue.condition, scenario))
    there = queries.known_verdicts(connection, {sale.purchase_key for sale in out.values()})
    return PurchasableVerdicts(out, frozenset(there))


def _unbought(
    connection: sqlite3.Connection,
    trials: Sequence[Trial],
    states: Mapping[str, TrialState],
    judge: Judge,
    rubrics: Mapping[str, str],
) -> Iterator[tuple[str, str, str]]:
    """Verdicts of the offline judge in scenarios of which too few are drawn, or that were drawn and not bought."""
    assert judge.purchase is not None
    found, there, _ = purchasable_verdicts(connection, trials, states, judge, rubrics)
    known = routes.known(connection, [sale.key for sale in found.values()], judge.purchase.auditor.name)
    drawn = {key for key, route in known.items() if route.way != "offline"}
    cells: dict[tuple[Condition, str], set[str]] = {}
    for sale in found.values():
        cells.setdefault(sale.cell, set()).add(sale.key)
    for place, sale in found.items():
        own = cells[sale.cell]
        enough = len(own & drawn) >= min(judge.purchase.rule.least, len(own))
        if not enough or sale.key not in known or (sale.key in drawn and sale.purchase_key not in there):
            yield (*place, judge.name)


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
