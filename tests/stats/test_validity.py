from __future__ import annotations

import pytest

from independence.stats.validity import VOID, void_reason


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ((), None),
        (("cleaned", "retried_length", "short"), None),
        (("artefact",), "transport"),
        (("cleaned", "greeting_echo"), "transport"),
        (("stale_history",), "stale"),
    ],
)
def test_a_dialogue_carries_a_measurement_unless_a_flag_says_otherwise(
    flags: tuple[str, ...], reason: str | None
) -> None:
    assert void_reason(flags) == reason


def test_flags_that_void_agree_on_one_reason_each() -> None:
    assert {void_reason([flag]) for flag in VOID} == set(VOID.values())
