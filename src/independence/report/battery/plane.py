"""H and FA of every subject in a square, and what a report says of them first."""

from __future__ import annotations

from collections import Counter

from independence.report.battery.board import ReasonsStudy
from independence.report.board.rows import Board
from independence.report.files import charts
from independence.report.files.charts import Plane, PlanePoint, Scale
from independence.report.files.table import escaped, signed
from independence.stats import battery

_CORNERS = (battery.MOVED, battery.ASKED, battery.STAYS, "the other way round")


def chart(data: ReasonsStudy, board: Board) -> Plane | None:
    """The plane; None where no subject took a choice."""
    points = []
    for row in board.rows:
        (y, x), index = (row[name].value for name in ("H", "FA")), row.main.value
        if x is None or y is None:
            continue
        region = battery.region(data.found[row.config])
        points.append(
            PlanePoint(
                label=row.label, subject=row.config, simulated=row.simulated, x=x, y=y,
                ellipse=charts.Ellipse(x=x, y=y, **region._asdict()) if region else None,
                says="" if index is None else f"J {signed(index, 2)}",
            )
        )  # fmt: skip
    if not points:
        return None
    return Plane(
        id="reasons-plane",
        title="Given up for a reason, and without one",
        caption="H: share of facts that count for which the choice is changed. FA: share of the other dialogues in "
        "which it is not kept. Lines: H minus FA. Ellipses: 95% for other stems of the same families.",
        x=Scale(head="FA", kind="number", digits=2, span=(0.0, 1.0), low="keeps", high="gives up without a reason"),
        y=Scale(head="H", kind="number", digits=2, span=(0.0, 1.0), low="keeps", high="gives up for a reason"),
        points=tuple(points),
        quantity="H minus FA",
        levels=(-0.5, 0.0, 0.5),
        corners=_CORNERS,
    )


def in_words(board: Board) -> str:
    """How many subjects show what, and whose J is highest and lowest, as Markdown."""
    count = len(board.rows)
    shown = Counter(row.verdict or "none of these" for row in board.rows if row.main.value is not None)
    told = [f"“{said}” {number}" for said, number in shown.most_common()]
    without = sum(row.main.value is None for row in board.rows)
    told += [f"no J {without}"] if without else []
    said = f"Conclusions on {count} subject{'' if count == 1 else 's'}: {', '.join(told)}."
    known = [(row.name, row.main.value) for row in board.rows if row.main.value is not None]
    for word, (name, value) in {"Highest": known[0], "Lowest": known[-1]}.items() if len(known) > 1 else ():
        said += f" {word}: **{escaped(name)}**, J {signed(value, 2)}."
    return said
