"""The same calls by other clients and harnesses: `python peer_clients.py NAME URL WORK DIALOGUES IN_FLIGHT`.

It runs in an environment of the peers' own, which knows nothing of this project, and prints one JSON line: calls, CPU
seconds and wall seconds around the work, imports left out. WORK is a JSON file: a list of dialogues, each
`{"system", "first", "second", "judge"}`. A dialogue is two answers of the model `half`, the second after the first,
and one grade by the model `judge`; lm-evaluation-harness and promptfoo, which have no such dialogue, send the opening
as often as that takes, and promptfoo lets the judge grade it.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

MAX_TOKENS = 2048
TEMPERATURE = 0.7
Dialogue = dict[str, str]
Call = Callable[[str, list[dict[str, str]]], str]


def opening(dialogue: Dialogue) -> list[dict[str, str]]:
    """What is sent first."""
    return [{"role": "system", "content": dialogue["system"]}, {"role": "user", "content": dialogue["first"]}]


def grading(dialogue: Dialogue, answers: list[str]) -> list[dict[str, str]]:
    """What the judge gets."""
    return [{"role": "user", "content": "\n\n".join([dialogue["judge"], *answers])}]


def options(messages: list[dict[str, str]], model: str) -> dict[str, Any]:
    """The arguments of a chat call."""
    return {"model": model, "messages": messages, "max_tokens": MAX_TOKENS, "temperature": TEMPERATURE}


def by_threads(call: Call, dialogues: list[Dialogue], in_flight: int) -> int:
    """Every dialogue in a thread of a pool."""

    def one(dialogue: Dialogue) -> None:
        messages = opening(dialogue)
        first = call("half", messages)
        second = call(
            "half",
            [*messages, {"role": "assistant", "content": first}, {"role": "user", "content": dialogue["second"]}],
        )
        call("judge", grading(dialogue, [first, second]))

    with ThreadPoolExecutor(in_flight) as pool:
        list(pool.map(one, dialogues))
    return 3 * len(dialogues)


async def by_tasks(call: Callable[..., Any], dialogues: list[Dialogue], in_flight: int) -> int:
    """Every dialogue in a task, so many at once; `call` is awaited and gives a completion."""
    room = asyncio.Semaphore(in_flight)

    async def asked(model: str, messages: list[dict[str, str]]) -> str:
        answer = await call(**options(messages, model))
        return str(answer.choices[0].message.content)

    async def one(dialogue: Dialogue) -> None:
        async with room:
            messages = opening(dialogue)
            first = await asked("half", messages)
            then = [{"role": "assistant", "content": first}, {"role": "user", "content": dialogue["second"]}]
            second = await asked("half", [*messages, *then])
            await asked("judge", grading(dialogue, [first, second]))

    await asyncio.gather(*(one(dialogue) for dialogue in dialogues))
    return 3 * len(dialogues)


def openai_threads(url: str, dialogues: list[Dialogue], in_flight: int) -> Callable[[], int]:
    """The openai client in a thread pool, as the published executor has it."""
    from openai import OpenAI

    client = OpenAI(base_url=url, api_key="none")

    def call(model: str, messages: list[dict[str, str]]) -> str:
        answer: Any = client.chat.completions.create(**options(messages, model))
        return str(answer.choices[0].message.content)

    return lambda: by_threads(call, dialogues, in_flight)


def openai_async(url: str, dialogues: list[Dialogue], in_flight: int) -> Callable[[], int]:
    """The asynchronous openai client."""
    import httpx
    from openai import AsyncOpenAI

    async def work() -> int:
        limits = httpx.Limits(max_connections=in_flight, max_keepalive_connections=in_flight)
        async with AsyncOpenAI(base_url=url, api_key="none", http_client=httpx.AsyncClient(limits=limits)) as client:
            return await by_tasks(client.chat.completions.create, dialogues, in_flight)

    return lambda: asyncio.run(work())


def litellm(url: str, dialogues: list[Dialogue], in_flight: int) -> Callable[[], int]:
    """litellm's asynchronous completion."""
    import litellm as library

    library.suppress_debug_info = True

    async def call(**asked: Any) -> Any:
        asked["model"] = f"openai/{asked['model']}"
        return await library.acompletion(**asked, api_base=url, api_key="none")

    return lambda: asyncio.run(by_tasks(call, dialogues, in_flight))


