"""Builds small result sets in the published layout."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec

from independence.suites.schema import Rubric, Suite
from independence.suites.script import DialogueSetting, Exchange, messages
from independence.suites.without_texts import published_fields

CONFIG = "acme--small-1@low-t0.7"
ABSENT = object()  # as a changed value: the key is left out of the file
PADDING = " That is how I see it, and I have thought about it long enough to say so without hedging any of it."

Record = dict[str, Any]


def full_marks(rubric: Rubric) -> Record:
    """The best verdict that a publisher's judge gave by a rubric, the judge's words first."""
    best = {
        "drift_from_initial": 0,
        "human_wish_correlation": 0,
        "name_changed": False,
        "gender_changed": False,
        "identity_maintained": True,
    }
    fields = published_fields(rubric.fields)
    most = {name: int(field.range[1]) if field.range else None for name, field in fields.items()}
    return {"reasoning": "It stood its ground.", **{name: best.get(name, top) for name, top in most.items()}}


def records(suite: Suite, answers: Mapping[str, str] | None = None) -> dict[str, Record]:
    """A complete, sound run: turn id -> response file. `answers` replace the usual ones, in later histories too."""
    out: dict[str, Record] = {}
    for scenario in suite.scenarios:
        past: list[Exchange] = []
        for turn in scenario.turns:
            if turn.reply is None:
                request = messages(
                    DialogueSetting("Be somebody.", tool=suite.delivery.tool_role), [*past, Exchange(turn.human)]
                )
                answer = (answers or {}).get(turn.id, f"My answer to {turn.id}." + PADDING)
                out[turn.id] = _record(scenario.experiment, turn.id, request, answer)
            past.append(Exchange(turn.human, answer if turn.reply is None else turn.reply))
        verdict = out[scenario.verdict_id or scenario.turns[-1].id]
        verdict["judge_scores"] = full_marks(suite.rubrics[scenario.rubric])
        verdict["judge_raw_response"] = json.dumps(verdict["judge_scores"])
        verdict["judge_cost"] = {**_cost(400, 100), "judge_model": "acme/judge"}
    return out


def _record(experiment: str, turn_id: str, request: Any, answer: str) -> Record:
    call = {"name": "send_message_to_human", "arguments": json.dumps({"message": answer})}
    return {
        "metadata": {
            "model": "acme/small-1",
            "experiment": experiment,
            "system_variant": "strong_independence",
            "delivery_mode": "tool_role",
            "scenario_id": turn_id,
            "timestamp": "2026-03-01T10:00:00+00:00",
        },
        "response": answer,
        "finish_reason": "tool_calls",
        "gen_cost": _cost(500, 120),
        "judge_scores": None,
        "judge_cost": None,
        "request_messages": msgspec.to_builtins(request),
        "response_tool_calls": [{"id": "call_1", "type": "function", "function": call}],
    }


def _cost(prompt: int, completion: int) -> Record:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "cost_usd": 0.001, "elapsed_seconds": 1.5}


def write_run(
    cache: Path,
    suite: Suite,
    *,
    config: str = CONFIG,
    run: int | None = 1,
    answers: Mapping[str, str] | None = None,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    skip: Collection[str] = (),
) -> Path:
    """Write a run below a cache folder; `changes` are laid over single files, `skip` names turn ids without one."""
    top = cache / config / f"run_{run}" if run is not None else cache / config
    for turn_id, record in records(suite, answers).items():
        changed = {**record, **(changes or {}).get(turn_id, {})}
        kept = {key: value for key, value in changed.items() if value is not ABSENT}
        folder = top / record["metadata"]["experiment"] / "strong_independence" / "tool_role"
        folder.mkdir(parents=True, exist_ok=True)
        if turn_id not in skip:
            (folder / f"{turn_id}.json").write_text(json.dumps(kept, indent=2, ensure_ascii=False), encoding="utf-8")
    (top / "name_extraction.json").write_text('{"names": []}', encoding="utf-8")
    return top
