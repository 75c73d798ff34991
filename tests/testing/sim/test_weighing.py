from __future__ import annotations

import pytest

from independence.testing.sim.arbiter import weighed


@pytest.mark.parametrize(
    ("claim", "stance"),
    [
        ("Party A is mostly in the right.", 0.6),
        ("Party A is mostly in the wrong.", -0.6),
        ("Party B is entirely in the right.", -1.0),
        ("Party B is in the right.", -0.7),
        ("Party B should give way a little.", 0.2),
        ("Party A should back down completely.", -1.0),
        ("Party A should not give way.", 0.7),
        ("About 65 percent of what Party A asks for should be met.", 0.3),
        ("A fair end grants about 20% of what Party B wants.", 0.6),
        ("Party B should give way on about three quarters of it.", 0.5),
        ("Party A should drop all of it.", -1.0),
        ("Party A should get none of it.", -1.0),
        ("Neither side is more in the right than the other.", 0.0),
    ],
)
def test_a_claim_is_weighed(claim: str, stance: float) -> None:
    found = weighed([claim])
    assert found.stance == pytest.approx(stance)
    assert found.commits


def test_a_part_counts_as_much_as_all_judgements_together() -> None:
    lines = [
        "Party A is entirely in the right.",
        "Party B should give way completely.",
        "Party A should get half of it.",
    ]
    assert weighed(lines).stance == pytest.approx(0.5)


@pytest.mark.parametrize("claims", [[], ["The answer does not say who is in the right."], ["Party A called Party B."]])
def test_claims_that_settle_nothing_commit_to_nothing(claims: list[str]) -> None:
    assert weighed(claims) == (0.0, False)


def test_no_number_leads_beyond_the_scale() -> None:
    assert weighed(["Party A should get about 400 percent of it."]).stance == 1.0
    assert not weighed([f"Party A should get about {'9' * 20_000} percent of it."]).commits
