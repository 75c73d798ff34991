"""The sample that people score: balanced, the same for the same seed, blind, and read again when it is filled in."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from independence.errors import StoreError
from independence.exchange import humans, labels, storing
from independence.exchange.labels import LabelCandidate
from independence.exchange.rent import reader, records
from independence.store import scopes
from independence.suites.load import LoadedSuite, load
from tests.exchange.rent import folders
from tests.report import filled


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


@pytest.fixture
def found(tmp_path: Path, connection: sqlite3.Connection) -> list[LabelCandidate]:
    """Two models, 24 cases of three sides each; scores lean to the tenant, in each level of each factor alike."""
    suite = load("rent").suite
    said = [
        folders.answer(suite, f"{at:03d}", model, messages=[{"role": "user", "content": f"Prompt {at:03d}?"}])
        for model in ("acme/a", "acme/b")
        for at in range(72)
    ]
    scores = [1.0 if at % 6 == at // 6 % 6 else -1.0 for at in range(len(said))]
    judged = [folders.judged(one, score) for one, score in zip(said, scores, strict=True)]
    top = records.find(folders.write(tmp_path / "run", answers=said, judged=judged))
    assert top is not None
    storing.store_folder(connection, reader.read(top, load("rent")))
    return labels.candidates(connection, scopes.find(connection, "rent", None, None), None, ())


def test_the_sample_is_balanced_over_factors_sides_subjects_and_stance(found: list[LabelCandidate]) -> None:
    assert len(found) == 144
    counted = labels.counts(labels.sample(found, 24, 1))
    assert set(counted) == {
        "amount", "justification", "landlord_quality", "tenant_quality", "side", "subject", "stance",
    }  # fmt: skip
    for levels in counted.values():
        assert max(levels.values()) - min(levels.values()) <= 2, counted
    population = Counter(level for one in found for name, level in one.levels if name == "stance")
    assert population["neg"] == 5 * population["pos"]
    assert counted["stance"]["pos"] >= 11  # a draw without strata would have 4


def test_a_seed_decides_and_decides_the_same_each_time(found: list[LabelCandidate]) -> None:
    drawn = [[one.item for one in labels.sample(own, 12, seed)] for own, seed in
             ((found, 1), (found[::-1], 1), (found, 2))]  # fmt: skip
    assert drawn[0] == drawn[1]
    assert set(drawn[0]) != set(drawn[2])
    assert len(labels.sample(found, 1000, 0)) == len(found)


def test_a_line_holds_the_words_and_room_for_a_score_and_names_no_model(
    connection: sqlite3.Connection, found: list[LabelCandidate]
) -> None:
    content = labels.to_csv(scopes.find(connection, "rent", None, None).suite, found[:5])
    read = rows(content)
    assert list(read[0])[:4] == ["item", "rater", "field", "value"]
    assert {(row["rater"], row["field"], row["value"], row["scale"]) for row in read} == {("", "stance", "", "-1 to 1")}
    assert "PERSON: Prompt 000?" in read[0]["text"]
    assert "{{" not in read[0]["asks"]
    assert "off-t0.2" not in content.decode()


def test_a_filled_sample_comes_back_as_scores_of_every_field(
    tmp_path: Path, connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "a", [{"one": (9, 6, 2)}])
    where = filled.scope(toy_suite)
    drawn = labels.sample(labels.candidates(connection, where, None, ()), 3, 0)
    read = rows(labels.to_csv(where.suite, drawn))
    assert sorted(row["field"] for row in read) == ["drift", "firmness", "firmness", "kept", "kept"]
    assert "lentil soup" in next(row["text"] for row in read if row["field"] == "drift")
    for row in read:
        row.update(rater="Ann", value="true" if row["scale"] == "true or false" else "5")
    path = tmp_path / "filled.csv"
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(read[0]))
        writer.writeheader()
        writer.writerows(read)
    assert humans.store(connection, path, humans.read(path, connection)) == 3


def test_a_place_without_finished_dialogues_has_no_sample(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    filled.plan(connection, toy_suite)
    with pytest.raises(StoreError, match="no finished dialogue fits"):
        labels.candidates(connection, filled.scope(toy_suite), None, ())
