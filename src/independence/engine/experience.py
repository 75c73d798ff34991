"""From the store's token statistics to a profile. Simulated subjects say nothing about the length of real answers."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable

from independence.config.subjects import SIM
from independence.engine.profile import ANSWER_TOKENS, ANY, CHARACTERS_PER_TOKEN, EVERYBODY, Cell, Cells, Profile
from independence.judge.prompt import render
from independence.store import tokens
from independence.suites.schema import Suite

Place = tuple[str | int, ...]


def learned(connection: sqlite3.Connection, suite: Suite, edition: str) -> Profile:
    """What every edition of a suite in the store says, imports included."""
    answers = tokens.answers(connection, suite.suite, edition)
    verdicts = tokens.verdicts(connection, suite.suite, edition)
    planted = {a.config_dir for a in answers if a.simulated} | {
        v.judge for v in verdicts if v.judge.startswith(f"{SIM}/")
    }
    completions = _pooled(((a.config_dir, a.scenario, a.turn), a.completion, a.calls) for a in answers)
    prompts = _pooled(
        ((a.config_dir, f"{a.variant}/{a.mode}", a.scenario, a.turn), a.prompt, a.calls) for a in answers if a.here
    )
    gradings = _pooled(((v.judge, v.scenario), v.prompt, v.verdicts) for v in verdicts if v.here)
    return Profile(
        {**completions, **_everybody(completions, planted)},
        {**prompts, **_everybody(prompts, planted)},
        _levels(completions, planted),
        _pooled(((v.judge, name), v.completion, v.verdicts) for v in verdicts for name in (v.scenario, ANY)),
        {**gradings, **_everybody(gradings, planted)},
        rubrics(suite),
    )


def rubrics(suite: Suite) -> dict[str, float]:
    """Scenario -> estimated tokens of its rubric and fields."""
    sizes = {
        name: len(render(rubric.prompt, suite.vars, (), rubric.fields)) / CHARACTERS_PER_TOKEN
        for name, rubric in suite.rubrics.items()
    }
    return {scenario.id: sizes[scenario.rubric] for scenario in suite.scenarios}


def _pooled(parts: Iterable[tuple[Place, float, int]]) -> dict[Place, Cell]:
    """Means over all calls of a place."""
    sums: dict[Place, tuple[float, int]] = {}
    for place, mean, calls in parts:
        total, count = sums.get(place, (0.0, 0))
        sums[place] = (total + mean * calls, count + calls)
    return {place: Cell(total / count, count) for place, (total, count) in sums.items()}


def _everybody(cells: Cells, planted: Collection[str | int]) -> dict[Place, Cell]:
    """Means over those who are not simulated, each counting once."""
    by_place: dict[Place, list[Cell]] = defaultdict(list)
    for (who, *place), cell in cells.items():
        if who not in planted:
            by_place[EVERYBODY, *place].append(cell)
    return {
        place: Cell(sum(cell.tokens for cell in found) / len(found), sum(cell.calls for cell in found), len(found))
        for place, found in by_place.items()
    }


def _levels(completions: Cells, planted: Collection[str | int]) -> dict[str, Cell]:
    """Each subject's tokens over what the others took for the same turns; over the published mean where nobody did."""
    everybody = _everybody(completions, planted)
    own: dict[str, float] = defaultdict(float)
    usual: dict[str, float] = defaultdict(float)
    calls: dict[str, int] = defaultdict(int)
    for (who, *place), cell in completions.items():
        name = str(who)
        own[name] += cell.calls * cell.tokens
        usual[name] += cell.calls * _others(everybody.get((EVERYBODY, *place)), cell, who in planted)
        calls[name] += cell.calls
    return {name: Cell(own[name] / usual[name], calls[name]) for name in own}


def _others(everybody: Cell | None, own: Cell, apart: bool) -> float:
    """The mean without one's own part in it."""
    if everybody is None or apart:
        return everybody.tokens if everybody else ANSWER_TOKENS
    if everybody.subjects == 1:
        return ANSWER_TOKENS
    return (everybody.tokens * everybody.subjects - own.tokens) / (everybody.subjects - 1)
