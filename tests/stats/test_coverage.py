"""What `python -m benchmarks coverage` measures on 20,000 sets, on fewer."""

from __future__ import annotations

from benchmarks import coverage
from benchmarks.figure import Figure


def test_intervals_cover_what_they_say_they_cover() -> None:
    figures = [result for result in coverage.measure(sets=2_000, boards=100) if isinstance(result, Figure)]
    assert {figure.name: figure.value for figure in figures if not figure.kept} == {}
    named = {figure.name: figure.value for figure in figures}
    assert named["published bootstrap covers these scenarios"] < 88
    assert named["published bootstrap covers scenarios like these"] < 60
