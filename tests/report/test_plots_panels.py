from __future__ import annotations

from independence.report.plots.advice import PanelRow, PointEstimate, QuantityScale, panels
from independence.report.table import signed
from tests.report import drawn

HEADS = (QuantityScale("S", "against", "towards", (-0.1, 0.1)), QuantityScale("B", "left", "right"))
WHOLE = PanelRow("a", (PointEstimate(0.3, (0.2, 0.4)), PointEstimate(-0.2)))
EMPTY = PanelRow("b", (None, None), simulated=True)
PARTIAL = PanelRow("c", (PointEstimate(0.0, (-0.6, 0.6)), None), coverage=0.5)


def written(svg: str) -> dict[str, drawn.Written]:
    return {text.text: text for text in drawn.texts(svg)}


def test_every_panel_has_its_head_and_every_subject_its_numbers() -> None:
    texts = written(panels([WHOLE, EMPTY, PARTIAL], HEADS, drawn.META))
    assert {"S", "B", "← against", "towards →", "← left", "right →", "a", "b · simulated", "c"} <= texts.keys()
    assert {"+0.30", "-0.20", "0.00"} <= texts.keys()
    assert round(texts["+0.30"].y) == round(texts["a"].y)
    assert texts["-0.20"].left > texts["+0.30"].right


def test_incomplete_subjects_stand_under_a_heading_of_their_own() -> None:
    texts = written(panels([WHOLE, PARTIAL], HEADS, drawn.META))
    assert texts["a"].y < texts["Incomplete: from the pairs there are"].y < texts["c"].y
    assert "Incomplete: from the pairs there are" not in written(panels([WHOLE], HEADS, drawn.META))


def test_a_scale_shows_every_interval_and_nothing() -> None:
    texts = written(panels([PanelRow("far", (PointEstimate(0.7, (0.6, 0.95)), None))], HEADS, drawn.META))
    assert {"0", "0.8"} <= texts.keys()


def test_what_counts_as_nothing_is_shaded_and_explained() -> None:
    assert "counts as none" in written(panels([WHOLE], HEADS, drawn.META))
    assert "counts as none" not in written(panels([WHOLE], HEADS[1:] * 2, drawn.META))


def test_no_two_texts_overlap_on_a_long_chart_with_long_names() -> None:
    many = [
        PanelRow(f"{'long-' * 12}{n}", (PointEstimate(0.1 * (n % 9) - 0.4), PointEstimate(0.2)), n % 2 == 0)
        for n in range(40)
    ]
    three = (*HEADS, QuantityScale("Merit slope", "against the facts", "with the facts"))
    rows = [PanelRow(row.label, (*row.values, PointEstimate(0.5, (0.1, 0.9))), row.simulated) for row in many]
    assert drawn.overlaps(drawn.texts(panels(rows, three, drawn.META)), 9) == []


def test_hostile_labels_stay_text() -> None:
    svg = panels([PanelRow(drawn.HOSTILE, (PointEstimate(0.1), None))], HEADS, drawn.META)
    assert "<script" not in svg
    assert drawn.parsed(svg) is not None


def test_nothing_has_no_sign() -> None:
    assert [signed(value) for value in (-0.004, 0.0, 0.004, 0.006, -0.2)] == ["0.00", "0.00", "0.00", "+0.01", "-0.20"]


def test_nobody_is_still_a_chart() -> None:
    assert drawn.parsed(panels([], HEADS, drawn.META)) is not None
