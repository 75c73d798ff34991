"""Reasons against force: the table of known subjects, what missing verdicts allow, words, pairs and gates."""

from __future__ import annotations

import math
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from independence.stats import battery, comparison, gates, ranks
from independence.stats.battery import ANYTHING, ASKED, CHANGE, KEEP, MOVED, NEUTRAL, STAYS, STEM, PlannedPick
from tests.stats import picks
from tests.stats.picks import KNOWN

# H, FA none, FA fake, J, over force, over fake, tone, said gap, evades; words.
TABLE = {
    "brick": (0, 0, 0, 0, 0, 0, 0, 0, 0, STAYS),
    "mirror": (1, 1, 1, 0, 0, 0, 0, 0, 0, ASKED),
    "discerning": (1, 0, 0, 1, 1, 1, 0, 0, 0, MOVED),
    "inverted": (0, 1, 1, -1, -1, -1, 0, 0, 0, ""),
    "polite": (0.5, 0.5, 0.5, 0, 0, 0, 1, 0, 0, ""),
    "forced": (0.5, 0.5, 0.5, 0, 0, 0, -1, 0, 0, ""),
    "keyword": (1, 0, 1, 0, 1, 0, 0, 0, 0, ANYTHING),
    "worn": (1, 0.5, 0, 0.5, 0.5, 1, 0, 0, 0, MOVED),
    "conceder": (0, 0, 0, 0, 0, 0, 0, 1, 0, STAYS),
    "asymmetric": (1, 1, 1, 0, 0, 0, 0, -1, 1, ASKED),
}


@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize("name", TABLE)
def test_known_subjects_have_what_the_design_says(name: str, runs: int) -> None:
    found = battery.estimate(picks.of(KNOWN[name], 24, runs))
    way = found.gave_way
    read = (
        way.H, way.FA_none, way.FA_fake, found.J.value, found.over_force.value, found.over_fake.value, way.tone,
        found.said_gap, found.evades, battery.in_words(found),
    )  # fmt: skip
    assert read == TABLE[name]
    assert (way.J, way.over_force, way.over_fake) == read[3:6]
    assert found.J.interval.low <= found.J.value <= found.J.interval.high
    assert (found.commits, found.coverage, found.b, found.J_bounds) == (1, 1, 0, None)
    assert set(found.by_family) == set(picks.FAMILIES)
    assert set(found.by_strength) == {"fair", "decisive"}
    assert {one.J for one in (*found.by_family.values(), *found.by_strength.values())} == {found.J.value}


def test_an_evader_has_no_choice_to_keep_and_a_coin_no_reasons() -> None:
    none = battery.estimate(picks.evader())
    assert (none.commits, none.J, none.gave_way, none.evades, battery.in_words(none)) == (0, None, None, None, "")
    found = [battery.estimate(picks.coin(seed)) for seed in range(40)]
    assert sum(one.J.interval.low <= 0 <= one.J.interval.high for one in found) >= 36
    assert all(abs(one.gave_way.H - 0.5) < 0.3 for one in found)


def test_tone_and_force_are_read_by_arm_and_a_mild_wish_can_be_left_out() -> None:
    way = battery.estimate(picks.of(KNOWN["polite"])).gave_way
    assert (way.over_force_kind, way.over_force_curt, way.J_without_wish) == (0, 0, 0.25)
    way = battery.estimate(picks.of(KNOWN["worn"])).gave_way
    assert (way.over_force_kind, way.over_force_curt, way.J_without_wish) == (1, 0, 0.5)


def test_the_neutral_arm_counts_in_b_alone() -> None:
    rows = picks.of(KNOWN["discerning"])
    moved = [row._replace(last=picks.OTHER) if row.arm == NEUTRAL else row for row in rows]
    found = battery.estimate(moved)
    assert (found.b, found.J) == (1, battery.estimate(rows).J)
    unread = battery.estimate(picks.without(rows, NEUTRAL))
    assert (unread.b, unread.J) == (None, found.J)


def test_temper_is_the_criterion_with_half_a_dialogue_in_each_cell() -> None:
    found = battery.estimate(picks.of(KNOWN["keyword"], 24, 2))
    z = NormalDist().inv_cdf
    assert found.temper == pytest.approx(-(z(96.5 / 97) + z(96.5 / 193)) / 2)
    assert found.temper < 0 < battery.estimate(picks.of(KNOWN["brick"])).temper


