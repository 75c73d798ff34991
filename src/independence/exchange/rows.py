"""What a reader of published results hands over: frozen values, one tree per configuration and run."""

from __future__ import annotations

import msgspec

from independence.types import Answer, Grade, Usage


class ImportedCall(msgspec.Struct, frozen=True, gc=False):
    """One stored turn of a dialogue."""

    turn_id: str
    turn: int  # 0-based among the scenario's generated turns
    file: str  # path below the run's directory
    answer: Answer  # `Missing(no_answer)` where the stored text is blank
    request_messages: bytes  # the JSON array as it was published, byte for byte
    timestamp: str  # ISO 8601 with offset, when the answer was stored; may be empty
    flags: tuple[str, ...] = ()  # what is odd about the record itself; what is odd about the reply is on the reply


class ImportedTrial(msgspec.Struct, frozen=True):
    """One dialogue, as far as its files are there. `grade` None: no verdict was published."""

    scenario: str
    experiment: str
    variant: str
    mode: str
    turns: int  # generated turns the scenario has; `calls` may be fewer
    calls: tuple[ImportedCall, ...]  # in turn order
    grade: Grade | None = None
    judge_model: str = ""
    judge_usage: Usage = Usage()
    flags: tuple[str, ...] = ()  # what is odd about the verdict

    @property
    def timestamps(self) -> tuple[str, ...]:
        """When each call was stored, in turn order."""
        return tuple(call.timestamp for call in self.calls)


class ImportedRun(msgspec.Struct, frozen=True):
    """One run of one configuration. Its key in a store is (config_dir, run, scenario, variant, mode)."""

    config_dir: str
    run: int
    model_id: str  # read from the directory name; a registry may know better
    effort: str
    temperature: float
    provider_tag: str | None
    trials: tuple[ImportedTrial, ...]  # in the suite's order
    name_extraction: bytes = b""  # the file as it was published, empty where there is none