def lm_eval(url: str, dialogues: list[Dialogue], in_flight: int) -> Callable[[], int]:
    """The API model of lm-evaluation-harness, without a judge: its results come at the end, all at once."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.api_models import JsonChatStr
    from lm_eval.models.openai_completions import LocalChatCompletion

    model: Any = LocalChatCompletion(
        base_url=f"{url}/chat/completions", model="half", num_concurrent=in_flight, tokenized_requests=False,
        tokenizer_backend=None, max_retries=3, timeout=600,
    )  # fmt: skip
    settings = {"until": [], "max_gen_toks": MAX_TOKENS, "temperature": TEMPERATURE}
    asked = [JsonChatStr(json.dumps(opening(dialogue))) for dialogue in dialogues for _ in range(3)]

    def work() -> int:
        requests = [Instance("generate_until", {}, (one, dict(settings)), n) for n, one in enumerate(asked)]
        answers = model.generate_until(requests, disable_tqdm=True)
        if len([answer for answer in answers if answer]) != len(asked):
            raise RuntimeError("lm-evaluation-harness lost answers")
        return len(asked)

    return work


def promptfoo(url: str, dialogues: list[Dialogue], in_flight: int) -> Callable[[], int]:
    """promptfoo's command line: an answer and a grade for each test. Its CPU is that of the child process."""
    provider = {"apiBaseUrl": url, "apiKey": "none", "max_tokens": MAX_TOKENS, "temperature": TEMPERATURE}
    tests = [{"vars": {"chat": json.dumps(opening(dialogue)), "n": n}} for n, dialogue in enumerate(2 * dialogues)][
        : len(dialogues) * 3 // 2
    ]
    config = {
        "prompts": ["{{chat}}"],
        "providers": [{"id": "openai:chat:half", "config": provider}],
        "defaultTest": {
            "options": {"provider": {"id": "openai:chat:judge", "config": provider}},
            "assert": [{"type": "llm-rubric", "value": dialogues[0]["judge"]}],
        },
        "tests": tests,
    }

    def work() -> int:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "config.json").write_text(json.dumps(config))
            quiet = {
                "PROMPTFOO_DISABLE_TELEMETRY": "1",
                "PROMPTFOO_DISABLE_UPDATE": "1",
                "PROMPTFOO_CONFIG_DIR": folder,
            }
            command = ["promptfoo", "eval", "-c", "config.json", "-j", str(in_flight), "--no-cache", "--no-write",
                       "--no-progress-bar", "--no-table", "-o", "out.json"]  # fmt: skip
            environment = os.environ | quiet | {"PROMPTFOO_CONFIG_DIR": folder}
            # It exits with 100 where an assertion failed: what the judge says is of no concern here.
            subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
            results = json.loads((Path(folder) / "out.json").read_text())["results"]["results"]
        if len([one for one in results if one.get("response")]) != len(tests):
            raise RuntimeError("promptfoo lost answers")
        return 2 * len(tests)

    return work


PEERS = {
    "openai client, threads": openai_threads,
    "openai client, async": openai_async,
    "litellm": litellm,
    "lm-evaluation-harness": lm_eval,
    "promptfoo": promptfoo,
}


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main(name: str, url: str, work: str, dialogues: str, in_flight: str) -> None:
    """Do the work and say what it took."""
    told = json.loads(Path(work).read_text())
    count = int(dialogues)
    asked = [told[n % len(told)] for n in range(count)]
    run = PEERS[name](url, asked, int(in_flight))
    cpu, wall = _cpu_s(), time.perf_counter()
    calls = run()
    print(json.dumps({"calls": calls, "cpu_s": _cpu_s() - cpu, "wall_s": time.perf_counter() - wall}))


if __name__ == "__main__":
    main(*sys.argv[1:])
