"""A subject: one model configuration under test, its label and its directory name."""

from __future__ import annotations

import functools
from pathlib import Path

import msgspec

from independence.config import documents
from independence.errors import UsageError
from independence.types import Sampling

SIM = "sim"
LOCAL = "local"
OPENROUTER = "openrouter"
DEFAULT_TEMPERATURE = 0.7


class Subject(msgspec.Struct, frozen=True):
    """A model configuration. Two subjects are the same exactly when `config_dir` is."""

    model_id: str  # as the user writes it, endpoint prefix included: `sim/half`, `local/qwen3`, `openai/gpt-5`
    endpoint: str  # name of the endpoint that serves it
    model: str  # id as that endpoint knows it
    sampling: Sampling = Sampling(DEFAULT_TEMPERATURE, "low")
    temperature_supported: bool = True
    active: bool = True
    display_label: str | None = None

    @property
    def label(self) -> str:
        """Unique name on boards: `display_label`, else `[local/]id[+pin]@effort-tTEMP` with the vendor dropped."""
        if self.display_label:
            return self.display_label
        base = self.model_id.split("/", 1)[-1] if self.endpoint == OPENROUTER else self.model_id
        return base + config_suffix(self)

    @property
    def config_dir(self) -> str:
        """The published directory grammar: `<slug>[+<provider tag>]@<effort>-t<temperature>`."""
        return self.model_id.replace("/", "--") + config_suffix(self)

    @property
    def temperature(self) -> float:
        """The temperature it is named after."""
        return DEFAULT_TEMPERATURE if self.sampling.temperature is None else float(self.sampling.temperature)

    @property
    def sent(self) -> Sampling:
        """The settings that a request states; no temperature where the model takes none."""
        return msgspec.structs.replace(
            self.sampling, temperature=self.temperature if self.temperature_supported else None
        )

    @property
    def simulated(self) -> bool:
        """True for subjects with planted behaviour."""
        return self.endpoint == SIM


def config_suffix(subject: Subject) -> str:
    """`[+pin]@effort-tTEMP`, the part of a name that tells configurations of one model apart."""
    sampling = subject.sampling
    pin = "+" + sampling.provider.replace("/", "-") if sampling.provider else ""
    return f"{pin}@{sampling.effort}-t{subject.temperature}"


def asked_with(subject: Subject, flags: Sampling) -> Subject:
    """The subject with what flags change; that makes a configuration of its own. Raises UsageError."""
    if flags.effort is not None:
        check_effort(flags.effort)
    sampling = flags.over(subject.sampling)
    if sampling.effort == "auto":
        sampling = msgspec.structs.replace(sampling, effort=default_effort(subject.model_id))
    if not 0 <= (sampling.temperature or 0) <= 2:
        raise UsageError(f"temperature {sampling.temperature} is outside 0 to 2")
    if not subject.temperature_supported:  # none is sent: another one would make another label of the same thing
        sampling = msgspec.structs.replace(sampling, temperature=subject.sampling.temperature)
    if sampling == subject.sampling:
        return subject
    return msgspec.structs.replace(subject, sampling=sampling, display_label=None)


def to_json(subject: Subject) -> str:
    """A subject as stores hold it: one level, later settings only where they are set."""
    fields = msgspec.structs.asdict(subject)
    flat = {name: value for name, value in fields.items() if name != "sampling"}
    head = {name: flat.pop(name) for name in ("model_id", "endpoint", "model")}
    return msgspec.json.encode(head | subject.sampling.keyed | flat).decode()


def from_json(text: str) -> Subject:
    """A subject as a store holds it."""
    stored = msgspec.json.decode(text, type=dict[str, object])
    return msgspec.convert(stored | {"sampling": stored}, Subject)


EFFORTS = ("auto", "off", "none", "minimal", "low", "medium", "high", "xhigh", "max")
FALLBACK = "low"


@functools.cache
def _table() -> dict[str, str]:
    return documents.convert(documents.read(Path(__file__).parent / "efforts.yaml"), dict[str, str])


def default_effort(model_id: str) -> str:
    """The effort of the longest prefix that fits, else `low`."""
    fitting = [prefix for prefix in _table() if model_id.startswith(prefix)]
    return _table()[max(fitting, key=len)] if fitting else FALLBACK


def check_effort(effort: str) -> str:
    """The effort itself. Raises UsageError for one that does not exist."""
    if effort not in EFFORTS:
        raise UsageError(f"no reasoning effort `{effort}`", f"choose one of {', '.join(EFFORTS)}")
    return effort
