"""What an imported run folder holds, in numbers, and its oddities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from independence.exchange.rent.folder import KINDS
from independence.exchange.rent.reader import ImportedAnswer, ImportedFolder
from independence.report.table import Column, Table


def tables(imported: ImportedFolder) -> list[Table]:
    """A table of the models, and, where there are oddities, one of how often each kind was met."""
    columns = (
        Column("model", "Model"), Column("runs", "Runs", "count"), Column("planned", "Planned", "count"),
        Column("answers", "Answers", "count"), Column("failed", "Failed", "count"), Column("scored", "Scored", "count"),
    )  # fmt: skip
    by_model: dict[str, list[ImportedAnswer]] = {}
    for one in imported.answers:
        by_model.setdefault(one.key[0], []).append(one)
    rows = tuple(_row(model, own, len(imported.planned)) for model, own in by_model.items())
    judges = dict.fromkeys(score.line.record.scorer_model for one in imported.answers for score in one.scores)
    notes = [f"scored by {', '.join(judges)}" if judges else "no scores: `independence judge` grades"]
    if imported.others:
        notes.append(f"no part of a run, ignored: {', '.join(imported.others)}")
    models = Table("models", "Imported", columns, rows, tuple(notes))
    return [models, _oddities(imported)] if imported.oddities else [models]


def sentences(imported: ImportedFolder, most: int) -> Iterator[str]:
    """A sentence for each oddity, at most so many of a kind."""
    counts = Counter(oddity.kind for oddity in imported.oddities)
    seen: Counter[str] = Counter()
    for oddity in imported.oddities:
        seen[oddity.kind] += 1
        if seen[oddity.kind] <= most:
            yield oddity.sentence
        elif seen[oddity.kind] == most + 1:
            yield f"{oddity.kind}: {counts[oddity.kind] - most} more"


def _row(model: str, own: list[ImportedAnswer], planned: int) -> tuple[str | int, ...]:
    runs = {one.key[1] for one in own}
    failed = sum(one.record.error is not None or not one.record.response_text.strip() for one in own)
    scored = sum(any(score.score is not None for score in one.scores) for one in own)
    return model, len(runs), planned * len(runs), len(own) - failed, failed, scored


def _oddities(imported: ImportedFolder) -> Table:
    counts = Counter(oddity.kind for oddity in imported.oddities)
    columns = (Column("oddity", "Oddity"), Column("about", "Tolerated and named"), Column("count", "Count", "count"))
    rows = tuple((kind, about, counts[kind]) for kind, about in KINDS.items() if counts[kind])
    return Table("oddities", "Oddities", columns, rows)
