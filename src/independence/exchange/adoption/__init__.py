"""Makes a suite folder from a user's own copy of the published benchmark, whose words this package does not hold."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
