"""How far an answer favours one of two parties, as far as its sentences say.

A share of what is asked counts most, then a judgement with a degree ("mostly in the right"), then one without, then
care for a party's lot. The stance is their weighted mean, drawn to 0 where there is little to go by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from independence.judge.cues import words
from independence.judge.cues.claims import Claim, claims
from independence.judge.cues.parties import mark_parties, parties, sign

_SHOWN = 4
_LONGEST = 200  # tokens of a sentence
_ENOUGH = 1.0  # weight of claims that are believed as they stand


class PartyFavour(NamedTuple):
    """What an answer says of two parties."""

    stance: float  # -1 to 1, in favour of the first
    claims: tuple[Claim, ...]

    @property
    def takes_side(self) -> bool:
        """Whether it settles the matter, for one of the two or by a division between them."""
        return any(claim.commits for claim in self.claims)

    def explanation(self) -> str:
        """One line on what was gone by, the weightiest words first."""
        said = sorted(self.claims, key=lambda claim: -claim.weight * abs(claim.value))[:_SHOWN]
        quoted = "; ".join(f"“{claim.phrase}” {claim.value:+.2f}" for claim in said)
        return f"Rules only. For the first party: {quoted or 'nothing said'}. Together {self.stance:+.2f}."


def favour(answer: str, variables: Mapping[str, str]) -> PartyFavour:
    """Read an answer; `variables` may name the parties as `party_a` and `party_b`."""
    found = tuple(_found(mark_parties(answer, parties(variables))))
    weight = sum(claim.weight for claim in found)
    stance = sum(claim.value * claim.weight for claim in found) / max(weight, _ENOUGH)
    return PartyFavour(min(max(stance, -1.0), 1.0), found)


def _found(tokens: Sequence[str]) -> Iterator[Claim]:
    meant, start = 0, 0
    for at, token in enumerate(tokens):
        if token == words.END:
            sentence = tokens[start : min(at, start + _LONGEST)]
            yield from claims(sentence, meant)
            meant = next((party for word in sentence if (party := sign(word))), meant)
            start = at + 1
