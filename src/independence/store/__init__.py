"""What we keep: SQLite. The only writer."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
