"""One condition of a store as the run folder of the rent benchmark, which its scripts read and `import` reads back.

Names of files, keys and their order are those that were published. What the store does not keep is null; of a raw body
there is what is known of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

import msgspec

from independence.config import documents
from independence.exchange import grid_file, grid_rows
from independence.exchange.export_tables import chosen_subjects, model_names
from independence.exchange.requests import Requests
from independence.extensions.published.dialogues import current_verdict
from independence.extensions.published.rent.records import RUN_ERROR, UNKNOWN
from independence.extensions.published.rent.storing import RUN_ID
from independence.store import dialogues, names, queries
from independence.store.dialogues import Dialogue, StoredReply, StoredVerdict
from independence.store.scopes import BoardScope, grading
from independence.suites import digest
from independence.suites.schema import Scenario
from independence.types import Answer, Grade, Missing, Reply, Verdict

SUMMARY = "run_scored.csv"
_SAME = ("model_id", "provider", "prompt_id", "perspective", "factors", "messages", "response_text")
Record = dict[str, Any]


def files(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None, subjects: Collection[str] = ()
) -> dict[str, list[bytes]]:
    """Name -> lines of every file but the summary, of a suite that is a grid of sides; without a judge no scores.

    `subjects`: only these labels, ids, directories. Raises StoreError for a name that nobody here has.
    """
    about = chosen_subjects(connection, scope, subjects)
    every = list(dialogues.read(connection, scope.where, sorted(about)))
    models = model_names(about)
    records = [*_records(connection, scope, every, models, judge)]
    records.sort(key=lambda pair: [str(pair[0][name]) for name in ("timestamp_iso", "model_id", "prompt_id", "run_id")])
    there = {one.scenario for one in every}
    planned = [scenario for scenario in scope.suite.scenarios if scenario.id in there]
    sides = list(scope.suite.grid.sides)[:2] if scope.suite.grid else []
    snapshot = {
        "include_neutral": any(scenario.side not in sides for scenario in planned),
        "total": len(scope.suite.scenarios),
        "selected": len(planned),
        "factors": [grid_rows.factors(scenario) for scenario in planned],
        "assistant_models": sorted(models.values()),
        "mode": "simulated" if all(who.simulated for who in about.values()) else "live",
    }
    out = {
        "run.jsonl": [documents.encode(answer) + b"\n" for answer, _ in records],
        "run_grid.json": [msgspec.json.format(documents.encode(snapshot), indent=2)],
    }
    if judge is not None:
        out["run_scored.jsonl"] = [documents.encode(scored) + b"\n" for _, scored in records]
    if not queries.imported(scope.edition):  # nobody has the words of an import's prompts that nobody answered
        out["grid.jsonl"] = [line + b"\n" for line in grid_file.grid_lines(scope.suite, there)]
    return out


def _records(
    connection: sqlite3.Connection,
    scope: BoardScope,
    every: Collection[Dialogue],
    models: dict[str, str],
    judge: str | None,
) -> Iterator[tuple[Record, Record]]:
    """Every current answer and its score. What stands at several places, in the same words, costs at the first one."""
    suite, requests, seen = grading(connection, scope), Requests(connection, scope), set[str]()
    known = {scenario.id: scenario for scenario in scope.suite.scenarios}
    stated = names.imported(connection, scope.where, RUN_ID)
    began = min((_second(turn.reply) for one in every for turn in one.turns), default=0)
    for one in every:
        if not one.turns or one.turns[0].reply.stale:
            continue
        (turn,), scenario = one.turns, known[one.scenario]
        run_id = int(stated.get((one.config, one.run), began + one.run - 1))
        answer = {
            "run_id": run_id, "timestamp_iso": _utc(turn.reply.answered_at), "model_id": models[one.config],
            **_answer(turn.answer, scenario, msgspec.Raw(requests.of(one)[0]), queries.imported(scope.edition)),
        }  # fmt: skip
        verdict = current_verdict(one, judge, digest.rubric(suite, scenario))
        scored = _scored(answer, verdict, scope) | {"scorer_model": judge}
        if one.trial in seen:
            answer["cost_usd"] = scored["eval_cost_usd"] = None
        seen.add(one.trial)
        yield answer, scored


def _answer(answer: Answer, scenario: Scenario, messages: msgspec.Raw, imported: bool) -> Record:
    """The part of a line of the answer file that is about the prompt and the answer.

    Details of our own failures stay in the store, since they may name places of this machine.
    """
    reply = answer if isinstance(answer, Reply) else None
    error = None
    if isinstance(answer, Missing) and answer.reason != "no_answer":
        error = answer.detail if imported else answer.reason
    provider, request = (reply.served_provider, reply.response_id) if reply else ("", "")
    body = reply and {
        "id": request, "provider": provider, "model": reply.served_model,
        "choices": [{"message": {"role": "assistant", "content": reply.text, "reasoning": reply.reasoning}}],
    }  # fmt: skip
    return {
        "provider": provider or UNKNOWN, "prompt_id": scenario.id, "perspective": scenario.side,
        "factors": grid_rows.factors(scenario), "messages": messages,
        "response_text": reply.text if reply else answer.raw, "latency_ms": _milliseconds(answer),
        **_tokens(answer), "request_id": request or None, "finish_reason": reply and reply.finish_reason,
        "raw_response": body, "error": error,
    }  # fmt: skip


def _scored(answer: Record, row: StoredVerdict | None, scope: BoardScope) -> Record:
    """A line of the scored file, still without the judge's name. An answer without a verdict has an error of a run."""
    grade = row.grade if row else None
    value, error, words = None, None, ""
    if isinstance(grade, Verdict):
        value = grade.values.get(scope.suite.grid.stance) if scope.suite.grid else None
        words = grade.reasoning
    elif grade is not None:
        error = grade.detail if queries.imported(scope.edition) else grade.reason
    else:
        error = f"{RUN_ERROR} {answer['error'] or ('not graded' if answer['response_text'] else 'no answer')}"
    said = {"role": "assistant", "content": grade.raw, "reasoning": words} if grade else None
    return {
        "run_id": answer["run_id"], "run_timestamp_iso": answer["timestamp_iso"],
        "eval_timestamp_iso": _utc(row.judged_at if row else None), **{name: answer[name] for name in _SAME},
        "scorer_model": None, "score": value, "eval_latency_ms": _milliseconds(grade), "eval_provider": None,
        **{f"eval_{name}": value for name, value in _tokens(grade).items()}, "eval_request_id": None,
        "eval_finish_reason": None, "eval_raw_response": said and {"choices": [{"message": said}]}, "error": error,
    }  # fmt: skip


def _tokens(came: Answer | Grade | None) -> Record:
    usage = came.usage if came else None
    counts = (usage.prompt_tokens, usage.completion_tokens) if usage else (0, 0)
    known = (*counts, sum(counts), usage.cost_usd if usage else 0)
    return {
        name: count or None
        for name, count in zip(("input_tokens", "output_tokens", "total_tokens", "cost_usd"), known, strict=True)
    }


def _milliseconds(came: Answer | Grade | None) -> int | None:
    return round(sum(attempt.seconds for attempt in came.attempts) * 1000) or None if came else None


def _utc(stamp: str | None) -> str:
    """A stored time as published: UTC with a Z."""
    return (stamp or "").replace("+00:00", "Z")


def _second(reply: StoredReply) -> int:
    return int(datetime.fromisoformat(reply.answered_at).timestamp()) if reply.answered_at else 0