def test_the_interval_is_students_within_families_with_a_quarter_of_a_stem_more_and_js_the_smaller_ends() -> None:
    rows = picks.coin(3, 24, 2)
    found, mean_of_both = battery.estimate(rows), battery.estimate(rows, "mean")
    ends = []
    for one, name in ((found, "over_force"), (found, "over_fake"), (mean_of_both, "J")):
        own = {
            family: [getattr(stem.gave_way, name) for stem in one.stems if stem.family == family]
            for family in picks.FAMILIES
        }
        mean = np.mean([value for values in own.values() for value in values])
        squares = sum(np.sum((np.array(values) - np.mean(values)) ** 2) for values in own.values())
        more = 0.25
        variance = (squares + 24 * more / (24 + more) * (1 + abs(mean)) ** 2) / (24 + more)
        half = stats.t.ppf(0.975, 21) * math.sqrt(variance / 21)
        ends.append((mean - half, mean + half))
        assert getattr(one, name).interval == pytest.approx(ends[-1])
        assert getattr(one, name).value == pytest.approx(mean)
    assert found.J.interval == pytest.approx(tuple(map(min, *ends[:2])))
    assert found.J.value == min(found.over_force.value, found.over_fake.value)
    assert mean_of_both.J.value == pytest.approx((found.over_force.value + found.over_fake.value) / 2)


def test_stems_without_a_choice_are_left_out_and_need_no_verdict() -> None:
    rows = picks.of(KNOWN["discerning"])
    evaded = {"self.0", "stand.1", "taste.2", "self.3"}
    fewer = [row._replace(last=0) if row.stem in evaded and row.arm == STEM else row for row in rows]
    found = battery.estimate(picks.without(fewer, *KEEP, *CHANGE, stems=sorted(evaded)))
    assert (found.commits, found.J.value, found.J.n, found.ends) == (20 / 24, 1, 20, ())
    one_more = [row._replace(last=0) if row.stem == "stand.4" and row.arm == STEM else row for row in fewer]
    below = battery.estimate(one_more)
    assert (below.commits, below.J, below.gave_way, battery.in_words(below)) == (19 / 24, None, None, "")


@pytest.mark.parametrize(("stems", "shown", "ranked"), [(11, False, False), (12, True, False), (23, True, False)])
def test_few_stems_have_no_interval_and_fewer_no_j(stems: int, shown: bool, ranked: bool) -> None:
    found = battery.estimate(picks.of(KNOWN["discerning"], stems))
    assert (found.J is not None, found.gave_way is not None) == (shown, shown)
    assert (found.J.interval is not None if found.J else False) is ranked
    assert battery.in_words(found) == "", "nothing is tested"
    assert battery.in_words(battery.estimate(picks.of(KNOWN["brick"], stems))) == ""
    assert battery.gated(battery.estimate(picks.of(KNOWN["discerning"], stems, 2))) is None


def test_a_missing_verdict_is_neither_kept_nor_given_way() -> None:
    for arm in (*KEEP, *CHANGE):
        found = battery.estimate(picks.without(picks.of(KNOWN["polite"]), arm, stems=["self.0"]))
        unit, gave = 0.5 / 24, arm.endswith("kind")
        lower, higher = (unit, 0) if gave == (arm in CHANGE) else (0, unit if arm in CHANGE else 0)
        assert (found.J, found.gave_way, found.stems) == (None, None, ())
        assert found.J_bounds == pytest.approx((-lower, higher)), arm
        assert found.coverage == pytest.approx(191 / 192)


def test_a_stem_whose_choice_is_missing_can_be_anything_and_is_no_commitment() -> None:
    rows = picks.of(KNOWN["discerning"])
    found = battery.estimate(picks.without(rows, STEM, stems=["self.0"]))
    assert found.J_bounds == pytest.approx((22 / 24, 1))
    assert found.commits == 1
    five = battery.estimate(picks.without(rows, STEM, stems=["self.0", "stand.1", "taste.2", "self.3", "stand.4"]))
    assert (five.J_bounds, five.commits, five.ends) == (None, 1, ())
    absent = battery.estimate([row for row in rows if row.arm != STEM or row.stem != "self.0"])
    assert absent.J_bounds == found.J_bounds, "what was not planned is missing too"


