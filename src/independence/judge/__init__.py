"""How we grade: render, ask, parse, check; the rule judge."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
