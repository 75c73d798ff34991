"""What pages call a subject: a name that people know, who made the model, and badges for how it was asked.

`google/gemma-4-31b-it` pinned to AkashML is `Gemma 4 31B Instruct`, by Google, with the badges `AkashML`,
`no reasoning` and `t 0.7`. A name is only written differently from its id where its maker and every part of it are
known; a label that a user gave stays. Two subjects of one board never have the same name and badges.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

import msgspec

from independence.config.subjects import LOCAL, OPENROUTER, PYTHON, SIM, SUFFIX, states_settings
from independence.report.board.board_data import IMPORTED, Origin
from independence.report.files.legend import texts
from independence.types import Sampling

BadgeKind = Literal[
    "host", "quantisation", "variant", "free", "local", "effort", "temperature", "limit", "body", "simulated", "single",
    "origin",
]  # fmt: skip


class NameBadge(msgspec.Struct, frozen=True):
    """A short mark beside a subject's name."""

    kind: BadgeKind
    text: str
    about: str


class DisplayName(NamedTuple):
    """What a page calls a subject. `maker` is empty where it is not known; `mark` is a letter or two for it."""

    name: str
    maker: str
    mark: str
    badges: tuple[NameBadge, ...]


class NamedSubject(NamedTuple):
    """What a name is made of."""

    config: str
    label: str
    model_id: str
    endpoint: str  # empty where it is not known
    sampling: Sampling
    simulated: bool
    runs: int
    origin: Origin | None = None


class _ModelId(NamedTuple):
    """The parts of `local/qwen/qwen3-8b-awq:free`."""

    vendor: str  # `qwen`; empty where there is none
    served_by: str  # what stands before the vendor, without `local`
    name: str  # `qwen3-8b-awq`
    variants: tuple[str, ...]  # `free`


_QUANTISED: Final = re.compile(
    r"(?:^|[-_./])(i?q\d(?:[-_](?:k|m|s|l|xl|xs|xxs|nl|0|1))*|int[48]|fp(?:4|6|8|16|32)|bf16|f16|f32|mxfp4|nvfp4"
    r"|awq|gptq|gguf|mlx|exl[23]|nf4|[48]bit)$",
    re.IGNORECASE,
)
_AS_WRITTEN: Final = re.compile(r"(?:int|fp|bf|f|nf|mxfp|nvfp)\d+|[48]bit")
_NUMBER: Final = re.compile(r"\d+(\.\d+)*")
_UPPER: Final = re.compile(r"\d+(\.\d+)?[bmkt]|[aekmnrv]\d+(\.\d+)?b?|(xs|s|m|l|xl)(\.\d+)?")
_WORD_AND_NUMBER: Final = re.compile(r"([a-z]+)(\d+(?:\.\d+)*)")
_JOINED: Final = ("GPT", "GLM")  # written with a hyphen before a number
_FREE: Final[tuple[BadgeKind, str, str]] = ("free", "free", "The variant that its host gives away")
_EFFORTS: Final = {"none": "no reasoning", "off": "reasoning off"}


def of_board(subjects: Sequence[NamedSubject]) -> dict[str, DisplayName]:
    """What each subject of a board is called, by its directory name.

    Effort and temperature are shown where the subjects differ in them. Who would look like another one is called by its
    label, or where labels are the same, by its directory name.
    """
    differ = {what: len({getattr(one.sampling, what) for one in subjects}) > 1 for what in ("effort", "temperature")}
    named = {one.config: _named(one, differ) for one in subjects}
    for kind in ("label", "config"):
        often = Counter(map(_seen, named.values()))
        for one in subjects:
            if often[_seen(named[one.config])] > 1:
                named[one.config] = named[one.config]._replace(name=getattr(one, kind))
    return named


def _seen(shown: DisplayName) -> tuple[str, ...]:
    """What a reader tells a subject by."""
    return (shown.name.lower(), *(badge.text for badge in shown.badges))


def _named(subject: NamedSubject, differ: Mapping[str, bool]) -> DisplayName:
    model = _parts(subject.model_id)
    bare, quantised = _without_quantisation(model.name)
    maker = texts("makers").get(model.vendor, "")
    known_vendor = maker or (not model.vendor and subject.model_id.startswith(f"{LOCAL}/"))
    spelled = _spelled(bare) if known_vendor and not subject.simulated else None
    own = _own_label(subject, model)
    rewritten = bool(spelled or own)
    # The settings in a label name the host where the id does not, as in `gemma-4-26b-a4b+q4-k-m@low-t0.7`.
    stated = None if own else re.search(f"{SUFFIX}$", subject.label)
    pin = subject.sampling.provider or (stated["pin"] if stated else None) or ""
    host, precision = _without_quantisation(f"//{pin}")
    if rewritten and not pin:
        named = subject.endpoint not in ("", OPENROUTER, LOCAL, SIM, PYTHON)
        host = model.served_by or subject.endpoint * (named and subject.model_id.startswith(f"{subject.endpoint}/"))
    variants = model.variants if rewritten else ()
    badges: list[tuple[BadgeKind, str, str]] = [
        ("host", _host(host.strip("/")), f"Only this host may answer: {host.strip('/')}"),
        ("quantisation", _quantisation(precision), "The precision or format of its weights"),
        ("quantisation", _quantisation(quantised if rewritten else ()), "The precision or format of its weights"),
        *((("variant", one, "A variant of its host") if one != "free" else _FREE) for one in variants),
        *_settings(subject, differ),
    ]
    name = own or spelled or subject.model_id.removeprefix(f"{LOCAL}/")
    shown = tuple(NameBadge(*one) for one in dict.fromkeys(badges) if one[1])
    return DisplayName(name, maker, _mark(maker, name), shown)


