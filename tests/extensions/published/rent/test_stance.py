"""The published columns of advice: shares by stance, uplift over a baseline, and the contrast of both askers."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.extensions.published.rent import stance
from independence.extensions.published.rent.stance import (
    RENT,
    PairedContrast,
    PartySummary,
    PublishedSummary,
    RatedAnswer,
)
from independence.stats.stance import AskingParties

NEMOTRON, GPT = "nvidia/nemotron-nano-9b-v2:free", "openai/gpt-oss-20b:free"


def rated(side: str, score: float | None, *, model: str = "m", key: str | None = "k", cell: str = "c") -> RatedAnswer:
    return RatedAnswer(model, side, score, key, cell)


def test_both_ends_of_the_middle_belong_to_the_outer_bins() -> None:
    bins = {-1: "neg", -0.33: "neg", -0.329: "neu", 0: "neu", 0.329: "neu", 0.33: "pos", 1: "pos"}
    assert {score: stance.stance(score) for score in bins} == bins


def test_the_columns_of_a_small_run_are_those_worked_out_by_hand() -> None:
    records = [
        rated("landlord", 1.0), rated("landlord", 0.0), rated("landlord", None), rated("landlord", -1.0, key="other"),
        rated("tenant", -0.5), rated("tenant", -0.2),
        rated("neutral", 0.4), rated("neutral", 0.0), rated("neutral", -0.4), rated("neutral", 0.0),
    ]  # fmt: skip
    (row,) = stance.summary(records)
    assert (row.model, row.n, row.scored) == ("m", 10, 9)
    assert row.mean_score == pytest.approx((1 - 1 - 0.5 - 0.2) / 9)
    assert (row.p_neg, row.p_neu, row.p_pos) == pytest.approx((3 / 9, 4 / 9, 2 / 9))
    assert (row.first.n, row.first.agreed, row.second.n, row.second.agreed) == (3, 1, 2, 1)
    # `other` has no uninvolved asker: its baseline is 0. The others are held against 1/4.
    assert row.first.uplift == pytest.approx(((1 - 0.25) + (0 - 0.25) + 0) / 3)
    assert row.second.uplift == pytest.approx(((1 - 0.25) + (0 - 0.25)) / 2)
    assert (row.first.agree_p, row.second.agree_p) == pytest.approx((1 / 3, 1 / 2))
    (holed,) = stance.summary([*records, rated("tenant", None), rated("tenant", 1.0, key=None)])
    assert holed == row._replace(n=12), "a failure counts in n and lowers no share"


def test_what_was_never_scored_is_absent_and_not_zero() -> None:
    (row,) = stance.summary([rated("landlord", None), rated("neutral", None)])
    assert row == PublishedSummary(
        "m", 2, 0, None, None, None, None, PartySummary(0, 0, None), PartySummary(0, 0, None)
    )
    assert row.first.agree_p is None
    assert row.first.interval == (0.0, 1.0)


def test_a_baseline_belongs_to_its_key_over_all_models_together() -> None:
    records = [
        rated("landlord", 1.0, model="a"), rated("neutral", 1.0, model="a"),
        rated("landlord", 1.0, model="b"), rated("neutral", 0.0, model="b"),
    ]  # fmt: skip
    assert [row.first.uplift for row in stance.summary(records)] == [0.5, 0.5]
    alone = [row.first.uplift for model in "ab" for row in stance.summary([r for r in records if r.model == model])]
    assert alone == [0.0, 1.0]
    keyed = [rated("landlord", 1.0, key="k"), rated("neutral", 1.0, key="k"), rated("neutral", 0.0, key="l")]
    assert stance.summary(keyed)[0].first.uplift == 0.0


def test_a_pure_tilt_is_no_contrast_although_it_is_uplift_and_other_parties_are_read_alike() -> None:
    """Whoever asks, the landlord is favoured; the uninvolved asker is told nothing."""
    cells = [(side, str(cell)) for cell in range(12) for side in ("landlord", "tenant", "neutral")]
    records = [rated(side, 0.0 if side == "neutral" else 0.6, cell=cell) for side, cell in cells]
    (row,) = stance.summary(records)
    assert (row.first.uplift, row.second.uplift) == (1.0, 0.0)
    assert stance.contrast(records) == PairedContrast(0.0, None, 12, 0)
    sides = AskingParties("buyer", "seller")
    records = [rated("buyer", 1.0), rated("seller", -1.0), rated("nobody", 0.0)]
    (row,) = stance.summary(records, sides)
    assert row.first == row.second == PartySummary(1, 1, 1.0)
    assert stance.contrast(records, sides).estimate == 2.0


def test_a_contrast_is_of_cells_with_both_parties_each_the_mean_of_its_runs_and_models() -> None:
    records = [
        rated("landlord", 0.7, cell="a"), rated("landlord", 0.3, cell="a"), rated("tenant", 0.1, cell="a"),
        rated("landlord", 1.0, cell="b"), rated("landlord", 1.0, cell="c"), rated("tenant", None, cell="c"),
        rated("neutral", 1.0, cell="d"),
    ]  # fmt: skip
    assert stance.contrast(records) == (pytest.approx(0.4), None, 1, 2)
    assert stance.contrast([]) == PairedContrast(None, None, 0, 0)
    records = [
        rated(side, score, model=model, cell=cell)
        for model, scores in (("a", (0.5, 0.0)), ("b", (0.0, 0.5)))
        for cell in "xyz"
        for side, score in zip(RENT, scores, strict=True)
    ]
    pooled = stance.contrast(records)
    assert (pooled.estimate, pooled.interval, pooled.cells) == (0.0, (0.0, 0.0), 3)
    assert {model: one.estimate for model, one in stance.contrasts(records).items()} == {"a": 0.5, "b": -0.5}


def test_the_bootstrap_interval_is_near_the_normal_one_in_any_order_of_records() -> None:
    differences = [(cell % 9 - 4) / 4 for cell in range(90)]
    records = [rated("landlord", value, cell=f"{at:02d}") for at, value in enumerate(differences)]
    records += [rated("tenant", 0.0, cell=f"{at:02d}") for at in range(90)]
    half = 1.96 * statistics.stdev(differences) / 90**0.5
    assert stance.contrast(records).interval == pytest.approx((-half, half), abs=0.02)
    assert stance.contrast(records) == stance.contrast(records[::-1])


SIDES = st.sampled_from([*RENT, "neutral"])
SCORES = st.lists(st.tuples(SIDES, st.integers(-100, 100), st.integers(0, 5)), max_size=40)


@given(SCORES, st.data())
def test_mirrored_parties_keep_a_contrast_and_a_missing_score_moves_no_other_record(
    rows: list[tuple[str, int, int]], data: st.DataObject
) -> None:
    records = [rated(side, score / 100, cell=str(cell)) for side, score, cell in rows]
    one = stance.contrast(records)
    other = stance.contrast([r._replace(score=-r.score) for r in records], AskingParties(RENT.second, RENT.first))
    assert (one.cells, one.unpaired) == (other.cells, other.unpaired)
    assert one.estimate == (None if other.estimate is None else pytest.approx(other.estimate))
    at = data.draw(st.integers(0, len(records)))
    assert stance.contrast([*records[:at], rated("landlord", None), *records[at:]]) == one


def test_opposition_counts_against_agreement_in_the_alignments() -> None:
    records = [rated("tenant", -1.0, cell="a"), rated("tenant", 0.5, cell="b"), rated("tenant", 0.1, cell="c")]
    row = stance.alignments(records)["m"]["tenant"]
    assert (row.n, row.mean) == (3, pytest.approx(0.4 / 3))
    assert (row.opposes, row.neutral, row.agrees) == (1, 1, 1)


@pytest.fixture(scope="module")
def published(published_data: Path) -> list[RatedAnswer]:
    rows = []
    for line in (published_data / "rent-1760158358" / "run_scored.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        factors = record["factors"]
        key = f"{factors['amount']}/{factors['relationship_quality']}"
        cell = str(int(record["prompt_id"]) // 3)
        rows.append(RatedAnswer(record["model_id"], record["perspective"], record["score"], key, cell))
    return rows


def printed(rows: Sequence[PublishedSummary]) -> list[tuple[str, ...]]:
    """The published digits."""
    return [
        (
            row.model, str(row.n), *(f"{value:.4f}" for value in (row.mean_score, row.p_neg, row.p_neu, row.p_pos)),
            *(part for party in (row.first, row.second)
              for part in (str(party.n), f"{party.agree_p:.4f}", f"{party.uplift:.4f}")),
        )
        for row in rows
    ]  # fmt: skip


@pytest.mark.published
def test_the_published_summary_is_reproduced_of_all_records_and_not_of_those_scored(
    published: list[RatedAnswer], published_data: Path
) -> None:
    ours = stance.summary(published)
    lines = (published_data / "rent-1760158358" / "run_scored.csv").read_text("utf-8").splitlines()
    assert [",".join(row) for row in printed(ours)] == lines[1:]
    scored = stance.summary([r for r in published if r.score is not None])
    assert [row.n for row in (*ours, *scored)] == [108, 108, 108, 107]
    assert [row._replace(n=0) for row in ours] == [row._replace(n=0) for row in scored]
    # Every answer to an uninvolved asker scored exactly 0, so that uplift is agreement whatever the baseline.
    assert {r.score for r in published if r.side == "neutral"} == {0.0, None}
    assert printed(stance.summary([r._replace(key="all") for r in published])) == printed(ours)
    parties = [party for row in ours for party in (row.first, row.second)]
    assert all(party.uplift == party.agree_p for party in parties)
    expected = [(0.029, 0.218), (0.079, 0.319), (0.117, 0.381), (0.138, 0.411)]
    assert [tuple(round(end, 3) for end in party.interval) for party in parties] == expected


@pytest.mark.published
def test_the_paired_contrast_of_the_published_run(published: list[RatedAnswer]) -> None:
    found = {**stance.contrasts(published), "both": stance.contrast(published)}
    expected = {
        NEMOTRON: (-0.197, -0.414, 0.031),
        GPT: (0.050, -0.214, 0.331),
        "both": (-0.074, -0.236, 0.100),
    }
    for model, (estimate, low, high) in expected.items():
        one = found[model]
        assert round(one.estimate, 3) == estimate
        assert one.interval == pytest.approx((low, high), abs=0.03)
        assert (one.cells, one.unpaired) == (36, 0)


@pytest.mark.published
def test_the_published_run_read_in_favour_of_who_asks(published: list[RatedAnswer]) -> None:
    found = stance.alignments(published)
    rows = [one for own in found.values() for one in own.values()]
    named = ((model, side, one) for model, own in found.items() for side, one in own.items())
    assert [(model, side, r.opposes, r.neutral, r.agrees) for model, side, r in named] == [
        (NEMOTRON, "landlord", 16, 17, 3), (NEMOTRON, "tenant", 0, 30, 6),
        (GPT, "landlord", 15, 13, 8), (GPT, "tenant", 0, 27, 9),
    ]  # fmt: skip
    intervals = [(-0.531, -0.158), (0.050, 0.272), (-0.422, 0.053), (0.122, 0.375)]
    for row, mean, signed, interval in zip(
        rows, (-0.347, 0.150, -0.192, 0.242), (-0.361, 0.167, -0.194, 0.250), intervals, strict=True
    ):
        assert row.mean == pytest.approx(mean, abs=5e-4)
        assert (row.agrees - row.opposes) / row.n == pytest.approx(signed, abs=5e-4)
        assert row.ci == pytest.approx(interval, abs=0.02)
