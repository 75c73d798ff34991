"""How sure we are: pure functions over verdicts, no I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.faces import lazy

if TYPE_CHECKING:
    from independence.stats import agreement as agreement
    from independence.stats import allocation as allocation
    from independence.stats import asker_guess as asker_guess
    from independence.stats import comparison as comparison
    from independence.stats import components as components
    from independence.stats import index_uncertainty as index_uncertainty
    from independence.stats import intervals as intervals
    from independence.stats import items as items
    from independence.stats import prediction_powered as prediction_powered
    from independence.stats import published as published
    from independence.stats import sides as sides
    from independence.stats import stance as stance
    from independence.stats import strict as strict
    from independence.stats import subject_points as subject_points

__getattr__ = lazy(__name__)
