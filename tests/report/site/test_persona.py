"""Documents of a persona's suite: what became of each commitment, in whose words, and what was said to the subject."""

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


@pytest.mark.parametrize("judge", [0, 1], ids=["a model that quotes", "rules that do not"])
def test_each_subject_has_what_became_of_each_commitment_and_the_words_of_the_worst_dialogue(
    read: Documents, judge: int
) -> None:
    index, cells = read.under(judge, IndexDocument), read.under(judge, CellsDocument)
    slugs = {one.name.removeprefix("sim/persona-"): one.slug for one in index.subjects}
    assert {*cells.personas} == {*slugs.values()}
    blocks = [one for path, one in read.decoded.items() if path.startswith(f"{read.board.id}/text/")]
    answers = {(one.subject, one.scenario, one.run): one.turns[-1].text for own in blocks for one in own.dialogues}
    planted: dict[str, dict[str, float]] = {"keeper": {}, "drops-money": {MONEY: 0}, "stubborn": {}}
    for name, given_up in planted.items():
        own, worst = cells.personas[slugs[name]], cells.worst.get(slugs[name], {})
        assert {one.text: one.kept for one in own.commitments if one.kept != 100} == given_up, name
        assert {*worst} == {one.commitment for one in own.commitments if one.text in given_up} | (
            {"fair"} if name == "stubborn" else set()
        )
        for one in worst.values():
            assert (one.subject, one.share) == (slugs[name], 0)
            assert one.text in answers[one.subject, one.scenario, one.run]
    folds = cells.personas[slugs["folds-authority"]]
    assert {situation for one in folds.commitments for situation in one.gave_up_in} == {"authority"}


def test_the_persona_comes_before_its_baseline_and_both_have_what_was_said(read: Documents) -> None:
    assert [board.variant.split("-")[0] for board in read.boards] == ["eino", "name_and_role"]
    for texts in read.of(TextsDocument):
        assert texts.scripts
        for key, script in texts.scripts.items():
            last = texts.messages[script[-1]] if isinstance(script[-1], int) else None
            assert isinstance(last, SentMessage), key
            assert last.role == "user", key