def _parts(model_id: str) -> _ModelId:
    path, *variants = model_id.split(":")
    *before, name = path.split("/")
    local = before[:1] == [LOCAL]
    before = [part.lower().removesuffix("-api") for part in before[local:]]
    return _ModelId(before[-1] if before else "", "/".join(before[:-1]), name, tuple(variants))


def _own_label(subject: NamedSubject, model: _ModelId) -> str:
    """The label where a user gave one; empty where it is made of the id and the settings."""
    label = subject.label.removesuffix("@published") if subject.origin == IMPORTED else subject.label
    ids = {subject.model_id, subject.model_id.split("/", 1)[-1], subject.model_id.rsplit("/", 1)[-1], model.name}
    base = re.sub(f"{SUFFIX}$", "", label) if states_settings(label) else label
    return "" if base in ids or label in (subject.config, subject.simulated and subject.model_id) else label


def _without_quantisation(name: str) -> tuple[str, tuple[str, ...]]:
    """An id without the quantisation at its end, and that."""
    found: list[str] = []
    while (end := _QUANTISED.search(name)) and end.start():
        name, found = name[: end.start()], [end[1], *found]
    return name, tuple(found)


def _spelled(name: str) -> str | None:
    """An id as its maker writes it; None where a part of it is not known."""
    words = [_word(part) for part in name.lower().split("-")]
    known = [word for word in words if word is not None]
    if len(known) < len(words) or not known or known[0][:1].isdigit():
        return None
    out = known[0]
    for before, word in pairwise(known):
        numbers = _NUMBER.fullmatch(before) and _NUMBER.fullmatch(word)
        out += ("-" if numbers or before in _JOINED else " ") + word
    return out


def _word(part: str) -> str | None:
    if (known := texts("spellings").get(part)) is not None:
        return known
    if _NUMBER.fullmatch(part):
        return part
    if _UPPER.fullmatch(part):
        return part.upper()
    both = _WORD_AND_NUMBER.fullmatch(part)
    word = texts("spellings").get(both[1]) if both else None
    return word + both[2] if both and word else None


def _host(slug: str) -> str:
    """What a host is called; `azure-api` is the API of one that is known."""
    known = texts("makers")
    if slug.endswith("-api") and slug.removesuffix("-api") in known:
        return f"{known[slug.removesuffix('-api')]} API"
    maker, _, rest = slug.replace("/", "-").partition("-")
    return known.get(slug) or (f"{known[maker]} {rest}" if maker in known and rest else slug)


def _quantisation(found: Sequence[str]) -> str:
    """`q4-k-m` is Q4_K_M; names of formats are in capitals, those of numbers as they are written."""
    return " ".join(
        one.lower() if _AS_WRITTEN.fullmatch(one.lower()) else one.upper().replace("-", "_") for one in found
    )


def _settings(subject: NamedSubject, differ: Mapping[str, bool]) -> list[tuple[BadgeKind, str, str]]:
    """Kind, text and meaning of what else is to be known; a text is empty where it does not hold."""
    sampling, effort, own = subject.sampling, "", re.search(r"-x[0-9a-f]{6}$", subject.config) is not None
    if differ["effort"] and sampling.effort:
        effort = _EFFORTS.get(sampling.effort, f"{sampling.effort} effort")
    heat = "" if sampling.temperature is None or not differ["temperature"] else f"{sampling.temperature:g}"
    limit = f"{sampling.max_tokens} tokens" if sampling.max_tokens else ""
    return [
        ("local", "local" * subject.model_id.startswith(f"{LOCAL}/"), "Served on the user's own machine"),
        ("effort", effort, f"Reasoning effort: {sampling.effort}"),
        ("temperature", heat and f"t {heat}", f"Temperature {heat}"),
        ("limit", limit, "The most tokens that an answer may have"),
        ("body", "own fields" * own, "Its requests have fields that models.yaml adds (extra_body)"),
        ("origin", "imported" * (subject.origin == IMPORTED), "Its dialogues were imported, not measured here"),
        ("simulated", "simulated" * subject.simulated, "A program with known behaviour; no model was asked"),
        ("single", "1 run" * (subject.runs == 1), "A single run has no rank and no interval"),
    ]


def _mark(maker: str, name: str) -> str:
    """Letters for a maker: `OA` for OpenAI, `An` for Anthropic; of one that is not known, the first of the name."""
    if not maker:
        letters = re.sub(r"[\W_]+", "", name.rsplit("/", 1)[-1])
        return letters[:1].lower()
    capitals = re.sub(r"[^A-Z]", "", maker.removesuffix(" AI"))
    return capitals[:2] if len(capitals) > 1 and maker[0].isupper() else re.sub(r"\W", "", maker)[:2]
