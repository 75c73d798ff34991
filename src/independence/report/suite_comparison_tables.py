"""Two suites as tables: what each says of the common subjects, the line between them, subjects and scenarios paired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

import msgspec

from independence.report import declared
from independence.report.comparison_tables import tested_p
from independence.report.measures import SuiteMeasures
from independence.report.notes import SIMULATED_NOTE
from independence.report.suite_comparison import ComparedSuites, PairedScenario
from independence.report.table import Kind, Table, Value, percent
from independence.stats import equating
from independence.stats.comparison import adjusted_by_name
from independence.stats.equating import EquatedValue


def tables(compared: ComparedSuites) -> list[Table]:
    """Both suites, the line between them, every subject and, where they share them, the scenarios."""
    paired, measures = compared.scenarios, compared.first.measures
    scenarios = [_scenarios(compared, paired)] if paired else []
    in_units = [_suites(compared), _subjects(compared), *scenarios]
    first, *others = (_printed(table, measures) for table in in_units)
    return [first, _equating(compared), *others]


def _printed(table: Table, measures: SuiteMeasures) -> Table:
    """A table with numbers as the quantity's boards print them."""
    kinds: dict[Kind, Kind] = {"interval": measures.interval}
    columns = (one._replace(kind=kinds.get(one.kind, one.kind), digits=measures.digits) for one in table.columns)
    return msgspec.structs.replace(table, columns=tuple(columns))


def _suites(compared: ComparedSuites) -> Table:
    first, second = compared.first, compared.second
    rows: list[tuple[Value, ...]] = []
    for at, (letter, one) in enumerate((("A", first), ("B", second))):
        values = [both.values[at] for both in compared.measured if both.values is not None]
        spread = stdev(values) if len(values) > 1 else None
        planned = len(one.measures.subjects)
        rows.append((letter, one.name, one.scope.suite.language, planned, fmean(values) if values else None, spread))
    about = f"{first.measures.quantity} over {_counted(len(compared.measured))} measured in both"
    notes = [f"{first.scope.condition}, judge {compared.judge}. Mean and SD of {about}."]
    notes += [
        f"{one.name} is a translation of {one.scope.suite.original}."
        for one in (first, second)
        if one.scope.suite.translation_of
    ]
    title = f"{first.name} against {second.name}"
    notes += [*_incomplete(compared), *[SIMULATED_NOTE] * any(one.first.simulated for one in compared.common)]
    return declared.made("comparisons/suites", rows, notes, title=title)


def _counted(subjects: int) -> str:
    return f"{subjects} subject{'' if subjects == 1 else 's'}"


def _incomplete(compared: ComparedSuites) -> list[str]:
    """Whose numbers rest on part of the verdicts, and who has none for want of them."""
    lines = []
    for one in compared.common:
        shares = ((letter, own.coverage) for letter, own in (("A", one.first), ("B", one.second)))
        holes = [f"{percent(share)} of {letter}'s verdicts" for letter, share in shares if share < 1]
        said = "left out, with" if one.values is None else "from"
        lines += [f"{one.first.name}: {said} {' and '.join(holes)}."] if holes else []
    return lines


def _equating(compared: ComparedSuites) -> Table:
    found, count, ratio = compared.equating, len(compared.measured), compared.ratio
    named: Mapping[str, tuple[EquatedValue | None, float]] = {
        "Slope": (found.slope, 1.0), "Intercept": (found.intercept, 0.0),
        "Rank correlation": (found.rank_correlation, 1.0), "Mean A − B": (found.difference, 0.0),
    }  # fmt: skip
    rows = [(name, one.est, one.ci, alike) for name, (one, alike) in named.items() if one is not None]
    if count < equating.FEWEST:
        few = f"{_counted(count)} measured in both: no line and no rank correlation with fewer than {equating.FEWEST}."
        return declared.made("comparisons/equating", rows, [few])
    errors = "are not known, and taken as alike" if ratio is None else f"have {ratio:.2f} times the variance of A's"
    notes = [f"B = intercept + slope × A over {_counted(count)} (Deming's line); errors of B {errors}."]
    if found.slope is None or found.slope.ci is None:
        notes.append("A line without an interval is not determined: the subjects differ too little, or fit it exactly.")
    return declared.made("comparisons/equating", rows, notes)


def _subjects(compared: ComparedSuites) -> Table:
    rows = [
        (
            one.first.name, one.first.value, one.first.ci, one.second.value, one.second.ci,
            one.values[0] - one.values[1] if one.values else None,
        )
        for one in compared.common
    ]  # fmt: skip
    return declared.made("comparisons/suite-subjects", rows)


def _scenarios(compared: ComparedSuites, paired: Sequence[PairedScenario]) -> Table:
    p = {one.name: tested_p(one.difference) for one in paired}
    holm = adjusted_by_name(p, "holm")
    rows = [
        (
            one.name, one.first, one.second, one.first - one.second,
            one.difference.interval() if one.difference else None, one.subjects, p[one.name], holm.get(one.name),
        )
        for one in paired
    ]  # fmt: skip
    part = compared.first.measures.part
    quantity = compared.first.measures.quantity
    return declared.made(
        "comparisons/suite-scenarios", rows, part=part, small=part.lower(), quantity=quantity, tested=len(holm)
    )
