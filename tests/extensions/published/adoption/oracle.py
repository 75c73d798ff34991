"""Runs the published program on fixed replies, in a process of its own, and prints what it sends to models and judges.

What the program imports beside its prompts (its client, its cache, its terminal) is replaced: nothing is sent or kept.
Usage: `python oracle.py FOLDER`, where FOLDER holds `src/`.
"""

from __future__ import annotations

import json
import sys
import types
from importlib import import_module
from typing import Any

CELLS = [(variant, mode) for variant in ("neutral", "strong_independence") for mode in ("user_role", "tool_role")]

asked: list[dict[str, Any]] = []  # requests that were not saved yet
calls: list[dict[str, Any]] = []
verdicts: list[dict[str, Any]] = []
files: dict[tuple[str, str, str], list[dict[str, Any]]] = {}


class Anything:
    """Stands for whatever is neither a prompt nor a request."""

    def __init__(self, *_: object, **named: object) -> None:
        self.__dict__.update(named)

    def __getattr__(self, _: str) -> Any:
        return lambda *_, **__: None


class Client:
    """Answers every request with a text of its own, and keeps what it was asked."""

    def chat(self, **request: Any) -> Anything:
        asked.append(request)
        number = len(calls) + 1
        private = f"What I keep to myself, {number}." if request.get("tools") and number % 3 else None
        usage = Anything(prompt_tokens=1, completion_tokens=1, cost_usd=0.0, elapsed_seconds=0.0)
        return Anything(
            content=f'Reply {number}: “no”, {{response}} {{{{answer_1}}}} %s\\n\n\ta "second" line, é.',
            usage=usage, reasoning_content=None, finish_reason="stop", tool_calls=None, content_thinking=private,
        )  # fmt: skip


def save_response(
    _: str, experiment: str, variant: str, mode: str, turn: str, text: str, messages: Any, *__: Any, **more: Any
) -> None:
    request = asked.pop()
    assert request["messages"] == messages
    assert not asked
    own = {"experiment": experiment, "variant": variant, "mode": mode, "turn": turn, "request": request}
    calls.append({**own, "reply": text, "private": more.get("content_thinking") or ""})
    meta = {"scenario_id": turn}
    files.setdefault((experiment, variant, mode), []).append({"metadata": meta, "response": text})
    sys.modules[
        "src.prompt_builder"
    ]._reset_tool_call_counter()  # the oldest version counts on from dialogue to dialogue


def save_judge_scores(_: str, experiment: str, variant: str, mode: str, turn: str, *__: Any, **___: Any) -> None:
    verdicts.append({"variant": variant, "mode": mode, "turn": turn, "request": asked.pop()})


def stand_in(name: str, **content: Any) -> None:
    module = types.ModuleType(name)
    module.__dict__.update(content)
    sys.modules[name] = module


def main(folder: str) -> None:
    sys.path.insert(0, folder)
    stand_in("dotenv", load_dotenv=lambda *_: None)
    stand_in("rich")
    stand_in("rich.console", Console=Anything)
    stand_in("src.cost_tracker", TaskCost=Anything)
    stand_in("src.openrouter_client", OpenRouterClient=Client)
    stand_in(
        "src.cache",
        load_cached_response=lambda *_, **__: None,
        save_response=save_response,
        list_cached_results=lambda _, experiment, variant, mode, **__: files.get((experiment, variant, mode), []),
        save_judge_scores=save_judge_scores,
    )
    runner, evaluator = import_module("src.runner"), import_module("src.evaluator")
    for variant, mode in CELLS:
        chosen = {"system_variants": [variant], "delivery_modes": [mode]}
        runner.run_all_experiments(Client(), "any/model", Anything(), **chosen)
        evaluator.evaluate_all(Client(), "any/model", Anything(), **chosen)
    assert not asked
    print(json.dumps({"calls": calls, "verdicts": verdicts}))


if __name__ == "__main__":
    main(sys.argv[1])
