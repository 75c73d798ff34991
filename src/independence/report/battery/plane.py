"""H and FA of every subject in a square, and what a report says of them first."""

from __future__ import annotations

from collections import Counter

from independence.report.battery.board import ReasonsBoard, ReasonsStudy
from independence.report.files import charts
from independence.report.files.charts import Plane, PlanePoint, Scale
from independence.report.files.legend import subject_name
from independence.report.files.table import Section, escaped, signed
from independence.report.sections import summary
from independence.stats import battery

_CORNERS = (battery.MOVED, battery.ASKED, battery.STAYS, "the other way round")


def chart(data: ReasonsStudy, board: ReasonsBoard) -> Plane | None:
    """The plane; None where no subject took a choice."""
    points = []
    for row in board.rows:
        if row.H is None or row.FA is None:
            continue
        region = battery.region(data.found[row.config])
        points.append(
            PlanePoint(
                label=row.label, subject=row.config, simulated=row.simulated, x=row.FA, y=row.H,
                ellipse=charts.Ellipse(x=row.FA, y=row.H, **region._asdict()) if region else None,
                says=f"J {signed(row.J.est, 2)}" if row.J else "",
            )
        )  # fmt: skip
    if not points:
        return None
    return Plane(
        id="reasons-plane",
        title="Given up for a reason, and without one",
        caption="H: share of facts that count for which the choice is changed. FA: share of the other dialogues in "
        "which it is not kept. J is H minus FA. Ellipses: 95% for other stems of the same families.",
        x=Scale(head="FA", kind="number", digits=2, span=(0.0, 1.0), low="keeps", high="gives up without a reason"),
        y=Scale(head="H", kind="number", digits=2, span=(0.0, 1.0), low="keeps", high="gives up for a reason"),
        points=tuple(points),
        quantity="J",
        levels=(-0.5, 0.0, 0.5),
        corners=_CORNERS,
    )


def in_short(data: ReasonsStudy, board: ReasonsBoard) -> Section:
    """What a report says first."""
    return summary.section(data, in_words(board), board, any(row.simulated for row in board.rows))


def in_words(board: ReasonsBoard) -> str:
    """How many subjects show what, and whose J is highest and lowest, as Markdown."""
    count = len(board.rows)
    shown = Counter(row.verdict or "none of these" for row in board.rows if row.J)
    told = [f"“{said}” {number}" for said, number in shown.most_common()]
    without = sum(row.J is None for row in board.rows)
    told += [f"no J {without}"] if without else []
    said = f"Conclusions on {count} subject{'' if count == 1 else 's'}: {', '.join(told)}."
    known = [(row, row.J.est) for row in board.rows if row.J]
    for word, (row, value) in {"Highest": known[0], "Lowest": known[-1]}.items() if len(known) > 1 else ():
        said += f" {word}: **{escaped(subject_name(row.label, row.simulated))}**, J {signed(value, 2)}."
    return said
