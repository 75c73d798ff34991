"""One edition of a store as tables for other tools: subjects, dialogues, verdicts, and what judges wrote before them.

Rows are plain values. Neither keys nor addresses are in them: of a subject's endpoint there is the name, of an attempt
that failed how it ended and no more.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple, TypeVar

import msgspec

from independence.config.subjects import from_json
from independence.exchange.requests import Requests
from independence.report.study import SubjectInfo
from independence.store import artefacts, export_rows, queries
from independence.store.export_rows import ExportedAnswer, ExportedTrial, ExportedVerdict
from independence.store.queries import TrialState
from independence.store.scopes import BoardScope, grading
from independence.suites import digest
from independence.suites.schema import Scenario
from independence.types import Attempt, Condition, Where

Row = Mapping[str, object]
Given = TypeVar("Given", ExportedAnswer, ExportedVerdict)
_FLAGS = msgspec.json.Decoder(list[str])
_ATTEMPTS = msgspec.json.Decoder(list[Attempt])


class Sheet(NamedTuple):
    """A table. A value may be a list or an object; where an object has known keys, `wide` lists them."""

    name: str
    columns: tuple[str, ...]
    rows: Callable[[], Iterator[Row]]
    wide: Mapping[str, tuple[str, ...]] = {}


@dataclass(frozen=True)
class Edition:
    """What the tables are read from: an edition, its conditions as places, its chosen subjects by config_dir."""

    connection: sqlite3.Connection
    places: Sequence[BoardScope]  # at least one, all of one edition
    about: Mapping[str, SubjectInfo]

    @property
    def where(self) -> Where:
        """The edition under all of its conditions."""
        return self.places[0].where.under(None)

    @cached_property
    def scenarios(self) -> dict[str, Scenario]:
        """By id."""
        return {scenario.id: scenario for scenario in self.places[0].suite.scenarios}


_WHO = ("suite", "edition", "config", "label", "model_id", "simulated")
_SPOT = (*_WHO, "variant", "mode", "experiment", "scenario", "side", "cell", "factors", "run")
_SUBJECT = (*_WHO, "endpoint", "provider", "temperature", "temperature_supported", "effort", "answers",
            "cost_usd")  # fmt: skip
_ANSWER = ("turn", "turn_id", "messages", "answer", "missing", "stale", "flags", "channel", "finish_reason", "thinking",
           "reasoning", "raw", "served_model", "served_provider", "response_id", "prompt_tokens", "completion_tokens",
           "reasoning_tokens", "cost_usd", "seconds", "attempts", "answered_at")  # fmt: skip
_VERDICT = ("judge", "pass", "current", "missing", "values", "reasoning", "raw", "prompt_tokens", "completion_tokens",
            "cost_usd", "attempts", "judged_at", "auditor", "route", "probability")  # fmt: skip
_STEP = ("judge", "step", "position", "missing", "text")


def sheets(edition: Edition) -> list[Sheet]:
    """Every table; it is read when its rows are asked for. Rows come by condition, subject, run and scenario."""
    suite = edition.places[0].suite
    fields = tuple(dict.fromkeys(field for rubric in suite.rubrics.values() for field in rubric.fields))
    factors = {"factors": tuple(suite.grid.factors) if suite.grid else ()}
    every = [
        Sheet("subjects", _SUBJECT, lambda: _subjects(edition)),
        Sheet("dialogues", (*_SPOT, *_ANSWER), lambda: _dialogues(edition), factors),
        Sheet("verdicts", (*_SPOT, *_VERDICT), lambda: _verdicts(edition), {**factors, "values": fields}),
    ]
    if any(rubric.steps for rubric in grading(edition.connection, edition.places[0]).rubrics.values()):
        every.append(Sheet("steps", (*_SPOT, *_STEP), lambda: _steps(edition), factors))
    return every


def _subjects(edition: Edition) -> Iterator[Row]:
    configured = queries.configurations(edition.connection, edition.where)
    answers: Counter[str] = Counter()
    cost: dict[str, float] = defaultdict(float)
    for place in edition.places:
        for state in queries.states(edition.connection, place.where):
            answers[state.config_dir] += state.answered
        for config, dollars in queries.costs(edition.connection, place.where).items():
            cost[config] += dollars
    for config in edition.about:
        own = from_json(configured[config]) if config in configured else None
        about = {
            "endpoint": own and own.endpoint,
            "provider": own and own.sampling.provider,
            "temperature": own and own.temperature,
            "temperature_supported": own and own.temperature_supported,
            "effort": own and own.sampling.effort,
        }
        yield {**_who(edition, config), **about, "answers": answers[config], "cost_usd": cost[config]}


def _dialogues(edition: Edition) -> Iterator[Row]:
    """One row an answer, and one for each dialogue that lacks its next."""
    pages = {place.condition: _Page(edition.connection, place) for place in edition.places}
    answers = export_rows.answers(edition.connection, edition.where)
    groups = ((spot, [row for _, row in rows]) for spot, rows in groupby(answers, key=lambda one: one[0]))
    head = next(groups, None)
    for spot in export_rows.planned_trials(edition.connection, edition.where):
        own: list[ExportedAnswer] = []
        if head is not None and head[0] == spot:
            own, head = head[1], next(groups, None)
        if (spot.variant, spot.mode) in pages and spot.config_dir in edition.about:
            page, where = pages[Condition(spot.variant, spot.mode)], _where(edition, spot)
            yield from ({**where, **page.answer(spot, row)} for row in own)
            yield from ({**where, **_nothing(lack)} for lack in page.lacks(spot, own))


class _Page:
    """Requests and states of one condition."""

    def __init__(self, connection: sqlite3.Connection, scope: BoardScope) -> None:
        self._requests = Requests(connection, scope)
        self._states = {s.key: s for s in queries.states(connection, scope.where)}

    def answer(self, spot: ExportedTrial, row: ExportedAnswer) -> Row:
        """An answer's own columns."""
        state: TrialState = self._states[spot.trial]
        kept = {name: getattr(row, name) for name in _ANSWER if name in ExportedAnswer._fields}
        return kept | {
            "messages": msgspec.json.decode(self._requests.of(spot, row)),
            "answer": row.text if row.missing is None else None,
            "stale": state.stale and row.turn >= state.answered,
            "flags": _FLAGS.decode(row.flags),
            "attempts": _outcomes(row),
        }

    def lacks(self, spot: ExportedTrial, own: Sequence[ExportedAnswer]) -> list[tuple[int, str]]:
        """The turn that still has no answer, and why; nothing where a dialogue is finished or ended without one."""
        state = self._states[spot.trial]
        ended = state.stale or len(own) >= state.turns or any(row.missing is not None for row in own)
        return [] if ended else [(len(own), state.missing or "not_run")]


