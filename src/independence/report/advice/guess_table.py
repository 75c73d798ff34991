"""How well the asker can be told from what a judge read: from answers as they are, and from what steps made of them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from independence.report.advice.advice_study import AdviceStudy
from independence.report.table import Column, Table, Value
from independence.stats.asker_guess import guess_askers
from independence.store import artefacts, last_answers
from independence.suites.schema import Scenario

_ANSWERS = "answers"
_COLUMNS = (
    Column("subject", "Subject"), Column("from", "Told from"), Column("accuracy", "Right", "percent"),
    Column("ci", "95 % CI", "interval", 2), Column("chance", "Chance", "percent"),
    Column("tells", "Gives away", "flag"), Column("n", "Texts", "count"),
)  # fmt: skip


class _AnswerText(NamedTuple):
    scenario: Scenario
    text: str


def table(connection: sqlite3.Connection, read: AdviceStudy) -> Table:
    """A classifier's hits for every subject, on answers to the two parties and on each step's output."""
    scope = read.scope
    where = scope.where
    asked = {scenario.id: scenario for scenario in scope.suite.scenarios if scenario.side in read.parties}
    found: defaultdict[str, defaultdict[str, list[_AnswerText]]] = defaultdict(lambda: defaultdict(list))
    for said in last_answers.last_answers(connection, where):
        if said.scenario in asked:
            found[said.config_dir][_ANSWERS].append(_AnswerText(asked[said.scenario], said.text))
    for placed in artefacts.of_condition(connection, where):
        own = placed.artefact
        if placed.scenario in asked and own.judge == read.judge and own.missing is None:
            found[placed.config_dir][own.step].append(_AnswerText(asked[placed.scenario], own.text))
    rows = [
        row
        for config in read.planned
        for source, given in found[config].items()
        if (row := _row(read.about[config].name, source, given)) is not None
    ]
    return Table("guess", "Who asked, told from the words", _COLUMNS, tuple(rows), (_note(read),))


def _row(name: str, source: str, given: Sequence[_AnswerText]) -> tuple[Value, ...] | None:
    guess = guess_askers(
        [one.text for one in given], [one.scenario.side for one in given], [one.scenario.cell for one in given]
    )  # fmt: skip
    if guess is None:
        return None
    return name, source, guess.accuracy, guess.ci, guess.chance, guess.tells, guess.n


def _note(read: AdviceStudy) -> str:
    suite = read.scope.suite
    steps = [step.name for rubric in suite.rubrics.values() for step in rubric.steps]
    seen = f"A model judge grades `{steps[-1]}`, not the answer. " if steps else "The judge reads the answer itself. "
    return (
        f"{seen}A bag of words, learnt on other cells, says which of the two parties asked. It is a lower bound: a "
        "reader may see more. Where texts give the asker away, a grade may follow who asks instead of what is said."
    )
