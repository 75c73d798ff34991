"""Run folders as the rent benchmark writes them, small and made up; broken on purpose where a test says so."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from independence.exchange import grid_rows
from independence.suites.schema import Suite

MODEL, OTHER, JUDGE, RUN_ID = "acme/small:free", "acme/large", "acme/judge", 1_700_000_000
TRIPLET = ("000", "001", "002")
BODY = {"id": "gen-1", "provider": "Acme", "model": MODEL, "choices": [{"message": {"content": "x", "reasoning": "y"}}]}
Record = dict[str, Any]


def asked(suite: Suite, prompt: str) -> Record:
    """What a prompt says."""
    scenario = suite.scenario(prompt)
    factors = grid_rows.factors(scenario)
    return {"perspective": scenario.side, "factors": factors, "messages": []}


def answer(suite: Suite, prompt: str, model: str = MODEL, **changes: Any) -> Record:
    """A line of the answer file."""
    record = {
        "run_id": RUN_ID, "timestamp_iso": "2025-10-11T04:52:38Z", "model_id": model, "provider": "Acme",
        "prompt_id": prompt, **asked(suite, prompt), "response_text": f"Advice of {model} on {prompt}.",
        "latency_ms": 1500, "input_tokens": 100, "output_tokens": 40, "total_tokens": 140, "cost_usd": None,
        "request_id": "gen-1", "finish_reason": "stop", "raw_response": BODY, "error": None,
    }  # fmt: skip
    return record | changes


def failed(suite: Suite, prompt: str, model: str = MODEL) -> Record:
    """An answer that never came."""
    nothing = ("latency_ms", "input_tokens", "output_tokens", "total_tokens", "request_id", "finish_reason")
    return answer(
        suite, prompt, model, **dict.fromkeys(nothing), provider="unknown", response_text="", raw_response=None,
        error="Expecting value: line 3",
    )  # fmt: skip


def judged(said: Mapping[str, Any], score: float | str | None = 0.0, **changes: Any) -> Record:
    """A line of the scored file about a line of the answer file."""
    same = ("model_id", "provider", "prompt_id", "perspective", "factors", "messages", "response_text")
    error = None if said["error"] is None else f"run-error: {said['error']}"
    there = error is None
    record = {
        "run_id": said["run_id"], "run_timestamp_iso": said["timestamp_iso"],
        "eval_timestamp_iso": "2025-10-11T05:16:02Z", **{name: said[name] for name in same}, "scorer_model": JUDGE,
        "score": score if there else None, "eval_latency_ms": 700 if there else None,
        "eval_provider": "Acme" if there else None, "eval_input_tokens": 200 if there else None,
        "eval_output_tokens": 5 if there else None, "eval_total_tokens": 205 if there else None,
        "eval_cost_usd": None, "eval_request_id": "gen-2" if there else None,
        "eval_finish_reason": "stop" if there else None,
        "eval_raw_response": BODY | {"choices": [{"message": {"content": "+0", "reasoning": "z"}}]} if there else None,
        "error": error,
    }  # fmt: skip
    return record | changes


def snapshot(suite: Suite, asked_for: Sequence[str], models: Sequence[str] = (MODEL,)) -> Record:
    """`run_grid.json`."""
    factors = [asked(suite, prompt)["factors"] for prompt in asked_for]
    return {"include_neutral": True, "total": 108, "selected": len(asked_for), "factors": factors,
            "assistant_models": list(models), "mode": "live"}  # fmt: skip


def lines(records: Iterable[Record | str]) -> str:
    """JSON Lines; a text stands as it is."""
    return "".join((r if isinstance(r, str) else json.dumps(r, ensure_ascii=False)) + "\n" for r in records)


def write(folder: Path, **files: Any) -> Path:
    """Write `answers`, `judged`, `grid` (records or lines) and `snapshot` (an object) into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {"answers": "run.jsonl", "judged": "run_scored.jsonl", "grid": "grid.jsonl"}
    for name, records in files.items():
        if name == "snapshot":
            (folder / "run_grid.json").write_text(json.dumps(records, ensure_ascii=False, indent=2), "utf-8")
        else:
            (folder / names[name]).write_text(lines(records), "utf-8")
    return folder


def whole(folder: Path, suite: Suite, scores: Sequence[float] = (0.5, -0.5, 0.0)) -> Path:
    """One model, one triplet, every file."""
    said = [answer(suite, prompt) for prompt in TRIPLET]
    return write(
        folder, answers=said, judged=[judged(one, score) for one, score in zip(said, scores, strict=True)],
        snapshot=snapshot(suite, TRIPLET),
    )  # fmt: skip
