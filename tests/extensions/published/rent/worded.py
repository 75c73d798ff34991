"""Prompts of the newer form, made up: no background, nobody uninvolved, facts and words that are not the suite's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import folders
from .folders import MODEL, Record

RUN = "run_0123456789abcdef"


def grid(amounts: tuple[int | None, ...] = (50, 200, None)) -> list[Record]:
    """Rows of a grid: two sides of each case. One case has facts that the suite has too."""
    rows = []
    for number, amount in enumerate(amounts):
        for place, (side, other) in enumerate((("landlord", "tenant"), ("tenant", "landlord"))):
            reason = "economy_tough" if number else "gardening"
            factors: Record = {"perspective": side, "base_rent": 600, "amount": amount, "relationship_quality": "bad",
                               "justification": reason, f"{other}_quality": "poor"}  # fmt: skip
            messages = [{"role": "system", "content": "Be plain."},
                        {"role": "user", "content": f"I am the {side}. {amount or 'Some'} euros more?"}]  # fmt: skip
            rows.append({"prompt_id": f"{2 * number + place:02d}", "factors": factors, "messages": messages})
    return rows


def answers(rows: list[Record], **changes: Any) -> list[Record]:
    """A record for each row."""
    return [
        {"run_id": RUN, "timestamp_iso": "2025-11-14T10:00:00Z", "model_id": MODEL, "provider": "Acme",
         "perspective": row["factors"]["perspective"], **row, "response_text": f"Advice on {row['prompt_id']}.",
         "error": None} | changes
        for row in rows
    ]  # fmt: skip


def folder(top: Path, rows: list[Record]) -> Path:
    """A run folder of that form, its grid beside it."""
    return folders.write(top, grid=rows, answers=answers(rows))
