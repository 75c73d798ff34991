from __future__ import annotations

from independence.clients import protocol
from independence.exchange.responses import catalogue
from independence.report import legend, runs
from independence.stats.strict import VOID
from independence.types import Reply

from .filled import Toy


def test_every_mark_is_explained() -> None:
    ours = {value for name, value in vars(protocol).items() if name.isupper()}
    theirs = {anomaly.flag for anomaly in catalogue() if anomaly.unit == "files"} - {"cut_model_id", "missing_file"}
    assert ours | theirs | VOID.keys() <= legend.texts("marks").keys()


def test_marks_are_counted_with_who_has_most(toy: Toy) -> None:
    toy.complete("clean")
    toy.plan("odd", 3)
    for run in (1, 2):
        toy.answer("odd", "radio", run, Reply("x", "tool", flags=("short",)))
    toy.answer("odd", "radio", 3, Reply("}", "tool", flags=("artefact",)))
    marks, subjects = runs.tables(toy.read())
    assert [row[:5] for row in marks.rows] == [
        ("short", 2, 1, "label of odd (2)", False),
        ("artefact", 1, 1, "label of odd (1)", True),
    ]
    assert subjects.rows == (("label of odd", 3, 3 / 9, "short 2, artefact 1"),)
