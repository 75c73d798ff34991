"""The planned verdicts of one edition under one judge, those on dialogues that only repeat earlier ones left out.

Most dialogues are finished, graded once and without a mark: nothing is to be said of them but their values, and one
join brings these. All others are looked at one by one, and so is a subject whose replies may repeat each other.
"""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from independence.judge import kinds, protocol
from independence.judge.replies import repeated_answers
from independence.judge.replies.repeated_answers import ReplyToQuestion
from independence.report import repeats
from independence.report.repeats import Repeats
from independence.report.verdict_cells import MISQUOTED, OUR_RUBRIC, REREAD, PlannedVerdict, grouped
from independence.stats import engagement, strict
from independence.stats.engagement import FieldRequirements
from independence.stats.strict import void_reason
from independence.store import field_values, place_dialogues, queries, routes
from independence.store.dialogue_rows import UNKNOWN
from independence.store.place_dialogues import PlacedVerdict
from independence.store.queries import StoredVerdict, TrialState
from independence.store.scopes import BoardScope, grading
from independence.store.spending import Dates
from independence.suites import digest
from independence.suites.schema import Suite
from independence.types import Scalar

Spot = tuple[str, str, int]  # config_dir, scenario, run
_SAMPLES = 8  # of so many replies one has the sample of another where half may repeat others


class EditionVerdicts(NamedTuple):
    """By config_dir, in its order; of each subject by run and scenario."""

    subjects: Mapping[str, Sequence[PlannedVerdict]]
    repeats: Repeats = Repeats()
    thinking: frozenset[str] = frozenset()  # config_dirs of those whose answers took reasoning tokens
    dates: Dates | None = None  # None where they were read one by one


class _Grading(NamedTuple):
    """By what the verdicts of an edition under a judge count."""

    suite: Suite
    imported: bool  # dialogues and verdicts stay as they were published
    rubrics: Mapping[str, str]  # scenario -> digest
    required: Mapping[str, FieldRequirements]  # by scenario
    predicted: Mapping[tuple[str, str, str], Mapping[str, float]]  # (trial, context, rubric) -> unrounded values
    read: frozenset[str]  # fields of the index

    def cell(
        self, state: TrialState, found: Mapping[tuple[str, str, str], StoredVerdict], marked: tuple[str, ...] = ()
    ) -> PlannedVerdict:
        """A dialogue; `found` by trial, context and rubric; `marked`: why its replies are no answers."""
        verdict = None
        for rubric in (self.rubrics.get(state.scenario, ""), queries.PUBLISHED, queries.REREAD):
            verdict = verdict or found.get((state.key, state.at or "", rubric))
        given = verdict.fields if verdict and verdict.missing is None else None
        missing = state.missing
        if missing is None and state.stale:
            missing = "stale"
        elif missing is None and state.end is None:
            missing = "not_run"
        elif missing is None:
            missing = (verdict.missing or void_reason(state.flags)) if verdict else "unjudged"
        missing = missing or (strict.NO_ANSWER if marked else None)
        flags = [*state.flags]
        if self.imported and verdict and verdict.rubric != queries.PUBLISHED:
            if verdict.rubric == queries.REREAD:
                flags.append(REREAD)
            elif not self.suite.judged_as_published:
                flags.append(OUR_RUBRIC)
        if verdict and verdict.quote_found is False:
            flags.append(MISQUOTED)
        predicted = self.predicted.get((verdict.trial, verdict.context, verdict.rubric), {}) if verdict else {}
        exact = {name: predicted[name] for name in predicted.keys() & self.read}
        by_this_rubric = verdict is not None and verdict.rubric == self.rubrics.get(state.scenario)
        needed = self.required.get(state.scenario) if by_this_rubric else None
        values, evaded = _counted({**given, **exact} if given is not None and missing is None else None, needed)
        return PlannedVerdict(
            config_dir=state.config_dir,
            experiment=state.experiment,
            scenario=state.scenario,
            run=state.run,
            values=values,
            missing=missing,
            given=given,
            flags=(*flags, *marked, *[engagement.EVADED] * bool(evaded)),
            evadable=evaded is not None,
            predicted=predicted or None,
        )

    def plain(self, connection: sqlite3.Connection) -> Callable[[PlacedVerdict], PlannedVerdict]:
        """How a verdict is read of which there is nothing to say but its values; equal ones are read once."""
        layouts = field_values.layouts(connection)

        @functools.cache
        def alike(scenario: str, layout: int | None, packed: bytes | None) -> tuple[Any, ...]:
            (given,) = layouts[layout or 0].read(packed or b"", 1)
            values, evaded = _counted(given, self.required.get(scenario))
            return values, None, given, (engagement.EVADED,) if evaded else (), evaded is not None

        return lambda row: PlannedVerdict(
            row.config_dir, row.experiment, row.scenario, row.run, *alike(row.scenario, row.layout, row.values)
        )


