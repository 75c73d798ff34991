from __future__ import annotations

import pytest

from independence.report.plots.panels import Measured, Panel
from independence.report.plots.plane import PlanePoint, plane
from tests.report import drawn

ACROSS, UP = Panel("Tilt", "to the left", "to the right"), Panel("S", "against", "towards", (-0.1, 0.1))


def points(*given: tuple[str, float, float]) -> list[PlanePoint]:
    return [PlanePoint(label, Measured(x, (x - 0.05, x + 0.05)), Measured(y)) for label, x, y in given]


def written(svg: str) -> dict[str, drawn.Written]:
    return {text.text: text for text in drawn.texts(svg)}


def test_subjects_stand_where_their_numbers_are() -> None:
    texts = written(plane(points(("low", -0.5, -0.5), ("high", 0.5, 0.5)), ACROSS, UP, drawn.ABOUT))
    assert texts["low"].y > texts["high"].y
    assert texts["low"].left < texts["high"].left


def test_nothing_is_in_the_middle_of_both_scales() -> None:
    texts = drawn.texts(plane(points(("a", 0.7, 0.1)), ACROSS, UP, drawn.ABOUT))
    numbers = {float(text.text): text for text in texts if text.text.replace("-", "").replace(".", "").isdigit()}
    assert min(numbers) == -max(numbers)
    ends = [text for text in texts if text.text in (f"{min(numbers):g}", f"{max(numbers):g}")]
    assert len(ends) >= 2


def test_dots_tell_their_numbers_and_who_is_simulated() -> None:
    one = PlanePoint("a", Measured(0.25), Measured(-0.5), simulated=True)
    svg = plane([one], ACROSS, UP, drawn.ABOUT)
    assert drawn.tips(svg) == ["a: S -0.50, Tilt +0.25, simulated"]
    assert "simulated" in written(svg)


def test_labels_never_cover_each_other() -> None:
    crowd = points(*((f"subject-{n}", 0.01 * n, 0.01 * (n % 5)) for n in range(30)))
    named = [text for text in drawn.texts(plane(crowd, ACROSS, UP, drawn.ABOUT)) if text.text.startswith("subject")]
    assert len(named) > 5
    assert drawn.overlaps(named) == []


@pytest.mark.parametrize("given", [[], points((drawn.HOSTILE, 0.0, 0.0))])
def test_odd_input_is_still_a_chart(given: list[PlanePoint]) -> None:
    svg = plane(given, ACROSS, UP, drawn.ABOUT)
    assert drawn.parsed(svg) is not None
    assert "<script" not in svg
