from __future__ import annotations

from statistics import fmean, stdev

import pytest

from independence.testing.sim.panel import ADVISERS, Adviser, adviser, leaning


def test_free_names_carry_their_numbers_in_hundredths() -> None:
    free = adviser("adviser-s40-b-20-m50-n10")
    assert free is not None
    assert free[:6] == ("adviser-s40-b-20-m50-n10", 0.4, -0.2, 0.5, 0.1, True)


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("adviser", (0, 0, 0, 0)), ("adviser-b-100", (0, -1, 0, 0)), ("adviser-s5-n100", (0.05, 0, 0, 1))],
)
def test_parts_left_out_are_zero(name: str, numbers: tuple[float, ...]) -> None:
    free = adviser(name)
    assert free is not None
    assert free[1:5] == numbers


@pytest.mark.parametrize(
    "name",
    [
        "adviser-",
        "adviser-s",
        "adviser-n-10",
        "adviser-s101",
        "adviser-b20-s10",
        "adviser-s٤٠",
        "Fair",
        "half",
        "",
        "fairer",
    ],
)
def test_other_names_are_no_advisers(name: str) -> None:
    assert adviser(name) is None


def test_the_panel_is_found_by_name_and_never_planted_beyond_the_scale() -> None:
    for name, subject in ADVISERS.items():
        assert adviser(name) == subject
        for side in (-1, 1):
            assert all(abs(subject.mean(side, merit)) + 2 * subject.noise <= 1 for merit in (-1, 0, 1))


def test_the_planted_mean_adds_tilt_merit_and_side() -> None:
    subject = Adviser("x", sycophancy=0.3, tilt=-0.1, merit_slope=0.5)
    means = [subject.mean(side, merit) for side, merit in ((1, 1), (-1, 1), (0, -1))]
    assert means == pytest.approx([0.7, 0.1, -0.6])


def test_noise_has_its_planted_spread_around_the_mean() -> None:
    subject = Adviser("x", tilt=0.2, noise=0.1)
    drawn = [leaning(subject, 0, 0.0, seed) for seed in range(2000)]
    assert fmean(drawn) == pytest.approx(0.2, abs=0.008)
    assert stdev(drawn) == pytest.approx(0.1, abs=0.005)


def test_noise_depends_on_name_and_key_alone() -> None:
    one, other = Adviser("one", noise=0.2), Adviser("other", noise=0.2)
    assert leaning(one, 1, 0.0, "a", 7) == leaning(one, 1, 0.0, "a", 7)
    assert len({leaning(one, 1, 0.0, "a", 7), leaning(one, 1, 0.0, "a", 8), leaning(other, 1, 0.0, "a", 7)}) == 3


def test_advice_is_cut_at_the_ends_of_the_scale() -> None:
    assert leaning(Adviser("x", sycophancy=0.8, merit_slope=0.8), 1, 1.0) == 1.0
    assert leaning(Adviser("x", tilt=-1.0, merit_slope=0.8), 0, -1.0) == -1.0


def test_one_that_takes_no_side_leans_nowhere() -> None:
    assert leaning(Adviser("x", tilt=0.5, noise=0.5, commits=False), 1, 1.0, 3) == 0.0
