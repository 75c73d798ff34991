"""The published board that ships: what it prints, and that the facts are those of the published data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from independence.config import registry
from independence.extensions.published import published_board
from tests.e2e import command
from tests.stores import Stores


def test_the_board_is_printed_without_key_and_store() -> None:
    told = command.ok("published")
    assert "1 gemini-3.1-pro-preview@low-t0.7 " in told.out
    assert (
        "32 of the 78 models with a tier are in tier 1: they do not differ significantly from the leader."
        in " ".join(told.out.split())
    )
    whole = json.loads(command.ok("published", "--format", "json", "--detailed").out)["published-board"]["rows"]
    assert [row["rank"] for row in whole] == list(range(1, 109))
    for row in whole:
        assert (row["tier"] is None) or (row["ci"] is not None and row["strict_index"] is not None)
        assert row["runs"] > 1 or row["strict_ci"] is None


def test_models_are_chosen_by_label_or_short_name() -> None:
    rows = json.loads(command.ok("published", "-m", "kimi-k3+moonshot,claude-opus-4.8", "--format", "json").out)
    assert [row["rank"] for row in rows["published-board"]["rows"]] == [32, 60]
    assert "no model `kimi-k9` on the published board" in command.refused("published", "-m", "kimi-k9")


def test_the_registry_that_ships_has_every_ranked_configuration() -> None:
    known = registry.load(Path(registry.PUBLISHED)).subjects
    labels = {subject.label for subject in known}
    older = {row["label"] for row in published_board.rows() if "/" in row["label"]}  # of the layout without settings
    assert len(known) == len(labels) == 130
    assert len(older) == 4
    assert {row["label"] for row in published_board.rows()} - older <= labels


@pytest.mark.published
def test_strict_values_are_what_the_published_verdicts_give(stores: Stores) -> None:
    facts = {row["label"]: row for row in published_board.rows()}
    board = command.ok("leaderboard", "--db", stores("published"), "--format", "json").board
    found = {row["label"]: row for row in board["rows"] if row["label"] in facts}
    assert len(found) > 50
    for label, row in found.items():
        told = facts[label]["strict_index"]
        assert f"{row['index']:.1f}" == told if row["index"] is not None else told == ""
