from __future__ import annotations

from pathlib import Path

from . import typescript

COMMITTED = Path(__file__).parents[3] / "web" / "src" / "schema.ts"


def test_the_committed_types_are_those_of_the_structs() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == typescript.types()
