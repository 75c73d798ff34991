"""Boards of advice: whom a subject favours, and whether that depends on who asks."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
