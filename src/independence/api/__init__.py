"""What commands, notebooks and other programs call. Nothing here prints, exits or handles signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.faces import lazy

if TYPE_CHECKING:
    from independence.api import comparing as comparing
    from independence.api import files as files
    from independence.api import importing as importing
    from independence.api import reading as reading
    from independence.api import running as running

__getattr__ = lazy(__name__)
