"""How far judges agree, whom they favour and what they cost, as `independence validate-judges` says it."""

from __future__ import annotations

from typing import Unpack

from independence.api.reading import Store
from independence.config.options import Place
from independence.engine import examining
from independence.errors import StoreError
from independence.report.files.table import Table
from independence.report.judges import judge_known, judge_validation
from independence.report.judges.judge_validation import ValidationOptions
from independence.store import scopes


def validate_judges(store: Store, asked: ValidationOptions, **place: Unpack[Place]) -> list[Table]:
    """Tables of the judges of one edition and condition, and of what each made of the suite's known dialogues.

    Raises StoreError where no dialogue was graded by two of them and none graded known dialogues.
    """
    (scope,) = store.places(place, one=True)
    with store.reading() as connection:
        known = [
            one
            for one in examining.stored(connection, scopes.grading(connection, scope))
            if not asked.judges or one.judge in asked.judges
        ]
        graded = [judge_known.table(known)] if known else []
        try:
            return [*judge_validation.validate(connection, scope, asked), *graded]
        except StoreError as error:
            if not graded:
                raise
            store.notice(str(error))
    return graded
