"""The files of a run folder, in the published names, keys, order, types and line ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from independence.exchange.rent import log, summary
from independence.exchange.rent.records import dumped
from independence.exchange.rent.stored import Prompt, Run

ANSWERS, JUDGED, SUMMARY, LOG = "run.jsonl", "run_scored.jsonl", "summary.csv", "run.log"
GRID, SNAPSHOT = "grid.jsonl", "run_grid.json"
LIVE, SIMULATED = "live", "simulated"


def files(run: Run) -> dict[str, bytes]:
    """Name -> content. Without a judge there is neither a scored file nor a summary."""
    out = {
        GRID: run.grid or _lines({"prompt_id": p.prompt_id, "factors": p.factors, "messages": p.messages}
                                 for p in run.prompts),
        SNAPSHOT: dumped(_snapshot(run), indent=2),
        ANSWERS: _lines(kept.answer for kept in run.kept),
    }  # fmt: skip
    if run.judge is not None:
        out[JUDGED] = _lines(kept.judged for kept in run.kept if kept.judged is not None)
        out[SUMMARY] = summary.to_csv((kept.rated for kept in run.kept), run.sides).encode("utf-8", "backslashreplace")
    out[LOG] = b"".join(line + b"\n" for line in log.lines(run))
    return out


def _lines(records: Iterable[Mapping[str, object]]) -> bytes:
    return b"".join(dumped(record) + b"\n" for record in records)


def _snapshot(run: Run) -> dict[str, object]:
    """What was asked. The size of the grid it was taken from and how it was asked are an import's own."""
    models = list(dict.fromkeys(str(kept.answer["model_id"]) for kept in run.kept))
    before = run.snapshot
    if before:  # its order; who is not in it stands behind
        known = before.assistant_models
        models.sort(key=lambda name: known.index(name) if name in known else len(known))
    return {
        "include_neutral": any(_uninvolved(run, prompt) for prompt in run.prompts),
        "total": before.total if before else len(run.place.suite.scenarios),
        "selected": len(run.prompts),
        "factors": [prompt.factors for prompt in run.prompts],
        "assistant_models": models,
        "mode": before.mode if before else SIMULATED if run.simulated else LIVE,
    }


def _uninvolved(run: Run, prompt: Prompt) -> bool:
    return prompt.factors.get("perspective") not in run.sides
