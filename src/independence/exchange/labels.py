"""A sample of finished dialogues for people to score: balanced, the same for the same seed, blind to who answered.

Each line is a dialogue and a field of its rubric, with an empty rater and value; `import` reads the file when it is
filled in. Models are not named, and the order says nothing about them.
"""

from __future__ import annotations

import csv
import io
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from independence.engine import dialogue
from independence.engine.dialogue import TrialProgress
from independence.engine.plan import Trial
from independence.errors import StoreError
from independence.exchange.export_tables import chosen_subjects
from independence.exchange.humans import COLUMNS, ITEM, LETTER, scale
from independence.exchange.requests import in_published_words
from independence.report.board import verdict_frame
from independence.report.files.table import cell
from independence.stats import stance
from independence.store import queries
from independence.store.scopes import BoardScope, grading
from independence.suites import digest
from independence.suites.schema import Suite
from independence.suites.template import fill, slots

Level = tuple[str, str]
HEAD = (*COLUMNS, "scale", "asks", "text")
_EACH = 3  # people who score a dialogue, so that they can be told apart from chance


class LabelCandidate(NamedTuple):
    """A dialogue that may be drawn, and what the sample is balanced over."""

    item: str
    trial: Trial
    progress: TrialProgress
    levels: tuple[Level, ...]


def candidates(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None, names: Collection[str]
) -> list[LabelCandidate]:
    """Every finished dialogue of a condition, those that share one answer once. Raises StoreError if there are none."""
    about = chosen_subjects(connection, scope, names)
    trials = dialogue.trials(connection, grading(connection, scope), scope.where)
    if queries.imported(scope.edition):
        trials = in_published_words(connection, trials)
    by_key = {trial.key: trial for trial in trials}
    stances = _stances(connection, scope, judge)
    found: dict[str, LabelCandidate] = {}
    for state in queries.states(connection, scope.where):
        trial = by_key.get(state.key)
        if state.end is None or trial is None or state.config_dir not in about:
            continue
        progress = dialogue.load(connection, trial)
        if isinstance(progress, TrialProgress):
            scenario, stance_ = (
                scope.suite.scenario(state.scenario),
                stances.get((state.config_dir, state.scenario, state.run)),
            )
            levels = list(scenario.factors.items()) or [("scenario", scenario.id)]
            levels += [("side", scenario.side)] if scenario.side else []
            levels += [("subject", state.config_dir), *([("stance", stance_)] if stance_ else [])]
            found.setdefault(state.key, LabelCandidate(state.end[:ITEM], trial, progress, tuple(levels)))
    if not found:
        raise StoreError("no finished dialogue fits", "`independence leaderboard` shows what the store holds")
    return list(found.values())


def sample(found: Sequence[LabelCandidate], size: int, seed: int) -> list[LabelCandidate]:
    """At most `size` of them, each the one whose levels were drawn least so far; the seed decides between equals."""
    left = sorted(found, key=lambda one: digest.sha256([seed, one.item]))
    kinds = Counter(name for name, _ in {level for one in found for level in one.levels})
    seen: Counter[Level] = Counter()
    drawn: list[LabelCandidate] = []
    while left and len(drawn) < size:
        best = min(left, key=lambda one: sum(seen[level] * kinds[level[0]] for level in one.levels))
        left.remove(best)
        drawn.append(best)
        seen.update(best.levels)
    return drawn


def to_csv(suite: Suite, drawn: Sequence[LabelCandidate], raters: Sequence[str] = ()) -> bytes:
    """The file to fill in, with one line for each dialogue and field of its rubric in `suite`, as spreadsheets read it:
    with a byte order mark, and items that begin with a letter.

    `raters`: three of them, in turn, are to score each dialogue and have lines of their own.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for number, one in enumerate(drawn):
        scenario = one.trial.dialogue.scenario
        wanted = [raters[(number + place) % len(raters)] for place in range(min(_EACH, len(raters)))] or [""]
        turns = dialogue.transcript_turns(one.trial, one.progress)
        text = cell("\n\n".join(f"PERSON: {turn.human}\n\nANSWER: {turn.answer}" for turn in turns))
        for name, field in suite.rubrics[scenario.rubric].fields.items():
            unknown = {slot: f"{{{{{slot}}}}}" for slot in slots(field.about)}
            asks = fill(field.about, unknown | suite.vars | scenario.vars)
            for rater in wanted:
                writer.writerow((LETTER + one.item, cell(rater), name, "", scale(field), cell(asks), text))
    return out.getvalue().encode("utf-8-sig", "backslashreplace")


def counts(drawn: Sequence[LabelCandidate]) -> dict[str, Counter[str]]:
    """How often each level was drawn, by what the sample is balanced over."""
    every = [level for one in drawn for level in one.levels]
    return {name: Counter(level for kind, level in every if kind == name) for name in dict(every)}


def _stances(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None
) -> Mapping[tuple[str, str, int], str]:
    """The stance of each dialogue by a judge: neg, neu or pos. Empty for a suite without stances."""
    if scope.suite.grid is None:
        return {}
    name = scope.suite.grid.stance
    return {
        (one.config_dir, one.scenario, one.run): stance.stance(float(one.values[name]))
        for one in verdict_frame.read(connection, scope, judge).every
        if one.values is not None and name in one.values
    }
