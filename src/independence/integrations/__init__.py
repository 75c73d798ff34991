"""Other harnesses: suites as tasks of Inspect AI, and its logs."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
