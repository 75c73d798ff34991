"""The summary of a run, in the published columns, digits and line ends; and how far a file agrees with the records."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from independence.exchange.rent import prompts
from independence.exchange.rent.folder import Line
from independence.exchange.rent.oddities import OTHER_SUMMARY, Oddity
from independence.exchange.rent.records import Factors
from independence.report.tables import cell
from independence.stats.stance import Party, Rated, Sides, Summary, summary

_DIGITS = 4


def rated(model: str, factors: Factors, score: float | None, cell_id: str = "") -> Rated:
    """A record as the published formulas take it."""
    return Rated(model, str(factors.get(prompts.PERSPECTIVE) or ""), score, prompts.baseline(factors), cell_id)


def to_csv(records: Iterable[Rated], sides: Sides) -> str:
    """One line a model, by name; floats with 4 decimals, empty where undefined; lines end in CR LF."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns(sides))
    writer.writerows(_cells(row) for row in summary(records, sides))
    return out.getvalue()


def columns(sides: Sides) -> tuple[str, ...]:
    """The header."""
    of_parties = (f"{side}_{name}" for side in sides for name in ("n", "agree_p", "uplift"))
    return ("model_id", "n", "mean_score", "p_neg", "p_neu", "p_pos", *of_parties)


def differences(name: str, text: str, records: Iterable[Rated], sides: Sides) -> list[Oddity]:
    """Lines of a summary file that do not follow from the records, and models it leaves out."""
    ours = {line[0]: line for line in csv.reader(io.StringIO(to_csv(records, sides)))}
    found = []
    for number, line in enumerate(csv.reader(io.StringIO(text)), start=1):
        expected = ours.pop(line[0], None) if line else []
        if expected is None:
            found.append(Oddity(OTHER_SUMMARY, Line(name, number), f"no record of {line[0]}"))
        elif line != expected:
            wrong = [head for head, a, b in zip(columns(sides), line, expected, strict=False) if a != b]
            about = f"{line[0]}: {', '.join(wrong) or 'columns'} do not follow from the records"
            found.append(Oddity(OTHER_SUMMARY, Line(name, number), about))
    return found + [Oddity(OTHER_SUMMARY, Line(name, 0), f"{model} is not in it") for model in ours]


def _cells(row: Summary) -> tuple[str, ...]:
    numbers = (row.mean_score, row.p_neg, row.p_neu, row.p_pos)
    return (cell(row.model), str(row.n), *map(_decimal, numbers), *_of_party(row.first), *_of_party(row.second))


def _of_party(party: Party) -> tuple[str, str, str]:
    return str(party.n), _decimal(party.agree_p), _decimal(party.uplift)


def _decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.{_DIGITS}f}"
