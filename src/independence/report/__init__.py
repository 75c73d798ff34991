"""How we show: boards and exports from what the store holds."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
