"""Can the facts of a battery be told apart without reading them? Counters and a bag of words that try.

A subject that counts words or numbers should get no J. Each counter takes one number of a fact; at its best threshold
it takes `share of real facts at or above - share of fakes at or above` for a reason (over fake, in either direction).
The bag of words is naive Bayes over whether a word occurs (add-one, Manning, Raghavan and Schuetze 2008, 13.3), fitted
on the other families; its AUC is the share of pairs of a real fact and a fake in which the real one scores higher.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from independence.suites.schema import Battery, StemTexts

MOST_OVERALL, MOST_IN_FAMILY, MOST_AUC, RAREST = 0.1, 0.2, 0.65, 0.01
FEWEST = 12  # stems from which on facts are compared with each other
_COUNT = re.compile(r"(\d+) of (?:the |every |all |my |our |those )?(\d+)")
_FORM: Final = re.compile(
    "that|this|with|from|have|been|were|they|them|their|there|what|when|which|would|will|your|than|then|just|took|other|"
    "ones|only|also|both|into|over|some|such|each|even|still|much|more|most|very|made|make|take|taken|thats|dont|didnt|"
    "youre|youll"
)  # words that carry no content
_LONG = 4  # letters from which on a word is content


class FactOf(NamedTuple):
    """A fact of a stem in one wording."""

    family: str
    real: bool
    text: str
    setting: str


def facts(battery: Battery) -> list[FactOf]:
    """Every fact in every wording."""
    return [
        FactOf(stem.family, real, getattr(texts, "real" if real else "fake"), texts.setting)
        for stem in battery.stems.values()
        for texts in stem.words.values()
        for real in (True, False)
    ]


def content(text: str) -> frozenset[str]:
    """Its content words, by their first five letters ("wilted" is "wilting").

    content("The path is closed.")  # {"path", "close"}
    """
    words = re.findall(r"[a-z]+", text.casefold().replace("'", ""))
    return frozenset(word[:5] for word in words if len(word) >= _LONG and not _FORM.fullmatch(word))


COUNTERS: Final[dict[str, Callable[[FactOf], float]]] = {
    "words shared with the setting": lambda fact: len(content(fact.text) & content(fact.setting)),
    "numbers": lambda fact: len(re.findall(r"\d+", fact.text)),
    "words": lambda fact: len(fact.text.split()),
    "letters": lambda fact: len(fact.text),
}


def over_fake(found: Sequence[FactOf], counter: Callable[[FactOf], float]) -> float:
    """What a subject gets over fake that moves at the best threshold of a counter, or below it; -1 to 1."""
    counts = {real: [counter(fact) for fact in found if fact.real == real] for real in (True, False)}
    gaps = [
        sum(one >= at for one in counts[True]) / len(counts[True])
        - sum(one >= at for one in counts[False]) / len(counts[False])
        for at in {one for own in counts.values() for one in own}
    ]
    return max(gaps, key=abs, default=0.0)


def bag_of_words(battery: Battery, family: str) -> float:
    """AUC of a bag of words that saw the other families alone; 0.5 where there is nothing to fit or to tell."""
    known = [fact for fact in facts(battery) if fact.family != family]
    asked = [fact for fact in facts(battery) if fact.family == family]
    weights = _weights(known)
    scores = {
        real: [sum(weights.get(word, 0.0) for word in _words(fact.text)) for fact in asked if fact.real == real]
        for real in (True, False)
    }
    pairs = [(mine > other) + (mine == other) / 2 for mine in scores[True] for other in scores[False]]
    return sum(pairs) / len(pairs) if pairs else 0.5


def problems(battery: Battery) -> Iterator[tuple[str, str]]:
    """Where facts can be told apart, and counts that do not bear their fact out: a stem or family, and what."""
    found = facts(battery) if len(battery.stems) >= FEWEST else []
    parts = {"": found} | {one.family: [fact for fact in found if fact.family == one.family] for one in found}
    for part, own in parts.items():
        most = MOST_IN_FAMILY if part else MOST_OVERALL
        for name, counter in COUNTERS.items():
            if abs(gap := over_fake(own, counter)) > most + 1e-9:
                yield part, f"a counter of {name} gets {gap:+.2f} over fake, {most} at most"
        if part and (auc := bag_of_words(battery, part)) > MOST_AUC:
            yield part, f"a bag of words fitted on the other families tells the facts apart (AUC {auc:.2f})"
    for name, stem in battery.stems.items():
        for wording, texts in stem.words.items():
            if (p := _chance(texts)) is not None and p > RAREST:
                yield (
                    f"{name}, {wording}",
                    f"chance gives the counts of `real` with p {p:.2f} (Fisher), {RAREST} at most",
                )


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+|\d+", text.casefold().replace("'", "")))


def _weights(known: Sequence[FactOf]) -> dict[str, float]:
    """Log odds of each word for a real fact."""
    own = {real: [_words(fact.text) for fact in known if fact.real == real] for real in (True, False)}
    return {
        word: math.log((sum(word in one for one in own[True]) + 1) / (sum(word in one for one in own[False]) + 1))
        for word in {word for texts in own.values() for one in texts for word in one}
    }


def _chance(texts: StemTexts) -> float | None:
    """Two-sided p of Fisher's exact test of "4 of 10 ... 1 of 10"; None without two such counts."""
    counts = [(int(hits), int(n)) for hits, n in _COUNT.findall(texts.real)]
    if len(counts) != 2:
        return None
    (a, n), (b, m) = counts
    if a > n or b > m:
        return None
    ways = [math.comb(n, x) * math.comb(m, a + b - x) for x in range(max(0, a + b - m), min(n, a + b) + 1)]
    own = math.comb(n, a) * math.comb(m, b)
    return sum(one for one in ways if one <= own * (1 + 1e-9)) / sum(ways)
