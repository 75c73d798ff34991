"""The rule judge: no model, no key, no network. Grades by phrases, word overlap, names and style alone."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