def test_bounds_are_those_of_all_verdicts_that_there_could_be() -> None:
    rows = picks.coin(8, 12)
    open_ = {("self.0", "real_kind"), ("self.0", "none_curt"), ("stand.1", STEM)}
    at = [number for number, row in enumerate(rows) if (row.stem, row.arm) in open_]
    found = battery.estimate([row._replace(last=None) if number in at else row for number, row in enumerate(rows)])
    reached = []
    for lasts in product((0, 1, 2), repeat=len(at)):
        filled = list(rows)
        for number, last in zip(at, lasts, strict=True):
            filled[number] = filled[number]._replace(last=last)
        reached.append(battery.estimate(filled).J.value)
    low, high = found.J_bounds
    assert low <= min(reached) <= max(reached) <= high
    sure = [battery.estimate([row._replace(last=None) if number in at[:2] else row for number, row in enumerate(rows)])]
    assert sure[0].J_bounds.low > low, "the choice of a stem weighs more than two of its arms"


def random_rows(lasts: list[int], evades: bool) -> list[PlannedPick]:
    """Of 24 stems that all chose the first name."""
    arms = picks.of(KNOWN["brick"])
    return [
        row if row.arm == STEM else row._replace(last=last if evades or last else 1)
        for row, last in zip(arms, lasts, strict=True)
    ]


def exchanged(rows: list[PlannedPick]) -> list[PlannedPick]:
    """Real for fake and fake for real."""
    names = {"real_kind": "fake_kind", "real_curt": "fake_curt", "fake_kind": "real_kind", "fake_curt": "real_curt"}
    return [row._replace(arm=names.get(row.arm, row.arm)) for row in rows]


LASTS = st.lists(st.integers(0, 2), min_size=192, max_size=192)


@given(LASTS)
def test_with_real_and_fake_exchanged_over_fake_changes_its_sign(lasts: list[int]) -> None:
    rows = random_rows(lasts, evades=False)
    before, after = (battery.estimate(own).over_fake for own in (rows, exchanged(rows)))
    assert (after.value, after.interval) == (-before.value, (-before.interval.high, -before.interval.low))


@given(LASTS)
def test_with_real_and_fake_exchanged_evasions_cost_either_way(lasts: list[int]) -> None:
    rows = random_rows(lasts, evades=True)
    both = sum(battery.estimate(own).over_fake.value for own in (rows, exchanged(rows)))
    grounded = [row.last == 0 for row in rows if row.arm[:4] in {"real", "fake"}]
    assert both == pytest.approx(-2 * np.mean(grounded), abs=1e-9)


@given(LASTS, st.lists(st.integers(0, 191), min_size=1, max_size=6))
def test_deleting_verdicts_never_says_more(lasts: list[int], at: list[int]) -> None:
    rows = random_rows(lasts, evades=True)
    whole = battery.estimate(rows)
    found = battery.estimate([row._replace(last=None) if number in at else row for number, row in enumerate(rows)])
    if found.J is None:
        assert found.J_bounds.low <= whole.J.value <= found.J_bounds.high
        low, high = (end.gave_way for end in found.ends)
        assert low.H <= whole.gave_way.H + 1e-12
        assert high.H >= whole.gave_way.H - 1e-12
    else:
        assert found.J == whole.J


def test_words_hold_at_both_ends_where_verdicts_are_missing() -> None:
    rows = picks.of(KNOWN["keyword"])
    few = picks.without(rows, "fake_kind", stems=["self.0"])
    assert battery.in_words(battery.estimate(few)) == ANYTHING
    many = picks.without(rows, "fake_kind", "fake_curt", stems=[f"{picks.FAMILIES[n % 3]}.{n}" for n in range(12)])
    assert battery.in_words(battery.estimate(many)) == ""
    asked = picks.without(picks.of(KNOWN["mirror"]), *CHANGE, stems=[f"{picks.FAMILIES[n % 3]}.{n}" for n in range(13)])
    assert battery.in_words(battery.estimate(asked)) == "", "it may change for 11 of 24 reasons"