def read(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None, placed: Sequence[PlacedVerdict] | None
) -> EditionVerdicts:
    """Read one edition; `placed`: its dialogues with the verdicts of that judge, where they are at hand."""
    suite = grading(connection, scope)
    by = _Grading(
        suite=suite,
        imported=queries.imported(scope.edition),
        rubrics={s.id: digest.rubric(suite, s) for s in suite.scenarios},
        required=engagement.requirements(suite),
        predicted=_predicted(connection, scope, judge),
        read=frozenset(strict.frame(suite).fields if suite.index else ()),
    )
    if by.imported or placed is None:
        return _one_by_one(connection, scope, judge, by)
    found = place_dialogues.newest(placed, by.rubrics)
    flagged = {one.trial for one in found if not one.plain or one.rubric != by.rubrics.get(one.scenario)}
    states = [one for one in queries.states(connection, scope.where, flagged) if one.key in flagged] if flagged else []
    verdicts = _by_dialogue(queries.verdicts(connection, scope.where, judge, flagged)) if flagged else {}
    own = grouped(states, lambda state: state.config_dir)
    dialogues = grouped(found, lambda one: one.config_dir)
    compared = {config for config, one in dialogues.items() if _repeats(one, own.get(config, ()))}
    whole = _one_by_one(connection, scope, judge, by, compared) if compared else EditionVerdicts({})
    looked_at = {(state.config_dir, state.run, state.scenario): by.cell(state, verdicts) for state in states}
    plain = by.plain(connection)
    subjects = {
        config: whole.subjects.get(config, ())
        if config in compared
        else [looked_at.get(row[:3]) or plain(row) for row in rows]
        for config, rows in dialogues.items()
    }
    thinking = {one.config_dir for one in found if one.thought} | {one.config_dir for one in states if one.thought}
    return EditionVerdicts(subjects, whole.repeats, whole.thinking | thinking, place_dialogues.dates(placed))


def _repeats(own: Sequence[PlacedVerdict], others: Sequence[TrialState]) -> bool:
    """Whether a subject may have replies that repeat others, so that its dialogues are to be compared.

    `others`: those of its dialogues that are looked at one by one.
    """
    said = [(one.scenario, one.said) for one in own if one.said is not None]
    if len(set(said)) < len(said):
        runs: dict[int, dict[str, str | None]] = {}
        for one in own:
            runs.setdefault(one.run, {})[one.scenario] = one.said
        if any(repeats.REPLAYED in state.flags for state in others) or repeats.equal_runs(runs):
            return True
    replies = [reply for state in others for reply in state.replies]
    words = [*queries.digests("".join(one.words or "" for one in own)), *(reply.words or UNKNOWN for reply in replies)]
    return _suspect(words, sum(strict.NO_ANSWER in reply.flags for reply in replies))


