"""Subjects, endpoints, judges and settings: one loader for YAML, environment and flags."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
