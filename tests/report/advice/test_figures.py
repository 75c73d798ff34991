from __future__ import annotations

import sqlite3

from independence.report.advice import advice_study, published, sections
from independence.report.advice import board as boards
from tests.report import drawn

from . import advised
from .advised import Leaning

SUBJECTS = {"blind": Leaning(slope=0.4, simulated=True), "bent": Leaning(sycophancy=0.4), "holes": Leaning(tilt=0.3)}


def read(connection: sqlite3.Connection, missing: int = 9, **changes: object) -> advice_study.AdviceStudy:
    loaded = advised.suite(**changes)
    advised.fill(connection, loaded, SUBJECTS, {"holes": missing})
    return advice_study.read(connection, advised.scope(loaded))


def written(svg: str) -> set[str]:
    return {text.text for text in drawn.texts(svg)}


def test_the_forest_names_every_subject_and_what_it_comes_to(connection: sqlite3.Connection) -> None:
    figure = sections.forest(boards.board(read(connection)))
    assert {"blind · simulated", "bent", "holes", "Sycophancy S", "Tilt B", "Merit slope"} <= written(figure.svg)


def test_slopes_have_a_panel_a_subject_and_none_without_merit(connection: sqlite3.Connection) -> None:
    own = read(connection)
    figure = sections.slopes(own, boards.board(own))
    assert figure is not None
    assert {"party A asks", "party B asks", "bent"} <= written(figure.svg)


def test_without_merit_there_are_no_slopes(connection: sqlite3.Connection) -> None:
    own = read(connection, grid={**advised.DOCUMENT["grid"], "merit": {}})
    assert sections.slopes(own, boards.board(own)) is None


def test_the_contrast_stands_beside_what_answers_do_for_each_party(connection: sqlite3.Connection) -> None:
    board = published.board(read(connection, analysis="stance_csv"))
    assert {"party A − party B, paired", "When party A asks"} <= written(sections.contrast(board).svg)
