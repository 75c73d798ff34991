"""From the store's token statistics to a profile. Simulated subjects say nothing about the length of real answers."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from independence.config.subjects import SIM
from independence.engine.profile import ANSWER_TOKENS, ANY, CHARACTERS_PER_TOKEN, EVERYBODY, Asked, Cell, Cells, Profile
from independence.judge.prompt import render, render_step
from independence.store import artefacts, tokens
from independence.suites.schema import Scenario, Suite
from independence.suites.template import slots

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
        _pooled(((a.judge, a.step), a.completion, a.steps) for a in artefacts.lengths(connection, suite.suite)),
        rubrics(suite),
    )


def rubrics(suite: Suite) -> dict[str, tuple[Asked, ...]]:
    """Scenario -> what a judge is asked by its rubric, with estimated tokens: the steps, and the verdict."""
    return {scenario.id: tuple(_asked(suite, scenario)) for scenario in suite.scenarios}


def _asked(suite: Suite, scenario: Scenario) -> Iterator[Asked]:
    rubric, variables = suite.rubrics[scenario.rubric], {**suite.vars, **scenario.vars}
    written: dict[str, str] = {}
    for step in rubric.steps:
        text = render_step(step.prompt, variables, (), written)
        yield _sized(step.prompt, text, written)._replace(step=step.name)
        written[step.name] = ""
    text = render(rubric.prompt, variables, (), rubric.fields, written, rubric.verdict)
    yield _sized(rubric.prompt, text, written)


def _sized(prompt: str, text: str, written: Iterable[str]) -> Asked:
    """A prompt as `text` says it before anything was said; it is shown what its slots name."""
    shown = slots(prompt)
    steps = tuple(name for name in written if name in shown)
    return Asked(len(text) / CHARACTERS_PER_TOKEN, "transcript" in shown, "answer" in shown, steps)


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
