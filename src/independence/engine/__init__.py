"""How we run: plan, run, resume. The only concurrency."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
