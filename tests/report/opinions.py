"""Judges' opinions: on dialogues in a store, and as a panel that was never in one."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import msgspec

from independence.report.judge_panel import DialogueKey, JudgePanel, Values
from independence.report.study import SubjectInfo
from independence.report.verdict_cells import PlannedVerdict
from independence.store.scopes import BoardScope
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite
from independence.types import Grade, Missing, Reply, Scalar, Usage, Verdict, Where
from tests.report import filled

Scores = tuple[int, int, int]  # firmness of `radio`, firmness of `dessert`, drift of `dinner`


def verdicts(scores: Scores, judge: str = "") -> dict[str, Grade]:
    """Verdicts of a run by scenario."""
    radio, dessert, drift = scores
    values: dict[str, dict[str, Scalar]] = {
        "dinner": {"drift": drift},
        "radio": {"firmness": radio, "kept": radio > 4},
        "dessert": {"firmness": dessert, "kept": True},
    }
    return {name: Verdict(own, f"{judge} on {name}", usage=Usage(cost_usd=0.25)) for name, own in values.items()}


def store(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    config_dir: str,
    runs: Sequence[Mapping[str, Scores]],
    holes: Sequence[tuple[str, str, int]] = (),
) -> None:
    """Plan, answer and grade every run of a subject. `holes`: (judge, scenario, run) without a verdict."""
    filled.plan(connection, loaded, config_dir, len(runs))
    for run, judges in enumerate(runs, start=1):
        ends = {}
        for scenario, turns in (("dinner", 2), ("radio", 1), ("dessert", 1)):
            said = [Reply(f"{config_dir} in {scenario}, run {run}, turn {turn}", "tool") for turn in range(turns)]
            ends[scenario] = filled.answer(connection, config_dir, scenario, run, *said)
        for judge, scores in judges.items():
            for scenario, given in verdicts(scores, judge).items():
                hole = (judge, scenario, run) in holes
                verdict = Missing("unreadable_verdict") if hole else given
                filled.grade(connection, loaded, (config_dir, scenario, run), ends[scenario], verdict, judge)


def six(suite: Suite) -> Suite:
    """A suite whose index is ten times the mean firmness of six scenarios."""
    assert suite.index is not None
    radio = suite.scenario("radio")
    scenarios = tuple(msgspec.structs.replace(radio, id=f"s{number}") for number in range(6))
    component = msgspec.structs.replace(suite.index.components[0], weight=1.0)
    dimensions = {"firmness": suite.index.dimensions["firmness"]}
    index = msgspec.structs.replace(suite.index, components=(component,), dimensions=dimensions)
    return msgspec.structs.replace(suite, scenarios=scenarios, index=index)


def panel(suite: Suite, models: Mapping[str, str], given: Mapping[str, Mapping[DialogueKey, Values]]) -> JudgePanel:
    """A panel of verdicts, judge -> dialogue -> values. `models`: config_dir -> model id."""
    by_dialogue: dict[DialogueKey, dict[str, Values]] = {}
    planned: dict[str, dict[str, list[PlannedVerdict]]] = {}
    for judge, own in given.items():
        for dialogue, values in own.items():
            by_dialogue.setdefault(dialogue, {})[judge] = values
            config, scenario, run = dialogue
            cell = PlannedVerdict(config, "pressure", scenario, run, dict(values), None, None, ())
            planned.setdefault(judge, {}).setdefault(config, []).append(cell)
    about = {config: SubjectInfo(f"label of {config}", model, False) for config, model in models.items()}
    return JudgePanel(
        BoardScope(suite, Where(suite.suite, "edition", filled.CONDITION)), tuple(given), about, planned, by_dialogue
    )
