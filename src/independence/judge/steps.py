"""Steps: what a model judge writes before it grades. Each is a call of its own, and kept.

Later prompts quote what a step came to, so that the verdict may rest on it alone. Without it there is no verdict.
"""

from __future__ import annotations

from collections.abc import Mapping

from independence.clients import flags
from independence.clients.protocol import ChatClient
from independence.judge.spec import JudgeSpec
from independence.suites import digest
from independence.suites.schema import Step
from independence.suites.template import slots
from independence.types import Answer, ChatRequest, Message, Missing


async def write(client: ChatClient, spec: JudgeSpec, prompt: str, seed: int) -> Answer:
    """Ask for a step's text: a reply that is whole and not blank, or `Missing`. Raises what `ChatClient.ask` raises."""
    request = ChatRequest(spec.model, (Message("user", prompt),), spec.max_tokens, spec.sampling, seed=seed)
    answer = await client.ask(request)
    if isinstance(answer, Missing):
        return answer
    if not answer.text.strip():
        return Missing("no_answer", "blank", answer.raw, answer.attempts)
    if flags.TRUNCATED in answer.flags:  # a part of a list would be graded as if it were the whole
        return Missing("no_answer", "cut off at its budget", answer.raw or answer.text, answer.attempts)
    return answer


def wording(step: Step, variables: Mapping[str, str]) -> str:
    """Digest of a step's prompt and of the variables that it quotes."""
    quoted = {name: variables[name] for name in slots(step.prompt) if name in variables}
    return digest.sha256({"prompt": step.prompt, "vars": quoted})


def step_key(context: str, wording_: str, written: Mapping[str, str], settings: str) -> str:
    """SHA-256 over {dialogue digest, wording, outputs of the steps before, judge and settings}."""
    return digest.sha256({"context": context, "step": wording_, "before": list(written.items()), "judge": settings})
