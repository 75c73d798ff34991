"""What commands, notebooks and other programs call. Nothing here prints, exits or handles signals."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
