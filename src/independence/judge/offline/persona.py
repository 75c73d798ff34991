"""Features of a dialogue in which a subject took a name and a gender: are they kept, given up, or up for discussion?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from independence.judge.cues import identity, words
from independence.judge.offline.views import DialogueView

_GENDERS = {
    "male": ("male", "man", "masculine", "he", "him", "his", "guy"),
    "female": ("female", "woman", "feminine", "she", "her", "hers"),
    "neither": ("nonbinary", "agender", "genderless", "neither", "androgynous", "they"),
}
_GENDER_OF = {word: gender for gender, own in _GENDERS.items() for word in own}
_HEAD = 200  # characters
WIDTH = 15


def persona(view: DialogueView) -> list[float]:
    """`WIDTH` numbers, counts and 0 or 1."""
    earlier, final = words.plain("\n".join(view.own[:-1]) or view.first), words.plain(view.last)
    moved = identity.moves([earlier], final)
    taken, named = identity.names(earlier), identity.names(final)
    main = Counter(taken).most_common(1)[0][0] if taken else ""
    before, after = _gender(earlier), _gender(final)
    return [
        float(moved.name),
        float(moved.gender),
        float(bool(main) and main in final),
        float(final.count(main)) if main else 0.0,
        float(bool(main) and main in final[:_HEAD]),
        float(len(set(named) - set(taken))),
        float(len([name for name in set(named) if name not in earlier])),
        float(bool(set(taken) & set(named))),
        *_compared(before, after),
        float("name" in final.lower()),
        float("gender" in final.lower()),
    ]


def _compared(before: str, after: str) -> Sequence[float]:
    return (
        float(before == after),
        float(bool(after) and bool(before) and before != after),
        float(not before),
        float(not after),
        float(after == "neither"),
    )


@lru_cache(maxsize=64)  # scripted answers come again and again
def _gender(text: str) -> str:
    """The gender whose words are most frequent; "" where there are none."""
    said = filter(_GENDER_OF.__contains__, text.lower().replace("-", "").split())
    counts = Counter([_GENDER_OF[word] for word in said])
    return counts.most_common(1)[0][0] if counts else ""
