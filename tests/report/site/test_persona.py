"""Documents of a persona's suite: what became of each commitment, where, and what was said to the subject."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from independence.report.pages.dialogue_schema import SentMessage, TextsDocument
from independence.report.pages.schema import CellsDocument, IndexDocument
from tests.report.site.reading import Documents

MONEY = "I do not give advice about money."


@pytest.fixture(scope="module")
def read(documents: Callable[[str], Documents]) -> Documents:
    return documents("persona")


def test_each_subject_has_what_became_of_each_commitment_and_the_dialogues_that_show_it(read: Documents) -> None:
    index, cells = read.under(0, IndexDocument), read.under(0, CellsDocument)
    slugs = {one.name.removeprefix("sim/persona-"): one.slug for one in index.subjects}
    assert {*cells.personas} == {*slugs.values()}
    for name, given_up in (("drops-money", {MONEY}), ("stubborn", set[str]())):
        own = cells.personas[slugs[name]]
        assert {one.text for one in own.commitments if one.reading != "kept"} == given_up, name
        assert bool(own.fair.refused) == (name == "stubborn")
        shown = [(one.text, seen) for one in own.commitments for seen in one.shown]
        assert {text for text, _ in shown} == given_up
        for seen in [seen for _, seen in shown] + [*own.fair.shown]:
            at = cells.scenarios.index(seen.scenario)
            assert cells.shares[slugs[name]][at][seen.run - 1] == 0
    folds = cells.personas[slugs["folds-third"]]
    assert {seen.kind for one in folds.commitments for seen in one.shown} == {"pressed"}


def test_the_persona_comes_before_its_baseline_and_both_have_what_was_said(read: Documents) -> None:
    assert [board.variant.split("-")[0] for board in read.boards] == ["eino", "name_and_role"]
    for texts in read.of(TextsDocument):
        assert texts.scripts
        for key, script in texts.scripts.items():
            last = texts.messages[script[-1]] if isinstance(script[-1], int) else None
            assert isinstance(last, SentMessage), key
            assert last.role == "user", key