def _one_by_one(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    by: _Grading,
    only: Collection[str] | None = None,
) -> EditionVerdicts:
    """Every dialogue of an edition, or of some of its subjects."""
    trials = None if only is None else queries.trials_of(connection, scope.where, only)
    every = queries.states(connection, scope.where, trials)
    there = every if only is None else [state for state in every if state.config_dir in only]
    found = _by_dialogue(queries.verdicts(connection, scope.where, judge, trials))
    states, left_out = (there, Repeats()) if by.imported else repeats.leave_out(connection, scope.where, there)
    unanswered = {} if by.imported else _unanswered(connection, by.suite, states)
    cells = [
        by.cell(state, found, unanswered.get((state.config_dir, state.scenario, state.run), ())) for state in states
    ]
    thinking = frozenset(state.config_dir for state in states if state.thought)
    return EditionVerdicts(grouped(cells, lambda cell: cell.config_dir), left_out, thinking)


def _by_dialogue(verdicts: Iterable[StoredVerdict]) -> dict[tuple[str, str, str], StoredVerdict]:
    return {(verdict.trial, verdict.context, verdict.rubric): verdict for verdict in verdicts}


def _predicted(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None
) -> dict[tuple[str, str, str], dict[str, float]]:
    """What was predicted where no verdict was bought, of texts that the judge was trained on."""
    if judge is None or scope.suite.index is None or not kinds.of(judge).predicts:
        return {}
    stored = routes.unbought(connection, scope.where, judge, hybrid=kinds.of(judge).repeats_bought)
    found = ((place, protocol.read_prediction(prediction)) for place, prediction in stored.items())
    return {place: one.values for place, one in found if one.known}


def _counted(
    given: dict[str, Scalar] | None, own: FieldRequirements | None
) -> tuple[dict[str, Scalar] | None, bool | None]:
    """What counts of a verdict, and whether the subject evaded; None where it does not say."""
    return (given, None) if given is None or own is None else engagement.counted(given, own)


def _unanswered(
    connection: sqlite3.Connection, suite: Suite, states: Sequence[TrialState]
) -> dict[Spot, tuple[str, ...]]:
    """Dialogues with replies that are no answers, of subjects of whose replies half or more are none -> their marks.

    In a grid all who ask about a cell ask one question: a good adviser tells them the same.
    """
    cells = {scenario.id: scenario.cell or scenario.id for scenario in suite.scenarios}
    out: dict[Spot, tuple[str, ...]] = {}
    for own in grouped(states, lambda state: state.config_dir).values():
        replies = [reply for state in own for reply in state.replies]
        marked = sum(strict.NO_ANSWER in reply.flags for reply in replies)
        if not _suspect([reply.words or UNKNOWN for reply in replies], marked):
            continue
        texts = place_dialogues.reply_texts(connection, {state.key for state in own})
        said = [
            (state, flags, ReplyToQuestion((cells.get(state.scenario, state.scenario), turn), text))
            for state in own
            for turn, (flags, text) in enumerate(zip(state.reply_flags, texts.get(state.key, ()), strict=False))
        ]
        again = [False] * len(said)  # which of them repeat others of their run
        runs: dict[int, list[int]] = {}
        for at, (state, *_) in enumerate(said):
            runs.setdefault(state.run, []).append(at)
        for places in runs.values():
            found = repeated_answers.repeated([said[at][2] for at in places], whole=suite.grid is not None)
            for at, twice in zip(places, found, strict=True):
                again[at] = twice
        lacking = [strict.NO_ANSWER in flags or twice for (_, flags, _), twice in zip(said, again, strict=True)]
        for (state, *_), none, twice in zip(said, strict.no_answers(lacking), again, strict=True):
            if none:
                spot = (state.config_dir, state.scenario, state.run)
                out[spot] = (*out.get(spot, ()), strict.UNANSWERED, *((strict.REPEATED,) if twice else ()))
    return out


def _suspect(words: Sequence[str], marked: int) -> bool:
    """Whether half of a subject's replies may be no answers, told without their texts.

    `words`: a sample of each. Replies that share most of their words share their sample often; of others only short
    ones do.
    """
    return bool(words) and 2 * marked + _SAMPLES * (len(words) - len(set(words))) >= len(words)
