"""What runs say again: found in the texts of their answers, and kept."""

from __future__ import annotations

from pathlib import Path

from independence.store import repetitions
from independence.store.file import database
from tests.store import rows


def test_scenarios_of_the_same_words_share_a_dialogue_whose_texts_are_read_once(tmp_path: Path) -> None:
    with database.connect(tmp_path / "store.db") as store:
        rows.edition(store)
        rows.trial(store, "t1", turns=2, scenario="first")
        rows.dialogue(store, "t1", "Tea.", "Still tea.")
        rows.trial(store, "t1", turns=2, scenario="second")
        assert repetitions.reply_texts(store, ("t1", "t1")) == {"t1": ["Tea.", "Still tea."]}
