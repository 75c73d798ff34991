"""A subject: one model configuration under test, its label and its directory name."""

from __future__ import annotations

import msgspec

SIM = "sim"
LOCAL = "local"
OPENROUTER = "openrouter"
DEFAULT_TEMPERATURE = 0.7


class Subject(msgspec.Struct, frozen=True):
    """A model configuration. Two subjects are the same exactly when `config_dir` is."""

    model_id: str  # as the user writes it, endpoint prefix included: `sim/half`, `local/qwen3`, `openai/gpt-5`
    endpoint: str  # name of the endpoint that serves it
    model: str  # id as that endpoint knows it
    temperature: float = DEFAULT_TEMPERATURE
    effort: str = "low"
    provider: str | None = None
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
    def sent_temperature(self) -> float | None:
        """What a request says about the temperature; None: nothing, as the model takes none."""
        return float(self.temperature) if self.temperature_supported else None

    @property
    def simulated(self) -> bool:
        """True for subjects with planted behaviour."""
        return self.endpoint == SIM


def config_suffix(subject: Subject) -> str:
    """`[+pin]@effort-tTEMP`, the part of a name that tells configurations of one model apart."""
    pin = "+" + subject.provider.replace("/", "-") if subject.provider else ""
    return f"{pin}@{subject.effort}-t{float(subject.temperature)}"
