"""Trained judges: verdicts from the text alone, learned from another judge's, and how they are trained and audited."""

from __future__ import annotations

from typing import Final

OFFLINE: Final = "offline"
HYBRID: Final = "hybrid"
WEIGHTS: Final = "offline.npz"  # beside a suite or in this package
