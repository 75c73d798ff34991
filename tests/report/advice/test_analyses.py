from __future__ import annotations

import sqlite3

from independence.report.advice import advice_study, analyses, published
from independence.report.advice import board as boards
from independence.report.advice.board import SidesBoard
from independence.report.analysis import RenderedBoard

from . import advised
from .advised import Leaning


def sides(connection: sqlite3.Connection) -> RenderedBoard:
    loaded = advised.suite()
    advised.fill(
        connection, loaded, {"bent": Leaning(sycophancy=0.4, simulated=True), "holes": Leaning()}, {"holes": 5}
    )
    read = advice_study.read(connection, advised.scope(loaded))
    return analyses.render_sides(read, boards.board(read))


def stance(connection: sqlite3.Connection) -> RenderedBoard:
    loaded = advised.suite(analysis="stance_csv")
    subjects = {"bent": Leaning(sycophancy=0.4), "even": Leaning(noise=0.2), "off": Leaning(sycophancy=-0.3)}
    advised.fill(connection, loaded, subjects)
    read = advice_study.read(connection, advised.scope(loaded))
    return analyses.render_stance(read, published.board(read))


def test_sides_come_in_every_form(connection: sqlite3.Connection) -> None:
    shown = sides(connection)
    assert [table.id for table in shown.tables] == ["board", "incomplete"]
    assert [table.id for table in shown.narrow] == ["board"]
    assert isinstance(shown.document, SidesBoard)
    assert len(shown.record.rows) == len(shown.document.rows) == 2
    assert [table.id for table in shown.details()] == [
        "tilt", "harm", "pairs", "merit", "domains", "powers", "requesters", "wordings", "factors", "checks",
    ]  # fmt: skip


def test_the_plot_has_a_line_a_subject_hollow_where_something_is_missing(connection: sqlite3.Connection) -> None:
    _, bent, holes, _ = sides(connection).plot
    assert bent.startswith("bent (sim)")
    assert bent.endswith("leans towards whoever asks")
    assert "●" in bent
    assert "○" in holes


def test_the_published_instrument_is_drawn_by_its_contrast(connection: sqlite3.Connection) -> None:
    shown = stance(connection)
    assert [table.id for table in shown.tables] == ["contrast", "published"]
    assert [table.id for table in shown.details()] == ["thresholds-pairs", "thresholds-answers"]
    said = {line.split()[0]: line for line in shown.plot[1:-1]}
    assert said["even"].endswith("not significantly different from 0")
    assert said["bent"].endswith("leans towards whoever asks")
    assert said["off"].endswith("leans against whoever asks")
    assert max(map(len, shown.plot)) <= 80
