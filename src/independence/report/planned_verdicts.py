"""Every planned verdict of a place as a cell: its values, or why there are none."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import NamedTuple

from independence.report.judge_choice import as_full, usual_judge
from independence.report.repeats import Repeats, leave_out
from independence.stats import validity
from independence.stats.validity import ReplyWords, void_reason
from independence.store import queries
from independence.store.queries import TrialState
from independence.store.scopes import BoardScope, grading
from independence.suites import digest
from independence.types import Scalar

REREAD = "reread_verdict"  # the flag of a verdict that its publisher could not read
OUR_RUBRIC = "our_rubric"  # the flag of a verdict on an imported dialogue that a judge gave by a rubric of ours


class PlannedVerdict(NamedTuple):
    """One planned verdict. Exactly one of `values` and `missing` is set."""

    config_dir: str
    experiment: str
    scenario: str
    run: int
    values: dict[str, Scalar] | None
    missing: str | None
    given: dict[str, Scalar] | None  # the verdict as it was given, void or partial dialogues included
    flags: tuple[str, ...]


class PlannedVerdicts(NamedTuple):
    """All planned verdicts of a place under one judge, those on replies that only repeat earlier ones left out."""

    judge: str | None
    planned: list[PlannedVerdict]
    repeats: Repeats = Repeats()
    thinking: frozenset[str] = frozenset()  # config_dirs of those whose answers took reasoning tokens
    as_full: tuple[str, ...] = ()  # where no judge was asked for: others that graded as much


def planned_verdicts(connection: sqlite3.Connection, scope: BoardScope, asked_judge: str | None) -> PlannedVerdicts:
    """Read a place, under the asked judge or the usual one."""
    where = scope.where
    stored = queries.verdicts(connection, where)
    name = asked_judge or usual_judge(stored)
    suite = grading(connection, scope)
    rubrics = {s.id: digest.rubric(suite, s) for s in suite.scenarios}
    by_dialogue = {(v.trial, v.context, v.rubric): v for v in stored if v.judge == name}
    planned = []
    states, repeats = leave_out(connection, scope, queries.states(connection, where))
    unanswered = {} if queries.imported(scope.edition) else _unanswered(states)
    for state in states:
        verdict = None
        for rubric in (rubrics.get(state.scenario, ""), queries.PUBLISHED, queries.REREAD):
            verdict = verdict or by_dialogue.get((state.key, state.at or "", rubric))
        given = verdict.fields if verdict and verdict.missing is None else None
        marked = unanswered.get((state.config_dir, state.scenario, state.run), ())
        missing = _missing(state, verdict) or (validity.NO_ANSWER if marked else None)
        flags = (*state.flags, *_marks(scope, verdict), *marked)
        planned.append(
            PlannedVerdict(
                state.config_dir, state.experiment, state.scenario, state.run,
                given if missing is None else None, missing, given, flags,
            )
        )  # fmt: skip
    return PlannedVerdicts(
        name,
        planned,
        repeats,
        frozenset(state.config_dir for state in states if state.thought),
        as_full(stored, name) if asked_judge is None else (),
    )


def _marks(scope: BoardScope, verdict: queries.StoredVerdict | None) -> list[str]:
    """What is particular about a verdict on an import."""
    if verdict is None or not queries.imported(scope.edition) or verdict.rubric == queries.PUBLISHED:
        return []
    return [REREAD if verdict.rubric == queries.REREAD else OUR_RUBRIC]


def _unanswered(states: Sequence[TrialState]) -> dict[tuple[str, str, int], tuple[str, ...]]:
    """Dialogues with replies that are no answers, of subjects of whose replies half or more are none -> their marks."""
    said: dict[str, list[tuple[tuple[str, str, int], ReplyWords]]] = {}
    for state in states:
        spot = (state.config_dir, state.scenario, state.run)
        for turn, reply in enumerate(state.replies):
            one = ReplyWords((state.scenario, turn), reply.words, validity.NO_ANSWER in reply.flags)
            said.setdefault(state.config_dir, []).append((spot, one))
    out: dict[tuple[str, str, int], tuple[str, ...]] = {}
    for own in said.values():
        replies = [one for _, one in own]
        again = validity.repeated(replies)
        for (spot, _), none, twice in zip(own, validity.no_answers(replies), again, strict=True):
            if none:
                out[spot] = (*out.get(spot, ()), validity.UNANSWERED, *((validity.REPEATED,) if twice else ()))
    return out


def _missing(state: queries.TrialState, verdict: queries.StoredVerdict | None) -> str | None:
    if state.missing is not None:
        return state.missing
    if state.stale:
        return "stale"
    if state.end is None:
        return "not_run"
    if verdict is None:
        return "unjudged"
    return verdict.missing or void_reason(state.flags)


def reasons(cells: Collection[PlannedVerdict]) -> dict[str, int]:
    """How many planned verdicts are missing, by reason."""
    counts: dict[str, int] = {}
    for cell in cells:
        if cell.missing is not None:
            counts[cell.missing] = counts.get(cell.missing, 0) + 1
    return dict(sorted(counts.items()))