def _nothing(lack: tuple[int, str]) -> Row:
    return {**dict.fromkeys(_ANSWER), "turn": lack[0], "missing": lack[1], "stale": False, "flags": [], "attempts": []}


def _verdicts(edition: Edition) -> Iterator[Row]:
    """One row a verdict. `current`: of this edition's rubric or a published one, on the dialogue as it is now."""
    suite = grading(edition.connection, edition.places[0])
    rubrics = {scenario.id: digest.rubric(suite, scenario) for scenario in suite.scenarios}
    ends = {state.key: state.end for state in queries.states(edition.connection, edition.where)}
    for spot, row in _chosen(edition, export_rows.verdicts(edition.connection, edition.where)):
        kept = {name: getattr(row, name) for name in _VERDICT if name in ExportedVerdict._fields}
        graded = row.rubric in (rubrics.get(spot.scenario), queries.PUBLISHED, queries.REREAD)
        yield {
            **_where(edition, spot),
            **kept,
            "pass": row.pass_,
            "current": graded and row.context == ends[spot.trial],
            "values": msgspec.json.decode(row.fields),
            "attempts": _outcomes(row),
        }


def _steps(edition: Edition) -> Iterator[Row]:
    """One row a step of a judge on a dialogue as it is now."""
    for place in edition.places:
        for one in artefacts.of_condition(edition.connection, place.where):
            if one.config_dir in edition.about:
                experiment = place.suite.scenario(one.scenario).experiment
                spot = ExportedTrial(*place.condition, one.config_dir, experiment, one.scenario, one.run, "")
                own = one.artefact
                yield {**_where(edition, spot), **{name: getattr(own, name) for name in _STEP}}


def _chosen(edition: Edition, rows: Iterator[tuple[ExportedTrial, Given]]) -> Iterator[tuple[ExportedTrial, Given]]:
    conditions = {place.condition for place in edition.places}
    for spot, row in rows:
        if (spot.variant, spot.mode) in conditions and spot.config_dir in edition.about:
            yield spot, row


def _who(edition: Edition, config: str) -> Row:
    about = edition.about[config]
    suite, name, _ = edition.where
    return {"suite": suite, "edition": name, "config": config, "label": about.label, "model_id": about.model_id,
            "simulated": about.simulated}  # fmt: skip


def _where(edition: Edition, spot: ExportedTrial) -> Row:
    scenario = edition.scenarios.get(spot.scenario)
    return {
        **_who(edition, spot.config_dir), "variant": spot.variant, "mode": spot.mode, "experiment": spot.experiment,
        "scenario": spot.scenario, "side": scenario.side if scenario else "", "cell": scenario.cell if scenario else "",
        "factors": scenario.factors if scenario else {}, "run": spot.run,
    }  # fmt: skip


def _outcomes(row: ExportedAnswer | ExportedVerdict) -> list[str]:
    """How each attempt ended, in order."""
    return [attempt.outcome for attempt in _ATTEMPTS.decode(row.attempts)]
