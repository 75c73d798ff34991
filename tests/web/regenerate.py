"""Writes the built page anew: `python -m tests.web.regenerate`."""

from __future__ import annotations

import sys

from . import building

where = building.folder()
if where is None:
    sys.exit("the packages of web/ are not installed: `make web` does it")
building.build(where, building.COMMITTED)
