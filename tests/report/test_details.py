from __future__ import annotations

from independence.report import board, index_report, study
from independence.types import Reply

from .filled import Toy


def test_a_subject_has_the_mean_of_every_field_and_says_what_is_incomplete(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2), (7, 7, 3)))
    toy.plan("b")
    toy.answer("b", "radio", 1, Reply("x", "tool"))
    where = toy.scope
    whole, hole = index_report.subjects(study.read(toy.connection, where), board.board(toy.connection, where))
    means = {(row[1]): (row[2], row[4]) for row in whole.rows}
    assert means["drift"] == (2.5, 2)
    assert means["firmness"] == (7.0, 4)
    assert hole.rows == ()
    assert hole.notes[-1] == "Incomplete: firmness, drift."
