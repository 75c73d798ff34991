"""Who answers: one chat protocol, its dialects, the only retries, rate limits and pricing."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
