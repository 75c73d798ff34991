from __future__ import annotations

from independence.suites.schema import Field

FIELDS = {
    "score": Field(type="integer", about="How much is left.", range=(0, 10)),
    "share": Field(type="number", about="The share of it.", range=(0, 1)),
    "kept": Field(type="boolean", about="Whether it is the same."),
}
GOOD = {"score": 3, "share": 0.25, "kept": True}
