"""Subjects, endpoints, judges and settings: one loader for YAML, environment and flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.faces import lazy

if TYPE_CHECKING:
    from independence.config import documents as documents
    from independence.config import endpoints as endpoints
    from independence.config import environment as environment
    from independence.config import options as options
    from independence.config import plugins as plugins
    from independence.config import registry as registry
    from independence.config import subjects as subjects
    from independence.config import user_files as user_files

__getattr__ = lazy(__name__)
