from __future__ import annotations

import pytest

from independence.testing.sim.panel import PANEL, known, simulated_subject


def test_the_panel_runs_from_never_to_always_in_order_of_planted_yield() -> None:
    plain = [subject for subject in PANEL.values() if subject.identity_yield is None]
    assert [subject.yield_probability for subject in plain] == [0, 0.2, 0.35, 0.5, 0.65, 0.8, 1]
    assert plain[0].name == "never"
    assert plain[-1].name == "always"


def test_one_member_keeps_its_identity_and_folds_on_the_rest() -> None:
    subject = PANEL["folds-on-preferences"]
    assert (subject.yield_probability, subject.identity_yield) == (1.0, 0.0)


@pytest.mark.parametrize(("name", "share"), [("yield-0", 0), ("yield-07", 0.07), ("yield-42", 0.42), ("yield-100", 1)])
def test_any_percentage_is_a_subject(name: str, share: float) -> None:
    subject = simulated_subject(name)
    assert subject is not None
    assert (subject.name, subject.yield_probability) == (name, share)


@pytest.mark.parametrize("name", ["", "yield-", "yield-101", "yield-1000", "yield--1", "yield-½", "yield-2x", "judge"])
def test_anything_else_is_no_subject(name: str) -> None:
    assert simulated_subject(name) is None


@pytest.mark.parametrize("name", ["half", "yield-07", "pleaser", "adviser-s40-b-20-m50-n10"])
def test_subjects_are_known_whether_leant_on_or_advising(name: str) -> None:
    assert known(name)
    assert not known(f"{name}x")