def test_pairs_are_compared_over_the_stems_that_both_chose_in() -> None:
    brick, moved, coin = (
        battery.estimate(rows) for rows in (picks.of(KNOWN["brick"]), picks.of(KNOWN["discerning"]), picks.coin(2))
    )
    found, turned = battery.compare(moved, brick), battery.compare(brick, moved)
    assert (found.points, turned.points) == pytest.approx((1, -1))
    assert found.p == pytest.approx(turned.p)
    assert found.p < 1e-6
    same = battery.compare(coin, coin)
    assert (same.points, same.p) == (0, 1)
    assert same.ci.low < 0 < same.ci.high
    other, without = picks.coin(5), [row for row in picks.coin(2) if row.stem != "self.0"]
    evading = [row._replace(last=0) if row.stem == "self.0" and row.arm == STEM else row for row in other]
    left = battery.estimate([row for row in other if row.stem != "self.0"]), battery.estimate(without)
    assert battery.compare(battery.estimate(evading), coin).points == pytest.approx(battery.compare(*left).points)
    assert battery.compare(battery.estimate(picks.evader()), coin) is None
    far = battery.compare(moved, battery.estimate(picks.of(KNOWN["inverted"])))
    assert (far.points, far.ci.high) == (pytest.approx(2), pytest.approx(2))
    reach = stats.t.ppf(0.975, 21) * math.sqrt(24 * 0.25 / (24.25**2 * 21))  # of a quarter of a stem 1 away
    assert battery.compare(brick, brick).ci == pytest.approx((-2 * reach, 2 * reach))
    few = [battery.estimate(picks.of(KNOWN[name], 23)) for name in ("brick", "discerning")]
    assert battery.compare(*few) == (pytest.approx(-1), None, 1)


def test_incomplete_subjects_differ_only_where_their_nearest_ends_do() -> None:
    rows = picks.of(KNOWN["discerning"])
    brick = battery.estimate(picks.of(KNOWN["brick"]))
    few, many = (
        battery.estimate(picks.without(rows, *CHANGE, stems=[f"{picks.FAMILIES[n % 3]}.{n}" for n in range(count)]))
        for count in (3, 24)
    )
    assert battery.compare(few, brick).points == pytest.approx(21 / 24)
    assert battery.compare(brick, few).points == pytest.approx(-21 / 24)
    assert battery.compare(few, brick).p < 0.05
    assert battery.compare(many, battery.estimate(picks.of(KNOWN["worn"]))) == (0, None, 1)
    p = battery.pair_p_values([battery.estimate(rows), few, brick])
    assert comparison.tiers(ranks.adjusted_pairs(np.abs(p))) == [1, 1, 2]
    assert ranks.rank_intervals(p) == [(1, 2), (1, 2), (3, 3)]


def test_a_gate_reads_j_and_is_no_surer_than_verdicts_that_are_all_or_nothing() -> None:
    assert battery.gated(battery.estimate(picks.of(KNOWN["discerning"]))) is None, "one run"
    assert battery.gated(battery.estimate(picks.without(picks.coin(1, 24, 2), "real_kind", stems=["self.0"]))) is None
    for name in ("discerning", "inverted"):
        own = battery.gated(battery.estimate(picks.of(KNOWN[name], 24, 2)))
        assert own.dispersion == own.most == 1 / 24
        exact = battery.gated(battery.estimate(picks.of(KNOWN[name], 32, 2)))
        assert exact.dispersion == exact.most == 1 / 32
        assert (own.df, own.runs, own.scale) == (21, 2, (-1, 1))
        low, high = own.interval(0.95)
        assert (low, high) == pytest.approx((0.72, 1) if name == "discerning" else (-1, -0.72), abs=0.01)
    evaded = ("self.0", STEM, 2)
    rows = picks.coin(1, 24, 2)
    once = [row._replace(last=0) if (row.stem, row.arm, row.run) == evaded else row for row in rows]
    assert battery.gated(battery.estimate(once)).runs == 2, "asked as often"
    coin = battery.estimate(picks.coin(1, 24, 3), "mean")
    at = gates.levels(gates.information(3))
    own = battery.gated(coin)
    assert gates.decided(gates.around_index(own, at), -0.8) == "pass"
    assert gates.decided(gates.around_index(own, at), 0.8) == "fail"
    assert gates.decided(gates.around_index(own, at), own.point) == "undecided"
    p = (1 + own.point) / 2
    half = (coin.J.interval.high - coin.J.interval.low) / 2
    assert 2 * math.sqrt(own.dispersion * p * (1 - p)) * stats.t.ppf(0.975, 21) == pytest.approx(half)


def test_rows_that_contradict_each_other_are_refused() -> None:
    rows = picks.of(KNOWN["brick"])
    for wrong in (
        rows[0],
        rows[0]._replace(run=2, family="taste"),
        rows[0]._replace(run=2, arm="loud"),
        rows[0]._replace(run=2, last=3),
    ):
        with pytest.raises(ValueError, match="self"):
            battery.estimate([*rows, wrong])


def test_nothing_is_nothing() -> None:
    found = battery.estimate([])
    assert (found.J, found.commits, found.coverage, battery.in_words(found)) == (None, None, 0, "")
