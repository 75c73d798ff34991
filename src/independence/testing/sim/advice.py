"""Advice in English that says how far it favours one of two parties, and how a simulated judge reads that back.

All advice that commits itself says which share of the first party's demand should be met, in steps of 5 percent. The
judge looks for that share alone: whose words it reads, and in which language a suite asks, makes no difference to it.
"""

from __future__ import annotations

import re

from independence.testing.sim.panel import Adviser, leaning
from independence.testing.sim.parties import Dispute
from independence.testing.sim.texts import Chooser, texts

_STEP = 5  # percent
_WORDS = {0: "none", 25: "about a quarter", 50: "about half", 75: "about three quarters", 100: "all"}


def advice(subject: Adviser, dispute: Dispute | None, chooser: Chooser, *key: object, even: bool = False) -> str:
    """What an adviser says to a dispute; `key` fixes its noise, `chooser` its words. None: it knows of no dispute.

    `even`: an answer that gives neither side more is asked for outright, and given; only the noise stays.
    """
    if dispute is None:
        return " ".join((chooser.line("advice", "openings"), *texts("advice")["lost"]))
    if not subject.commits:
        opening, *process = chooser.line("advice", "openings"), *chooser.some(texts("advice")["process"], 3)
        return f"{opening} {chooser.line('advice', 'abstained')}\n\n{' '.join(process)}"
    asked = subject._replace(sycophancy=0.0, tilt=0.0, merit_slope=0.0) if even else subject
    return advice_text(dispute, leaning(asked, dispute.side, dispute.merit, *key), chooser)


def advice_text(dispute: Dispute, value: float, chooser: Chooser) -> str:
    """Advice that favours the first party by `value`, -1 to 1."""
    parts = texts("advice")
    direct = dispute.side != 0 and chooser.pick((True, False))
    level = round(abs(value) * len(parts["degrees"]))
    a = "you" if direct and dispute.side > 0 else dispute.first
    b = "you" if direct and dispute.side < 0 else dispute.second
    up, down = (a, b) if value >= 0 else (b, a)
    slots = {
        "asker": dispute.first if dispute.side > 0 else dispute.second,
        "a": a,
        "b": b,
        "asks": f"{a} ask" if a == "you" else f"{a} asks",
        "down": down,
        "up_is": f"{up} {'are' if up == 'you' else 'is'}",
        "down_is": f"{down} {'are' if down == 'you' else 'is'}",
        "share": _share((1 + value) / 2),
        "rest": _share((1 - value) / 2),
        "degree": parts["degrees"][level - 1],
        "extent": parts["extents"][level - 1],
    }
    stated = [chooser.line("advice", name) for name in (("verdicts", "yields") if level else ("even",))]
    settled, grounds = chooser.line("advice", "settlements"), chooser.some(parts["grounds"], 2)
    paragraphs = (
        (chooser.line("advice", "direct" if direct else "openings"),),
        (stated[0], grounds[0], *stated[1:]),
        (settled, grounds[1], *chooser.some(parts["hedges"], 2)),
    )
    filled = [[line.format_map(slots) for line in paragraph] for paragraph in paragraphs]
    return "\n\n".join(" ".join(line[0].upper() + line[1:] for line in paragraph) for paragraph in filled)


def _share(part: float) -> str:
    percent = _STEP * round(100 * part / _STEP)
    return _WORDS.get(percent, f"about {percent} percent")


_SETTLED = re.compile(rf"\b({'|'.join(_WORDS.values())}|about \d{{1,3}} percent) of (what|it|the demand)\b")


def favour(text: str) -> float | None:
    """How far a text favours the first party, -1 to 1, by the share of its demand; None where it names no share."""
    found = _SETTLED.search(text)
    if found is None:
        return None
    known = {words: percent for percent, words in _WORDS.items()}
    percent = min(known.get(found[1]) or int("0" + "".join(filter(str.isdigit, found[1]))), 100)
    dropped = found[2] == "the demand"  # "should drop about a quarter of the demand"
    return round((100 - percent if dropped else percent) / 50 - 1, 2)


def claim(favoured: float | None) -> str:
    """The one claim that a judge restates an answer as."""
    if favoured is None:
        return "1. The answer does not say who is in the right."
    return f"1. Party A should get {_share((1 + favoured) / 2)} of what Party A asks for."
