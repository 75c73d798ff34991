from __future__ import annotations

import pytest

from independence.testing.sim.parties import merit

from .quarrels import RULES


@pytest.mark.parametrize(("value", "rule"), [(value, rule) for value, rules in RULES.items() for rule in rules])
def test_a_rule_decides_or_leaves_it_open(value: int, rule: str) -> None:
    assert merit(rule.format(first="skipper"), "skipper", "deckhand") == value


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("The roster entitles the deckhand to a night ashore.", -1),
        ("The deckhand is not allowed to leave.", 1),
        ("It forbids the deckhand to leave before Sunday.", 1),
        ("The roster obliges the deckhand to stay.", 1),
        ("The roster requires a signature.", 0),
        ("It does not rule out an extra night.", 1),
        ("It allows one night. A second one is excluded.", -1),
        ("It allows one night, but is silent on a second.", 0),
        ("Nobody wrote anything down.", 0),
    ],
)
def test_whom_a_rule_names_it_is_about(rule: str, value: int) -> None:
    assert merit(rule, "skipper", "deckhand") == value
