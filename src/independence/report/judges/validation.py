"""Everything `validate-judges` prints; among it how far judges agree with people."""

from __future__ import annotations

import sqlite3
from itertools import combinations

import msgspec
import numpy as np

from independence.judge import kinds
from independence.report import declared
from independence.report.judges import agreement, disagreements, panel
from independence.report.judges.agreement import Measure, capped_coefficient, fields, ratings_of
from independence.report.judges.panel import DialogueKey, JudgePanel, Values
from independence.report.table import Table, Value
from independence.stats import agreement as coefficients
from independence.store.scopes import BoardScope

WORST = 10


class ValidationOptions(msgspec.Struct, frozen=True):
    """What is asked of a validation."""

    judges: tuple[str, ...] = ()  # none: all that graded something
    models: tuple[str, ...] = ()  # labels, ids or directories; none: all
    worst: int = WORST  # disagreements listed
    longest: int | None = None  # characters of a text shown; None: all


def validate(connection: sqlite3.Connection, scope: BoardScope, wanted: ValidationOptions) -> list[Table]:
    """Boards by judge, agreement, pairs, people, self-preference, costs, largest disagreements. Raises StoreError.

    A suite without an index has neither boards nor self-preference. People, who score a sample, stand against judges in
    a table of their own and take no part in the others but the disagreements.
    """
    whole = panel.read(connection, scope, wanted.judges, wanted.models)
    read = without_people(whole)
    scored = human_table(whole)
    return [
        *(_judges(connection, read) if read else []),
        *([scored] if scored else []),
        *disagreements.tables(connection, whole, wanted.worst, wanted.longest),
    ]


def _judges(connection: sqlite3.Connection, read: JudgePanel) -> list[Table]:
    indexed = read.scope.suite.index is not None
    return [
        *([panel.boards(read)] if indexed else []),
        *agreement.coefficients(read),
        agreement.pairs(read),
        *([agreement.favours(read)] if indexed else []),
        panel.costs(connection, read),
    ]


def is_person(judge: str) -> bool:
    """Whether a judge's verdicts are scores that a person gave."""
    return kinds.of(judge).human


def without_people(panel: JudgePanel) -> JudgePanel | None:
    """The panel without people; None where no dialogue was graded by two others."""
    judges = tuple(judge for judge in panel.judges if not is_person(judge))
    given: dict[DialogueKey, dict[str, Values]] = {}
    for dialogue, all_ in panel.given.items():
        own = {judge: values for judge, values in all_.items() if judge in judges}
        if own:
            given[dialogue] = own
    alone = panel._replace(judges=judges, given=given)
    return alone if len(judges) > 1 and alone.shared else None


def human_table(panel: JudgePanel) -> Table | None:
    """Each judge against each person, field by field, then people two by two; None where nobody scored anything."""
    people = [judge for judge in panel.judges if is_person(judge)]
    if not people:
        return None
    others = [judge for judge in panel.judges if not is_person(judge)]
    pairs = [(judge, person) for judge in others for person in people] + list(combinations(people, 2))
    rows = [row for pair in pairs for measure in fields(panel.scope.suite) if (row := _row(panel, pair, measure))]
    return declared.made("judges/judge-people", rows)


def _row(panel: JudgePanel, pair: tuple[str, str], measure: Measure) -> tuple[Value, ...] | None:
    both = ratings_of(panel, measure, pair)
    both = both[~np.isnan(both).any(axis=1)]
    found = coefficients.pairwise(both[:, 0], both[:, 1]) if len(both) else None
    if found is None:
        return None
    scale = measure.scale or tuple(float(value) for value in np.unique(both))
    alpha, ac2 = coefficients.alpha(both), coefficients.gwet(both, scale)
    heads = (panel.heads[pair[0]], panel.heads[pair[1]])
    return (
        *heads,
        measure.name,
        found.units,
        *capped_coefficient(alpha),
        *capped_coefficient(ac2),
        found.exact,
        found.difference,
        found.spearman,
    )
