"""How sure we are: pure functions over verdicts, no I/O."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
