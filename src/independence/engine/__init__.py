"""How we run: plan, run, resume. The only concurrency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.faces import lazy

if TYPE_CHECKING:
    from independence.engine import connections as connections
    from independence.engine import dialogue as dialogue
    from independence.engine import estimate as estimate
    from independence.engine import event_loop as event_loop
    from independence.engine import events as events
    from independence.engine import gate as gate
    from independence.engine import names_extraction as names_extraction
    from independence.engine import pipeline as pipeline
    from independence.engine import plan as plan
    from independence.engine import probing as probing
    from independence.engine import rerunning as rerunning
    from independence.engine import resolve as resolve
    from independence.engine import service as service

__getattr__ = lazy(__name__)
