"""How we show: boards and exports from what the store holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.faces import lazy

if TYPE_CHECKING:
    from independence.report import advice as advice
    from independence.report import analysis as analysis
    from independence.report import board as board
    from independence.report import checks as checks
    from independence.report import comparison_tables as comparison_tables
    from independence.report import hostile as hostile
    from independence.report import html as html
    from independence.report import judge_validation as judge_validation
    from independence.report import legend as legend
    from independence.report import matrix as matrix
    from independence.report import models as models
    from independence.report import names as names
    from independence.report import planned_verdicts as planned_verdicts
    from independence.report import study as study
    from independence.report import subject_comparison as subject_comparison
    from independence.report import table as table
    from independence.report import training as training
    from independence.report import variance as variance

__getattr__ = lazy(__name__)
