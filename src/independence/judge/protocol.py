"""What all judges have in common: who grades, how a finished dialogue reaches them, and what is bought beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar, NamedTuple, Self

import msgspec

from independence.clients.protocol import ChatClient
from independence.config.options import AUDIT_SHARE, UNSURE_SHARE
from independence.suites import digest
from independence.suites.schema import Field, Rubric, Step
from independence.suites.template import slots
from independence.types import Answer, Grade, TranscriptTurn

MOST_TOKENS = 1024  # of a verdict, reasoning included
DEFAULT_JUDGE = "google/gemini-3-flash-preview"
_NOTHING: Mapping[str, str] = MappingProxyType({})


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


class PurchaseRule(msgspec.Struct, frozen=True):
    """Which verdicts are bought from a model beside those of the offline judge. Shares are of all dialogues."""

    unsure: float = UNSURE_SHARE  # least certain first
    audit: float = AUDIT_SHARE  # drawn at random from the rest
    least: int = 20  # drawn at least of each scenario that the offline judge was not trained on

    @property
    def audits(self) -> bool:
        """Whether that number is all that is drawn, of every scenario."""
        return not self.unsure and not self.audit


class Purchase(msgspec.Struct, frozen=True):
    """Which verdicts are bought, and from whom. They stay their judge's own, whoever asked for them."""

    auditor: Judge
    rule: PurchaseRule


class Judge(msgspec.Struct, frozen=True, dict=True):
    """A judge as configured. A kind of judge overrides what it does otherwise."""

    name: str  # what boards print
    endpoint: str = ""  # of the model that is asked for verdicts; empty: none is asked
    model: str = ""
    max_tokens: int = MOST_TOKENS
    purchase: Purchase | None = None  # what it lets a model grade beside it

    waits_for_all: ClassVar[bool] = False  # grades only when every dialogue is finished: it is a `BatchJudge`
    is_asked: ClassVar[bool] = True  # false: its verdicts are imported
    reads_rubric_steps: ClassVar[bool] = False  # a rubric's steps are written for it, by its model, before it grades

    def buying(self, auditor: Judge, rule: PurchaseRule) -> Self:
        """The same judge with verdicts bought beside it."""
        return msgspec.structs.replace(
            self, endpoint=auditor.endpoint, model=auditor.model, max_tokens=auditor.max_tokens,
            purchase=Purchase(auditor, rule),
        )  # fmt: skip

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


class BatchJudge(Judge, frozen=True):
    """A judge that predicts all verdicts before it gives any."""

    waits_for_all: ClassVar[bool] = True
    takes_bought: ClassVar[bool] = False  # a verdict that is bought becomes its own; else it only corrects estimates

    def knows(self, turns: Sequence[TranscriptTurn], fields: Mapping[str, Field]) -> bool:
        """Whether it was trained on the very texts of a scenario, for all these fields but those of ours alone."""
        raise NotImplementedError

    def predict(self, dialogues: Sequence[FinishedDialogue]) -> list[Prediction]:
        """What it expects of every dialogue."""
        raise NotImplementedError

    def verdict(self, fields: Mapping[str, Field], prediction: Prediction) -> Grade:
        """A prediction as a verdict of its own, or `Missing` where it is too unsure."""
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


_DIGITS = 5


class Prediction(msgspec.Struct, frozen=True):
    """What is predicted of a dialogue, in the units of its fields. Fields that were never learned are not in it."""

    values: dict[str, float]
    expected_error: dict[str, float]  # expected absolute error, in the same units
    flagged: tuple[str, ...]  # fields on the other half of their scale than usual: somebody should look
    known: bool  # trained on these very texts, for all these fields
    doubt: float  # mean expected error over the fields, as a share of their scales; 1 where nothing was learned

    def to_json(self) -> str:
        """As it is stored."""
        values, errors = (
            {name: round(value, _DIGITS) for name, value in part.items()} for part in (self.values, self.expected_error)
        )
        kept = Prediction(values, errors, self.flagged, self.known, round(self.doubt, _DIGITS))
        return msgspec.json.encode(kept).decode()


def read_prediction(text: str) -> Prediction:
    """From JSON. Raises msgspec.MsgspecError for what is none."""
    return msgspec.json.decode(text, type=Prediction)


class CalibrationLine(msgspec.Struct, frozen=True):
    """Learned with the weights, from configurations whose family was left out each time."""

    suite: str  # whose index it is about
    slope: float
    shift: float
    error: float  # root mean squared error in points, each family by the line of the others
    families: int

    def at(self, index: float) -> float:
        """The teacher's index to expect."""
        return self.slope * index + self.shift
