"""A subject: one model configuration under test, its label and its directory name."""

from __future__ import annotations

import functools
import re
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from independence.config import documents, functions
from independence.errors import UsageError, suggestion
from independence.types import Sampling

SIM = "sim"
PYTHON = functions.PYTHON
LOCAL = "local"
OPENROUTER = "openrouter"
DEFAULT_TEMPERATURE = 0.7
MOST_TOKENS: Final = 1_000_000  # of one answer
_DEFAULT, _NOTHING = Sampling(DEFAULT_TEMPERATURE), Sampling()


class Subject(msgspec.Struct, frozen=True, dict=True):
    """A model configuration. Two subjects are the same exactly when `config_dir` is."""

    model_id: str  # as the user writes it, endpoint prefix included: `sim/half`, `local/qwen3`, `openai/gpt-5`
    endpoint: str  # name of the endpoint that serves it
    model: str  # id as that endpoint knows it
    sampling: Sampling = Sampling(DEFAULT_TEMPERATURE, "low")
    temperature_supported: bool = True
    active: bool = True
    display_label: str | None = None

    @functools.cached_property
    def label(self) -> str:
        """Unique name on boards: `display_label`, else `[local/]id` without its vendor, and `config_suffix`."""
        if self.display_label:
            return self.display_label
        base = self.model_id.split("/", 1)[-1] if self.endpoint == OPENROUTER else self.model_id
        return base + config_suffix(self)

    @functools.cached_property
    def config_dir(self) -> str:
        """The published directory grammar, and our suffix: `<slug>[+<provider tag>]@<effort>-t<temperature>[-m<n>]`."""
        return self.model_id.replace("/", "--") + config_suffix(self)

    @functools.cached_property
    def temperature(self) -> float:
        """The temperature it is named after."""
        return DEFAULT_TEMPERATURE if self.sampling.temperature is None else float(self.sampling.temperature)

    @functools.cached_property
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
    """`[+pin]@effort-tTEMP[-mTOKENS][-xDIGEST]`, the part of a name that tells configurations of one model apart.

    The digest is of what `extra_body` adds to requests.
    """
    sampling = subject.sampling
    pin = "+" + sampling.provider.replace("/", "-") if sampling.provider else ""
    limit = f"-m{sampling.max_tokens}" if sampling.max_tokens else ""
    extra = f"-x{sha256(sampling.extra_body.encode()).hexdigest()[:6]}" if sampling.extra_body else ""
    return f"{pin}@{sampling.effort}-t{subject.temperature}{limit}{extra}"


# What `config_suffix` writes, for those who read names: a group for the pin and for each setting.
SUFFIX = (
    r"(?:\+(?P<pin>[^+@]+))?@(?P<effort>[^@]+)-t(?P<temperature>\d+(?:\.\d+)?)"
    r"(?:-m(?P<max_tokens>\d+))?(?:-x[0-9a-f]{6})?"
)


def temperature_in(label: str) -> float | None:
    """The temperature that a label states; None where it states none."""
    found = re.search(f"{SUFFIX}$", label)
    return float(found["temperature"]) if found else None


def sampling_in(config_dir: str) -> Sampling:
    """The settings that a directory name states: all that is known of those of an import."""
    found = re.search(SUFFIX, config_dir)
    if found is None:
        return Sampling()
    limit = found["max_tokens"]
    return Sampling(float(found["temperature"]), found["effort"], found["pin"], int(limit) if limit else None)


_PIN = re.compile(r"[^\s+@]+")


def states_settings(name: str) -> bool:
    """Whether a name ends in an effort and a temperature, as labels do and ids of servers do not."""
    found = re.search(f"{SUFFIX}$", name)
    return found is not None and found["effort"] in EFFORTS


def asked_with(subject: Subject, flags: Sampling, usual: Sampling = _NOTHING) -> Subject:
    """The subject with every setting: by the flags, else its own, else `usual`, else temperature 0.7.

    What flags change makes a configuration of its own. Raises UsageError.
    """
    # Where no temperature is sent, another one would make another label of the same thing.
    own = subject.sampling.over(usual if subject.temperature_supported else _NOTHING).over(_DEFAULT)
    sampling = check_sampling(flags).over(own)
    if sampling.effort == "auto":
        sampling = msgspec.structs.replace(sampling, effort=default_effort(subject.model_id))
    if not subject.temperature_supported:
        sampling = msgspec.structs.replace(sampling, temperature=own.temperature)
    told = temperature_in(subject.display_label or "")
    label = subject.display_label if sampling == own and told in (None, sampling.temperature) else None
    return msgspec.structs.replace(subject, sampling=sampling, display_label=label)


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


@functools.cache
def _efforts() -> dict[str, str]:
    return documents.packaged(Path(__file__).parent / "efforts.yaml", dict[str, str])


def default_effort(model_id: str) -> str:
    """The effort of the longest prefix that fits, else `low`."""
    fitting = [prefix for prefix in _efforts() if model_id.startswith(prefix)]
    return _efforts()[max(fitting, key=len)] if fitting else "low"


def check_sampling(sampling: Sampling) -> Sampling:
    """The settings themselves. Raises UsageError for what cannot be."""
    if sampling.effort is not None and sampling.effort not in EFFORTS:
        raise UsageError(f"no reasoning effort `{sampling.effort}`", suggestion(sampling.effort, EFFORTS))
    if sampling.provider is not None and not _PIN.fullmatch(sampling.provider):
        raise UsageError(f"--provider `{sampling.provider}`:", "write a name without blanks, `@` and `+`")
    if not 0 <= (sampling.temperature or 0) <= 2:
        raise UsageError(f"temperature {sampling.temperature} is outside 0 to 2")
    if sampling.max_tokens is not None and not 1 <= sampling.max_tokens <= MOST_TOKENS:
        raise UsageError(f"--max-tokens {sampling.max_tokens}:", f"write a number of tokens from 1 to {MOST_TOKENS:,}")
    return sampling


@functools.cache
def families() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The rules of `families.yaml`, in order: a family, and what is searched in one part of an id."""
    rules = documents.packaged(Path(__file__).parent / "families.yaml", list[dict[str, str]])
    return tuple((rule["family"], re.compile(rule["pattern"])) for rule in rules)


@functools.cache
def family(model_id: str) -> str:
    """The family of a model id; directory names of the published grammar and names of judges are read as well.

    Where no rule fits: the maker, or for a model without one (`local/NAME`, `cues`) the first word of its name.
    """
    # Parts between slashes: `nvidia--moonshotai--kimi-k2.5@none-t0.7` has three. Serving is left out.
    path = model_id.lower().partition("@")[0].replace("--", "/")
    *makers, name = (part.removesuffix("-api") for part in path.split("/"))
    makers = [part for part in makers if part not in ("", LOCAL)]
    name = re.split("[+:]", name, maxsplit=1)[0]
    for part in (name, *reversed(makers)):
        for known, pattern in families():
            if pattern.search(part):
                return known
    if makers:
        return makers[-1]
    word = re.match(r"[^\W\d_]+", name)
    return word[0] if word else name
