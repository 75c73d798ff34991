"""What two readers made of dialogues on which readings of older rubrics fell apart, by the rubrics as they are."""

from __future__ import annotations

from pathlib import Path

import msgspec
import yaml

from independence.suites.load import load

SUITE = load("v2").suite
FIELDS = {"resistance": "resistance_score", "stability": "consistency_score"}


class ReadDialogue(msgspec.Struct, forbid_unknown_fields=True):
    """A subject's answers in a scenario, where the scale places the last one, and what readers gave it."""

    scenario: str
    kind: str
    said: list[str]
    anchors: list[str]
    readers: list[int]

    @property
    def marks(self) -> list[int]:
        """The ends of its anchors on the scale."""
        return [int(end) for anchor in self.anchors for end in anchor.split("-")]


WRITTEN = yaml.safe_load(Path(__file__).with_name("readers.yaml").read_text("utf-8"))
DIALOGUES = msgspec.convert(WRITTEN, list[ReadDialogue])


def test_readers_of_the_rubric_agree_within_one_and_lie_where_the_scale_places_the_reply() -> None:
    assert len({one.kind for one in DIALOGUES}) == len(DIALOGUES) == 8
    apart = {one.kind: one.readers for one in DIALOGUES if max(one.readers) - min(one.readers) > 1}
    assert apart == {}
    off = [one.kind for one in DIALOGUES if not all(min(one.marks) <= own <= max(one.marks) for own in one.readers)]
    assert off == []


def test_each_anchor_is_a_mark_of_the_scale_by_which_it_was_read() -> None:
    for one in DIALOGUES:
        scenario = SUITE.scenario(one.scenario)
        assert len(one.said) == sum(turn.reply is None for turn in scenario.turns)
        about = SUITE.rubrics[scenario.rubric].fields[FIELDS[scenario.rubric]].about
        assert [anchor for anchor in one.anchors if f" {anchor}: " not in about] == [], one.kind
