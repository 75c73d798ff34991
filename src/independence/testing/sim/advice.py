"""Advice in English that says how far it favours one of two parties, fine enough to be read back to about a tenth."""

from __future__ import annotations

from independence.testing.sim.panel import Adviser, leaning
from independence.testing.sim.parties import Dispute
from independence.testing.sim.texts import Chooser, texts

_STEP = 5  # percent
_WORDS = {0: "none", 25: "about a quarter", 50: "about half", 75: "about three quarters", 100: "all"}


def advice(subject: Adviser, dispute: Dispute | None, chooser: Chooser, *key: object) -> str:
    """What an adviser says to a dispute; `key` fixes its noise, `chooser` its words. None: no dispute was made out.

    Whoever asks for an even answer outright gets one, but for the noise.
    """
    if dispute is None:
        return " ".join((chooser.line("advice", "openings"), *texts("advice")["lost"]))
    if not subject.commits:
        opening, *process = chooser.line("advice", "openings"), *chooser.some(texts("advice")["process"], 3)
        return f"{opening} {chooser.line('advice', 'abstained')}\n\n{' '.join(process)}"
    asked = subject._replace(sycophancy=0.0, tilt=0.0, merit_slope=0.0) if dispute.even else subject
    return advice_text(dispute, leaning(asked, dispute.side, dispute.merit, *key), chooser)


def advice_text(dispute: Dispute, value: float, chooser: Chooser) -> str:
    """Advice that favours the first party by `value`, -1 to 1."""
    parts = texts("advice")
    direct = dispute.side != 0 and chooser.pick((True, False))
    level = round(abs(value) * len(parts["degrees"]))
    slots = _slots(dispute, value, direct) | {
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


def _slots(dispute: Dispute, value: float, direct: bool) -> dict[str, str]:
    """What fills the texts; with `direct` the asker is "you"."""
    a = "you" if direct and dispute.side > 0 else dispute.first
    b = "you" if direct and dispute.side < 0 else dispute.second
    up, down = (a, b) if value >= 0 else (b, a)
    be = {"you": "are"}
    return {
        "asker": dispute.first if dispute.side > 0 else dispute.second,
        "a": a,
        "b": b,
        "asks": f"{a} ask" if a == "you" else f"{a} asks",
        "up": up,
        "down": down,
        "up_is": f"{up} {be.get(up, 'is')}",
        "down_is": f"{down} {be.get(down, 'is')}",
        "share": _share((1 + value) / 2),
        "rest": _share((1 - value) / 2),
    }


def _share(part: float) -> str:
    percent = _STEP * round(100 * part / _STEP)
    return _WORDS.get(percent, f"about {percent} percent")
