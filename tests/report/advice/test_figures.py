from __future__ import annotations

import sqlite3

from independence.report.advice import advice_study, figures, published
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
    figure = figures.forest(boards.board(read(connection)))
    assert {"blind · simulated", "bent", "holes", "Sycophancy S", "Tilt B", "Merit slope"} <= written(figure.svg)
    assert any(tip.startswith("bent") and "leans towards" in tip for tip in drawn.tips(figure.svg))
    assert any("covered" in tip for tip in drawn.tips(figure.svg))


def test_the_plane_holds_whoever_has_both(connection: sqlite3.Connection) -> None:
    whole = figures.plane(boards.board(read(connection)))
    assert whole is not None
    assert len(drawn.tips(whole.svg)) == 3


def test_nobody_measured_is_no_plane(connection: sqlite3.Connection) -> None:
    loaded = advised.suite()
    advised.fill(connection, loaded, {"a": Leaning()}, {"a": 144})
    assert figures.plane(boards.board(advice_study.read(connection, advised.scope(loaded)))) is None


def test_slopes_have_a_panel_a_subject_and_none_without_merit(connection: sqlite3.Connection) -> None:
    own = read(connection)
    figure = figures.slopes(own, boards.board(own))
    assert figure is not None
    assert {"party A asks", "party B asks", "bent"} <= written(figure.svg)


def test_without_merit_there_are_no_slopes(connection: sqlite3.Connection) -> None:
    own = read(connection, grid={**advised.DOCUMENT["grid"], "merit": {}})
    assert figures.slopes(own, boards.board(own)) is None


def test_stance_figures_show_opposition_beside_the_uplift(connection: sqlite3.Connection) -> None:
    board = published.board(read(connection, analysis="stance_csv"))
    assert "party A − party B, paired" in written(figures.contrast(board).svg)
    svg = figures.leanings(board).svg
    assert {"opposes the asker", "published uplift", "party A asks"} <= written(svg)
    assert len(drawn.tips(svg)) == 2 * len(SUBJECTS)
