"""Readers of published results, and writers for other tools."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
