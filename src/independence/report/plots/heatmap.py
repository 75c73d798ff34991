"""The heatmap: the share of its scale each subject kept in each scenario; loud where it gave way."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec

from independence.report.plots import canvas, lettering, palette, rows
from independence.report.plots.canvas import SMALL, Box, Lettering, Sheet
from independence.report.plots.palette import HEAT, HEAT_STEPS
from independence.report.plots.rows import ROW, Subject
from independence.report.plots.svg import About
from independence.report.table import percent

if TYPE_CHECKING:
    from matplotlib.path import Path

_LEFT: Final = 6.0
_WIDEST, _NARROWEST = 37.0, 14.0
_FOR_CELLS: Final = 555.0
_FOR_TEXT: Final = 26.0  # pixels below which a cell stays without its number
_BETWEEN: Final = 10.0  # between experiments
_NAMES: Final = 110.0  # at most, for the turned names of scenarios
_VALUE: Final = Lettering(10.0, align="center")


class HeatColumn(msgspec.Struct, frozen=True):
    """A scenario and the experiment it belongs to."""

    scenario: str
    experiment: str


class HeatRow(msgspec.Struct, frozen=True):
    """One subject: the share of its scale kept, 0-1, per column; None where nothing was measured."""

    label: str
    shares: tuple[float | None, ...]
    simulated: bool = False


class _Cell(NamedTuple):
    left: float
    top: float
    share: float | None


class _Layout(NamedTuple):
    order: list[int]  # columns as drawn: experiments together, in order of their first scenario
    columns: Sequence[HeatColumn]
    lefts: list[float]
    cell: float  # width of a cell
    top: float
    labels: float  # width of the labels
    bottom: float
    names: float  # height of the turned names

    @property
    def right(self) -> float:
        return self.lefts[-1] + self.cell if self.lefts else _LEFT + self.labels


def heatmap(given: Sequence[HeatRow], columns: Sequence[HeatColumn], about: About) -> str:
    """A cell a subject and scenario, subjects as given, scenarios by experiment; absent cells are struck, not coloured.

    Raises ValueError for a row whose shares are not one a column.
    """
    if any(len(row.shares) != len(columns) for row in given):
        raise ValueError("each row of a heatmap has one share per column")
    subjects = [Subject(row.label, row.simulated, row.label) for row in given]
    layout = _laid_out(subjects, columns)
    again = len(given) >= rows.REPEAT_FROM
    size = (max(layout.right + 12, 420.0), layout.bottom + 12 + (layout.names if again else 0))
    with canvas.sheet(*size) as sheet:
        _write_legend(sheet, any(share is None for row in given for share in row.shares))
        _write_experiments(sheet, layout)
        _write_names(sheet, layout, layout.top - 6, "left")
        if again:
            _write_names(sheet, layout, layout.bottom + 6, "right")
        labels = Box(_LEFT, layout.top, layout.labels, len(given) * ROW)
        rows.write_labels(sheet, subjects, labels)
        _fill(sheet, layout, given)
        rows.hits(sheet, subjects, labels)
        return sheet.svg(about)


def _laid_out(subjects: Sequence[Subject], columns: Sequence[HeatColumn]) -> _Layout:
    first: dict[str, int] = {}
    for column in columns:
        first.setdefault(column.experiment, len(first))
    order = sorted(range(len(columns)), key=lambda place: first[columns[place].experiment])
    labels = rows.label_width(subjects)
    cell = min(max(_FOR_CELLS / max(len(columns), 1), _NARROWEST), _WIDEST)
    lefts, x = [], _LEFT + labels + 14
    for place, before in zip(order, [None, *order], strict=False):
        x += _BETWEEN if before is not None and columns[before].experiment != columns[place].experiment else 0
        lefts.append(x)
        x += cell
    tallest = max((lettering.width(_name(column), SMALL.size) for column in columns), default=0.0)
    top = 64 + tallest
    return _Layout(order, columns, lefts, cell, top, labels, top + max(len(subjects), 1) * ROW, tallest)


def _name(column: HeatColumn) -> str:
    return lettering.fitted(lettering.visible(column.scenario), SMALL.size, _NAMES)


def _write_names(sheet: Sheet, layout: _Layout, y: float, align: Literal["left", "right"]) -> None:
    for left, place in zip(layout.lefts, layout.order, strict=True):
        look = SMALL._replace(turned=True, align=align)
        sheet.text(left + layout.cell / 2, y, _name(layout.columns[place]), look)
        top = y - layout.names if align == "left" else y
        sheet.hit(Box(left, top, layout.cell, layout.names), layout.columns[place].scenario)


def _write_experiments(sheet: Sheet, layout: _Layout) -> None:
    pairs = zip(layout.lefts, layout.order, strict=True)
    for experiment, group in groupby(pairs, key=lambda pair: layout.columns[pair[1]].experiment):
        lefts = [left for left, _ in group]
        start, end = lefts[0], lefts[-1] + layout.cell
        sheet.line((start, 52), (end - 1, 52), palette.MUTED)
        text = lettering.fitted(lettering.visible(experiment), SMALL.size, end - start)
        sheet.text(start, 43, text, SMALL._replace(tone=palette.INK, bold=True))
        sheet.hit(Box(start, 36, end - start, 14), experiment)


def _fill(sheet: Sheet, layout: _Layout, given: Sequence[HeatRow]) -> None:
    cells = [
        _Cell(left, layout.top + line * ROW, row.shares[place])
        for line, row in enumerate(given)
        for left, place in zip(layout.lefts, layout.order, strict=True)
    ]
    for step, tone in enumerate(HEAT):
        own = [cell for cell in cells if cell.share is not None and heat_step(cell.share) == step]
        _draw(sheet, [_outline(cell, layout.cell) for cell in own], tone, filled=True)
    absent = [cell for cell in cells if cell.share is None]
    _draw(sheet, [_strokes(cell, layout.cell) for cell in absent], palette.SOFT, filled=False)
    if layout.cell >= _FOR_TEXT:
        for cell in cells:
            _write(sheet, cell, layout.cell)


def heat_step(share: float) -> int:
    """The colour of a share: step 0 is everything kept, the last step nothing; only a full share has step 0."""
    lost = min(max(1 - share, 0.0), 1.0)
    return max(round(lost * (HEAT_STEPS - 1)), 1 if lost > 0 else 0)


def _outline(cell: _Cell, width: float) -> Path:
    from matplotlib.path import Path

    left, top, right, bottom = cell.left, cell.top, cell.left + width - 1, cell.top + ROW - 1
    return Path([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], closed=True)


def _strokes(cell: _Cell, width: float) -> Path:
    from matplotlib.path import Path

    right, bottom = cell.left + width - 1, cell.top + ROW - 1
    reach = ROW - 1
    lines = []
    for start in (cell.left - reach / 2, cell.left + (width - 1 - reach) / 2, right - reach / 2):
        ends = [
            (max(start, cell.left), max(cell.left - start, 0.0)),
            (min(start + reach, right), max(start + reach - right, 0.0)),
        ]
        lines += [(ends[0][0], bottom - ends[0][1]), (ends[1][0], cell.top + ends[1][1])]
    return Path(lines, [Path.MOVETO, Path.LINETO] * 3)


def _draw(sheet: Sheet, paths: Sequence[Path], tone: palette.Tone, filled: bool) -> None:
    """One document element for all cells of a kind: a thousand cells stay a small file."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if paths:
        colours = (tone.sentinel, "none") if filled else ("none", tone.sentinel)
        shape = PathPatch(Path.make_compound_path(*paths), facecolor=colours[0], edgecolor=colours[1], linewidth=1)
        sheet.ground.add_patch(shape)


def _write(sheet: Sheet, cell: _Cell, width: float) -> None:
    if cell.share is None:
        return
    tone = palette.ink_on(heat_step(cell.share))
    number = percent(cell.share).removesuffix("%")
    sheet.text(cell.left + (width - 1) / 2, cell.top + (ROW - 1) / 2, number, _VALUE._replace(tone=tone))


def _write_legend(sheet: Sheet, some_absent: bool) -> None:
    text = "share of the scale kept, in percent: 0"
    sheet.text(_LEFT, 16, text, SMALL)
    x = _LEFT + lettering.width(text, SMALL.size) + 8
    for step in reversed(range(HEAT_STEPS)):
        sheet.fill(Box(x, 10, 6, 12), HEAT[step])
        x += 6
    sheet.text(x + 8, 16, "100", SMALL)
    if some_absent:
        cell = _Cell(x + 52, 16 - (ROW - 1) / 2, None)
        _draw(sheet, [_strokes(cell, 26)], palette.SOFT, filled=False)
        sheet.text(x + 84, 16, "absent", SMALL)
