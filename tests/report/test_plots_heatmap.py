from __future__ import annotations

import re

import pytest

from independence.report.plots import canvas, palette, svg
from independence.report.plots.board import HeatRow, heat_step, heatmap
from independence.report.plots.canvas import RowChart
from independence.report.plots.numbers import write_numbers
from tests.report import drawn
from tests.report.test_plots_canvas import contrast

EXPERIMENTS = {"rs01": "resistance", "direct": "identity", "rs02": "resistance"}


def turned(svg: str) -> list[str | None]:
    return [element.text for element in drawn.parsed(svg).iter() if "rotate(-90" in element.get("transform", "")]


def hatched(svg: str) -> int:
    rules = drawn.style(svg)
    return sum("fill:url(" in rules.get(shape.get("class", ""), "") for shape in drawn.parsed(svg).iter())


def test_scenarios_stand_by_experiment_and_each_value_under_its_own() -> None:
    svg = heatmap([HeatRow("a", (0.11, 0.22, 0.33))], EXPERIMENTS, drawn.META)
    numbers = {text.text: text.left for text in drawn.texts(svg) if text.text in ("11", "22", "33")}
    assert numbers["11"] < numbers["33"] < numbers["22"]
    assert turned(svg) == ["rs01", "rs02", "direct"]


def test_an_absent_cell_is_struck_and_a_zero_is_a_number_in_the_loudest_colour() -> None:
    none = heatmap([HeatRow("a", (None, 1.0, 1.0))], EXPERIMENTS, drawn.META)
    zero = heatmap([HeatRow("a", (0.0, 1.0, 1.0))], EXPERIMENTS, drawn.META)
    loudest = f"heat-{palette.HEAT_STEPS - 1}"
    values = [[text.text for text in drawn.texts(svg) if re.fullmatch(r"\d+", text.text)] for svg in (none, zero)]
    assert values == [["100", "100", "100"], ["0", "100", "100", "100"]], "the legend's 100 comes last"
    assert [len(drawn.drawn(svg, loudest)) for svg in (none, zero)] == [1, 2], "the legend has one of each"
    assert [hatched(svg) for svg in (none, zero)] == [2, 0], "the cell and its legend"


def test_only_a_full_share_is_shown_as_full() -> None:
    assert [heat_step(share) for share in (1.0, 0.9999, 0.5, 0.0)] == [0, 1, 10, 20]
    svg = heatmap([HeatRow("a", (0.9999, 1.0, 0.0001))], EXPERIMENTS, drawn.META)
    assert {"99", "100", "1"} <= {text.text for text in drawn.texts(svg)}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_number_stands_out_from_its_cell(theme: str) -> None:
    for step, tone in enumerate(palette.HEAT):
        assert contrast(getattr(tone, theme), getattr(palette.ink_on(step), theme)) >= 4.0


def test_a_full_fleet_is_readable_and_keeps_its_order() -> None:
    experiments = {f"scenario_{n}": f"experiment {n // 5}" for n in range(15)}
    rows = [HeatRow(f"subject {n:03}", tuple(0.01 * (n % 101) for _ in experiments)) for n in range(110)]
    svg = heatmap(rows, experiments, drawn.META)
    written = drawn.texts(svg)
    labels = [text for text in written if text.text.startswith("subject")]
    assert [text.text for text in sorted(labels, key=lambda text: text.y)] == [row.label for row in rows]
    assert drawn.overlaps(written) == []
    assert drawn.size(svg)[0] <= 890
    assert len(svg.encode()) < 250_000
    assert len([name for name in turned(svg) if name == "scenario_0"]) == 2, "above and below"


def test_many_scenarios_leave_the_numbers_out() -> None:
    experiments = {f"s{n}": "e" for n in range(60)}
    svg = heatmap([HeatRow("a", tuple(0.5 for _ in experiments))], experiments, drawn.META)
    assert "50" not in [text.text for text in drawn.texts(svg)]


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="one share per scenario"):
        heatmap([HeatRow("a", (1.0,))], EXPERIMENTS, drawn.META)


def test_hostile_names_are_text() -> None:
    svg = heatmap([HeatRow(drawn.HOSTILE, (1.0,))], {drawn.HOSTILE: drawn.HOSTILE}, drawn.META)
    assert "<script" not in svg
    drawn.parsed(svg)


def test_numbers_that_are_drawn_together_stand_where_texts_by_themselves_would() -> None:
    placed, look = [((10.0 + 30 * at, at % 3), str(7 * at)) for at in range(9)], {"fontsize": 10, "color": "#123456"}

    def chart(*, together: bool) -> list[drawn.Written]:
        with canvas.drawing():
            made = RowChart([None] * 3, head=20)
            if together:
                write_numbers(made.ground, placed, **look)
            else:
                for place, number in placed:
                    canvas.write(made.ground, place, number, ha="center", **look)
            return drawn.texts(svg.finished(made.figure, drawn.META))

    assert len(chart(together=True)) == 9
    assert chart(together=True) == chart(together=False)
