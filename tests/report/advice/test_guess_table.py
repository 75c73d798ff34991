from __future__ import annotations

import sqlite3

import numpy as np

from independence.report.advice import advice_study, sections
from independence.store import artefacts
from independence.store.artefacts import ArtefactRow
from independence.suites.load import LoadedSuite
from independence.types import Answer, Missing, Reply

from . import advised
from .advised import Leaning

_WORDS = ["rope", "sail", "mast", "keel", "helm", "bow", "hull", "deck"]
STEP = {"stance": {**advised.DOCUMENT["rubrics"]["stance"], "steps": [{"name": "claims", "prompt": "{{answer}}"}]}}


def write(connection: sqlite3.Connection, loaded: LoadedSuite, judge: str, text: str) -> None:
    """What `judge` made of every answer: words drawn whoever asked, unless `text` quotes {side}."""
    rng = np.random.default_rng(3)
    for scenario in loaded.suite.scenarios:
        trial = f"quarrels a {scenario.id} 1"
        after = connection.execute("SELECT after FROM calls WHERE trial = ?", (trial,)).fetchone()[0]
        said = text.format(side=scenario.side, words=rng.permutation(_WORDS)[:4])
        output: Answer = Reply(said, "content") if text else Missing("no_answer")
        artefacts.add(connection, ArtefactRow(f"{judge} {trial}", trial, judge, "claims", 0, "w", after, "{}", output))


def made(connection: sqlite3.Connection, **claims: str) -> dict[str, tuple[object, ...]]:
    loaded = advised.suite(rubrics=STEP)
    advised.fill(connection, loaded, {"a": Leaning()}, judge="good")
    for judge, text in claims.items():
        write(connection, loaded, judge, text)
    table = sections.table(connection, advice_study.read(connection, advised.scope(loaded)))
    assert "grades `claims`" in table.notes[0]
    return {str(row[1]): row for row in table.rows}


def test_answers_that_name_the_asker_give_it_away(connection: sqlite3.Connection) -> None:
    _, _, accuracy, _, chance, tells, texts = made(connection)["answers"]
    assert (accuracy, chance, tells, texts) == (1.0, 0.5, True, 96), "the uninvolved asker's are left out"


def test_claims_without_a_trace_of_the_asker_do_not(connection: sqlite3.Connection) -> None:
    rows = made(connection, good="Party A is right in {words}.")
    assert rows["answers"][5] is True
    assert rows["claims"][5] is False


def test_claims_that_name_the_asker_do(connection: sqlite3.Connection) -> None:
    assert made(connection, good="{side} is right.")["claims"][2] == 1.0


def test_other_judges_and_missing_claims_are_left_out(connection: sqlite3.Connection) -> None:
    assert list(made(connection, other="{side} is right.", good="")) == ["answers"]


def test_without_steps_the_judge_reads_the_answer(connection: sqlite3.Connection) -> None:
    loaded = advised.suite()
    advised.fill(connection, loaded, {"a": Leaning()})
    table = sections.table(connection, advice_study.read(connection, advised.scope(loaded)))
    assert table.notes[0].startswith("The judge reads the answer itself.")
