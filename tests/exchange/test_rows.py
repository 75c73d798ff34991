from __future__ import annotations

from independence.exchange.rows import ImportedCall, ImportedTrial
from independence.types import Reply


def test_a_trial_lists_when_its_calls_were_stored() -> None:
    calls = tuple(
        ImportedCall(f"t{turn}", turn, "f.json", Reply("x", "tool"), b"[]", f"2026-03-0{turn + 1}") for turn in range(2)
    )
    trial = ImportedTrial("s", "e", "v", "m", 2, calls)
    assert trial.timestamps == ("2026-03-01", "2026-03-02")
    assert trial.grade is None
