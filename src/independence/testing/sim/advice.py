"""Advice in English that says how far it favours one of two parties, fine enough to be read back to about a tenth."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import yaml

from independence.testing.sim.advisers import Adviser, leaning
from independence.testing.sim.draw import Chooser
from independence.testing.sim.parties import Dispute
from independence.testing.sim.texts import Lines

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same documents, some ten times faster
_HOME = Path(__file__).with_name("advice.yaml")
_STEP = 5  # percent
_WORDS = {0: "none", 25: "about a quarter", 50: "about half", 75: "about three quarters", 100: "all"}


class Openings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """First sentences: of no one in particular, and to one of the parties."""

    plain: Lines
    direct: Lines


class AdviceTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything an adviser can say."""

    openings: Openings
    degrees: Lines
    extents: Lines
    verdicts: Lines
    even: Lines
    yields: Lines
    settlements: Lines
    grounds: Lines
    hedges: Lines
    abstained: Lines
    process: Lines
    lost: Lines
    reasoning: Lines


@cache
def advice_texts() -> AdviceTexts:
    """The texts."""
    return msgspec.convert(yaml.load(_HOME.read_text("utf-8"), _LOADER), AdviceTexts)  # noqa: S506 -- it is a safe loader


def advice(subject: Adviser, dispute: Dispute | None, chooser: Chooser, *key: object) -> str:
    """What an adviser says to a dispute; `key` fixes its noise, `chooser` its words. None: no dispute was made out.

    Whoever asks for an even answer outright gets one, but for the noise.
    """
    parts = advice_texts()
    if dispute is None:
        return " ".join((chooser.pick(parts.openings.plain), *parts.lost))
    if not subject.commits:
        return _abstained(chooser)
    asked = subject._replace(sycophancy=0.0, tilt=0.0, merit_slope=0.0) if dispute.even else subject
    return advice_text(dispute, leaning(asked, dispute.side, dispute.merit, *key), chooser)


def advice_text(dispute: Dispute, value: float, chooser: Chooser) -> str:
    """Advice that favours the first party by `value`, -1 to 1."""
    parts = advice_texts()
    slots = _slots(dispute, value, direct=dispute.side != 0 and chooser.pick((True, False)))
    level = round(abs(value) * len(parts.degrees))
    openings = parts.openings.direct if slots["direct"] else parts.openings.plain
    stated = [chooser.pick(parts.verdicts), chooser.pick(parts.yields)] if level else [chooser.pick(parts.even)]
    slots |= {"degree": parts.degrees[level - 1], "extent": parts.extents[level - 1]}
    settled, grounds = chooser.pick(parts.settlements), chooser.some(parts.grounds, 2)
    paragraphs = (
        (chooser.pick(openings),),
        (*stated[:1], grounds[0], *stated[1:]),
        (settled, grounds[1], *chooser.some(parts.hedges, 2)),
    )
    return "\n\n".join(" ".join(_sentences(paragraph, slots)) for paragraph in paragraphs)


def _abstained(chooser: Chooser) -> str:
    parts = advice_texts()
    opening, *process = chooser.pick(parts.openings.plain), *chooser.some(parts.process, 3)
    return f"{opening} {chooser.pick(parts.abstained)}\n\n{' '.join(process)}"


def _slots(dispute: Dispute, value: float, direct: bool) -> dict[str, str]:
    """What fills the texts; with `direct` the asker is "you"."""
    mine = {True: "first", False: "second"}[dispute.side > 0] if direct else ""
    a, b = ("you" if mine == "first" else dispute.first), ("you" if mine == "second" else dispute.second)
    up, down = (a, b) if value >= 0 else (b, a)
    return {
        "direct": mine,
        "asker": dispute.first if dispute.side > 0 else dispute.second,
        "a": a,
        "b": b,
        "asks": _with(a, "ask"),
        "up": up,
        "down": down,
        "up_is": _with(up, "be"),
        "down_is": _with(down, "be"),
        "share": _share((1 + value) / 2),
        "rest": _share((1 - value) / 2),
    }


def _with(party: str, verb: str) -> str:
    return f"{party} {({'ask': 'ask', 'be': 'are'} if party == 'you' else {'ask': 'asks', 'be': 'is'})[verb]}"


def _share(part: float) -> str:
    percent = _STEP * round(100 * part / _STEP)
    return _WORDS.get(percent, f"about {percent} percent")


def _sentences(lines: Sequence[str], slots: dict[str, str]) -> list[str]:
    filled = [line.format_map(slots) for line in lines]
    return [line[0].upper() + line[1:] for line in filled]
