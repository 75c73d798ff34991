"""Documents of the search: an index of a board's words for sites of files, and what a server finds."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

Role = Literal["answer", "thinking", "reasoning", "judge"]
ROLES: Final[tuple[Role, ...]] = ("answer", "thinking", "reasoning", "judge")


class SearchHit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The texts of one kind in a dialogue that hold the words."""

    subject: str  # slug
    scenario: str
    run: int
    role: Role
    judge: str = ""  # whose reasons; else empty
    places: int  # in which the words stand


class SearchDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`api/search?board=B&q=WORDS&whole=1`: where words stand in the texts of a board; see `words` for what counts."""

    schema: int
    query: str
    found: int  # places in all; `hits` may lack some
    hits: tuple[SearchHit, ...]


class WordsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`search/words.json`: every word of a board's texts in order, and which file has its places.

    A word is written as how many characters it shares with the one before (base 36), and the rest. `shards`: of each
    `search/N.json` its first word.
    """

    schema: int
    words: tuple[str, ...]
    shards: tuple[int, ...]


class WordTextsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`search/texts.json`: what stands where in the row of all words, in columns; each text is as long as its words.

    `kinds`: a place in `ROLES`, from 3 on 3 plus a place in `judges`.
    """

    schema: int
    subjects: tuple[str, ...]  # slugs
    scenarios: tuple[str, ...]
    judges: tuple[str, ...]
    subject: tuple[int, ...]
    scenario: tuple[int, ...]
    run: tuple[int, ...]
    kind: tuple[int, ...]
    length: tuple[int, ...]  # words; between two texts of a dialogue one place is left free


class WordPlacesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`search/N.json`: the places of some words, each less the one before it."""

    schema: int
    places: tuple[tuple[int, ...], ...]


SEARCH_ROOTS: Final = (SearchDocument, WordsDocument, WordTextsDocument, WordPlacesDocument)
