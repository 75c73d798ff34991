"""What all judges have in common: who grades, and how a finished dialogue reaches them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import msgspec

from independence.clients.protocol import ChatClient
from independence.suites import digest
from independence.suites.schema import Rubric, Step
from independence.suites.template import slots
from independence.types import Answer, Grade, TranscriptTurn, Verdict

MOST_TOKENS = 1024  # of a verdict, reasoning included
DEFAULT_JUDGE = "google/gemini-3-flash-preview"
_NOTHING: Mapping[str, str] = MappingProxyType({})
CONTINUED = Verdict(reasoning="Not graded: other dialogues continue this one.")  # of a rubric without fields


class ReplyContext(NamedTuple):
    """What the subject was given beside the human's turns."""

    prompts: tuple[str, ...] = ()
    english: bool = True  # the language of the suite: other texts are read for debris alone


class FinishedDialogue(NamedTuple):
    """A dialogue whose last answer is the subject's, and by what it is graded."""

    turns: Sequence[TranscriptTurn]
    rubric: Rubric
    variables: Mapping[str, str] = _NOTHING  # fill the rubric's prompts
    reply_context: ReplyContext = ReplyContext()
    written: Mapping[str, str] = _NOTHING  # outputs of the rubric's steps, where the judge reads them
    seed: int = 0


class Judge(msgspec.Struct, frozen=True, dict=True):
    """A judge as configured. A kind of judge overrides what it does otherwise."""

    name: str  # what boards print
    endpoint: str = ""  # of the model that is asked for verdicts; empty: none is asked
    model: str = ""
    max_tokens: int = MOST_TOKENS

    reads_rubric_steps: ClassVar[bool] = False  # a rubric's steps are written for it, by its model, before it grades

    @cached_property
    def settings(self) -> str:
        """Canonical JSON of everything that shapes a verdict besides rubric and dialogue: part of the verdict's key."""
        raise NotImplementedError

    async def write_step(self, prompt: str, client: ChatClient, seed: int) -> Answer:
        """The text of a rubric's step, or `Missing`. Raises what `client.ask` raises."""
        raise NotImplementedError

    async def grade(self, dialogue: FinishedDialogue, client: ChatClient | None = None) -> Grade:
        """The verdict on one dialogue. `client` asks its model, where it needs one; raises what `client.ask` raises."""
        raise NotImplementedError


def verdict_key(context: str, rubric: str, settings: str, pass_: int = 1) -> str:
    """SHA-256 over {dialogue digest, rubric digest, judge and settings, pass}."""
    return digest.sha256({"context": context, "rubric": rubric, "judge": settings, "pass": pass_})


def step_digest(step: Step, variables: Mapping[str, str]) -> str:
    """Digest of a step's prompt and of the variables that it quotes."""
    quoted = {name: variables[name] for name in slots(step.prompt) if name in variables}
    return digest.sha256({"prompt": step.prompt, "vars": quoted})


def step_key(context: str, step: str, written: Mapping[str, str], settings: str) -> str:
    """SHA-256 over {dialogue digest, digest of the step, outputs of the steps before, judge and settings}."""
    return digest.sha256({"context": context, "step": step, "before": list(written.items()), "judge": settings})
