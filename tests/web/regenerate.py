"""Writes the built page anew: `python -m tests.web.regenerate`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from . import building

with tempfile.TemporaryDirectory() as scratch:
    where = building.folder(Path(scratch))
    if where is None:
        sys.exit("the packages of web/ are not installed: `make web` does it")
    building.build(where, building.COMMITTED)
building.BUILT_OF.write_text(building.digest() + "\n", encoding="utf-8")
