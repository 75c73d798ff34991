"""Run folders and grid files of the rent benchmark, and its summary."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
