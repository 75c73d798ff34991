"""Charts in reports of Markdown: the numbers of each kind as lines of text, within a page and without any action."""

from __future__ import annotations

import pytest

from independence.report.files import chart_text, charts, markdown
from independence.report.files.charts import (
    Bar,
    Bars,
    Chart,
    DrawnEstimate,
    Ellipse,
    Heat,
    HeatColumn,
    HeatRow,
    IntervalRow,
    Intervals,
    LinePanel,
    Lines,
    Plane,
    PlanePoint,
    Scale,
    Scatter,
    ScatterPoint,
)
from independence.report.files.table import Prose, Section

LONG = "vendor/model-with-a-name-that-is-longer-than-a-line-has-room-for@low-t0.7"
HOSTILE = "a``` <script>\u202e\x1b[31m\nb"
ABOUT = {"id": "c", "title": "T *t*", "caption": "What [it] shows"}
INDEX = Scale(head="Index", kind="index", span=(50.0, 100.0))
SHARE = Scale(head="kept", kind="percent", span=(0.0, 1.0))
SIGNED = Scale(head="S", kind="signed", digits=2, span=(-1.0, 1.0), low="against", high="for", zero=True)
KINDS: dict[str, Chart] = {
    "intervals": Intervals(
        **ABOUT, scales=(INDEX,),
        rows=(
            IntervalRow(
                label=LONG, tier=1, values=(DrawnEstimate(value=95.0, inner=(90.0, 97.5), outer=(75.0, 100.0)),)
            ),
            IntervalRow(label=HOSTILE, partial=True, values=(DrawnEstimate(bounds=(50.0, 75.0)),)),
        ),
    ),
    "heat": Heat(
        **ABOUT, colours="kept", scale=SHARE,
        columns=tuple(HeatColumn(label=f"scenario-{place}") for place in range(30)),
        rows=(HeatRow(label=LONG, values=(0.25,) * 29 + (None,)), HeatRow(label=HOSTILE, values=(1.0,) * 30)),
    ),
    "scatter": Scatter(
        **ABOUT, log=True, at_zero="free", x=Scale(head="Dollars", kind="dollars", span=(0.1, 1.0)), y=INDEX,
        frontier=(1, 0), points=(ScatterPoint(label=LONG, x=0.5, y=95.0), ScatterPoint(label=HOSTILE, x=0.0, y=60.0)),
    ),
    "plane": Plane(
        **ABOUT, x=SHARE, y=SHARE, quantity="J", levels=(0.0,), corners=("a", "b", "c", "d"),
        points=(
            PlanePoint(label=LONG, x=0.25, y=0.5, x_ci=(0.0, 0.5)),
            PlanePoint(label=HOSTILE, x=0.0, y=1.0, ellipse=Ellipse(x=0.05, y=0.95, first=0.1, second=0.05)),
        ),
    ),
    "lines": Lines(
        **ABOUT, x=SIGNED, y=SIGNED, series=("one asks", "other asks"),
        panels=(LinePanel(label=HOSTILE, xs=(-1.0, 1.0), values=((0.5, None), (-0.25, 0.25)), says="S +0.10"),),
    ),
    "bars": Bars(**ABOUT, head="runs", bars=(Bar(label=LONG, count=3), Bar(label=HOSTILE, count=0))),
}  # fmt: skip
SAID = {
    "intervals": ("95.0  90.0–97.5  tier 1", "50.0–75.0", "50                        100"),
    "heat": ("1 scenario-0", "30 scenario-29", "25%", "—", "100%"),
    "scatter": ("95.0  $0.50  frontier", "60.0  free  frontier"),
    "plane": ("●    100%      0%", "   ●               50%     25%", "J; then kept and kept"),
    "lines": ("one asks     +0.50       —", "other asks   -0.25   +0.25", "S +0.10"),
    "bars": ("█ 3", " 0"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_is_lines_with_its_numbers_no_wider_than_a_page(kind: str) -> None:
    lines = chart_text.lines(KINDS[kind])
    assert max(map(len, lines)) <= 100
    assert [said for said in SAID[kind] if said not in "\n".join(lines)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_in_a_report_it_is_code_that_nothing_leaves(kind: str) -> None:
    text = markdown.document("R", [Section("s", "S", [KINDS[kind], Prose("Below.")])])
    (fence,) = {line.removesuffix("text") for line in text.splitlines() if line.startswith("```")}
    before, inside, after = text.split(f"\n{fence}")
    assert before.endswith("**T \\*t\\***\n")
    assert "model-with" in inside or "\\u202e" in inside
    assert after.strip() == "*What \\[it\\] shows*\n\nBelow."
    assert not {"\x1b", "\u202e"} & {*text}


def test_marks_stand_where_their_values_are() -> None:
    _, whole, open_, _ = chart_text.lines(KINDS["intervals"])
    start = len(whole) - len(whole[34:])
    assert whole[start:63] == " " * 14 + "─" * 8 + "━" * 3 + "●" + "━━─"
    assert open_[start:63] == "·" * 15 + " " * 14


def test_spans_hold_what_they_must() -> None:
    assert charts.index_span([99.0, 61.0]) == (60.0, 100.0)
    assert charts.index_span([60.0]) == (50.0, 100.0)
    assert charts.index_span([]) == (0.0, 100.0)
    far = DrawnEstimate(value=0.7, inner=(0.6, 0.95))
    assert charts.span_around_zero([far, None], (-0.15, 0.15)) == (-0.3, 1.0)
    assert charts.span_around_zero([]) == (-0.1, 0.1)


def test_the_frontier_is_what_no_cheaper_subject_reaches() -> None:
    def points(*places: tuple[float, float]) -> list[ScatterPoint]:
        return [ScatterPoint(label="", x=x, y=y) for x, y in places]

    assert charts.frontier(points((0, 60), (0.1, 80), (0.5, 70), (1, 90))) == (0, 1, 3)
    assert charts.frontier(points((2, 80), (1, 80))) == (1,), "a tie goes to the cheaper"
    assert charts.frontier([]) == ()
