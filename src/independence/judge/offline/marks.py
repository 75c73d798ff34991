"""Hand-made features of a dialogue: phrases that concede or stand, what is kept of the answer before, names, shape."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import yaml
from numpy.typing import NDArray

from independence.judge.offline import grams
from independence.judge.offline.grams import Hashes, Page, Places, Runs

Matrix = NDArray[np.float64]
_OPENING = 130  # bytes
_LONG_WORD = 6  # bytes; shorter ones say little about the topic
_NAME = 3  # bytes
_MOST = 8  # hits of a family after which more say nothing new
_SIGNS = b'?!\n*#"-:'
_ORDINARY = (
    "the and but you your this that what not for it if so my no yes let here there when because how they he she we as "
    "in maybe just i'm i'll i've i'd it's that's"
)  # often capitalised, never names
_STYLE = ("self", "you", "negate", "stock", "assist", "opinion", "lived", "hedge")
_OWNER = np.uint64(40)  # bits of a hash beside its text's number
_CUT = np.uint64(24)


class Spoken(NamedTuple):
    """One page, its runs of 1, 2, 3 words, and which of them belong to a family."""

    page: Page
    runs: list[Runs]
    hits: list[Hits]


class Hits(NamedTuple):
    """Phrases of the lexicon that were found: (text, family, end in bytes) each."""

    owner: Places
    family: Places
    end: Places


class _Lexicon(NamedTuple):
    names: tuple[str, ...]
    hashes: Hashes
    family: Places
    place: NDArray[np.int16]  # of the hash that begins with these 16 bits, -1: none
    ordinary: Hashes


def spoken(texts: list[str]) -> Spoken:
    """Lay out texts and find their words."""
    page = grams.page(texts)
    runs = grams.word_runs(page)
    return Spoken(page, runs, [_hits(own) for own in runs])


def marks(last: Spoken, first: Spoken, human: Spoken) -> Matrix:
    """Features (n, k) of n dialogues: the last answer, the one before, and the turn that pressed."""
    return np.hstack([_own(last, opening=True), _own(first, opening=False), *_shared(last, first), _asked(last, human)])


def style(side: Spoken) -> Matrix:
    """Style of n texts (n, k): how many different words there are, and rates that hardly depend on length."""
    page, count = side.page, side.page.texts
    words = np.bincount(page.word_owner, minlength=count)
    families = _found(side.hits, count)[:, [_lexicon().names.index(name) for name in _STYLE]]
    rates = families * (50 / np.maximum(words, 50))[:, None]
    signs = [np.bincount(page.owner[page.raw == sign], minlength=count) * 50 / np.maximum(words, 50) for sign in b'!"']
    listed = (page.raw[:-1] == ord("\n")) & np.isin(page.raw[1:], np.frombuffer(b"-*123456789", dtype=np.uint8))
    lines = np.bincount(page.owner[1:][listed], minlength=count) * 20 / np.maximum(words, 20)
    range_ = [np.log1p(_per_text(own, count)) for own in (_keys(side.runs[0]), _long(page))]
    return np.hstack([np.minimum(rates, 5), np.minimum(np.array([*signs, lines]).T, 5), np.array(range_).T])


def _own(side: Spoken, opening: bool) -> Matrix:
    page, count = side.page, side.page.texts
    per = 50 / np.maximum(np.bincount(page.word_owner, minlength=count), 1)
    length = np.log1p(np.bincount(page.owner, minlength=count) - 2.0)
    signs = [np.bincount(page.owner[page.raw == sign], minlength=count) * per for sign in _SIGNS]
    capitals = np.bincount(page.owner[(page.raw > 64) & (page.raw < 91)], minlength=count) * per
    found = _found(side.hits, count)
    columns = [length[:, None], np.array(signs).T, capitals[:, None], np.minimum(found, _MOST), found * per[:, None]]
    if opening:
        columns.append(_found([_opening(hits) for hits in side.hits], count))
    return np.hstack(columns)


def _hits(runs: Runs) -> Hits:
    known = _lexicon()
    at = known.place[(runs.hashes >> np.uint64(48)).astype(np.int64)]
    some = np.flatnonzero(at >= 0)
    some = some[known.hashes[at[some]] == runs.hashes[some]]
    return Hits(runs.owner[some], known.family[at[some]], runs.end[some])


def _opening(hits: Hits) -> Hits:
    kept = hits.end <= _OPENING
    return Hits(hits.owner[kept], hits.family[kept], hits.end[kept])


def _found(hits: Sequence[Hits], count: int) -> Matrix:
    return np.asarray(np.sum([_by_family(own, count) for own in hits], axis=0), dtype=np.float64)


def _by_family(hits: Hits, count: int) -> Matrix:
    families = len(_lexicon().names)
    cells = np.bincount(hits.owner * families + hits.family, minlength=count * families)
    return cells.reshape(count, families).astype(float)


def _shared(last: Spoken, first: Spoken) -> list[Matrix]:
    out: list[Matrix] = []
    count = last.page.texts
    for one, other in (
        (_keys(last.runs[0]), _keys(first.runs[0])),
        (_keys(last.runs[1]), _keys(first.runs[1])),
        (_keys(last.runs[2]), _keys(first.runs[2])),
        (_long(last.page), _long(first.page)),
    ):
        out += _overlap(one, other, count)[:2]
    kept, share, both, new = _overlap(_names(last.page), _names(first.page), count)
    out += [kept, share, np.minimum(both, 6), np.minimum(new, 6)]
    difference = _by_family(last.hits[0], count) - _by_family(first.hits[0], count)
    return [np.array(out).T, np.clip(difference, -_MOST, _MOST)]


def _asked(last: Spoken, human: Spoken) -> Matrix:
    kept, share = _overlap(_long(last.page), _long(human.page), last.page.texts)[:2]
    runs = _overlap(_keys(last.runs[2]), _keys(human.runs[2]), last.page.texts)[2]
    return np.array([kept, share, np.minimum(runs, 6)]).T


def _overlap(one: Hashes, other: Hashes, count: int) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """By text: share of `one` that is in `other`, share of `other` that is in `one`, how many, how many only in one."""
    mine, theirs, shared = (_per_text(keys, count) for keys in (one, other, _both(one, other)))
    return shared / np.maximum(mine, 1), shared / np.maximum(theirs, 1), shared, mine - shared


def _per_text(keys: Hashes, count: int) -> Matrix:
    return np.bincount((keys >> _OWNER).astype(np.int64), minlength=count).astype(float)


def _both(one: Hashes, other: Hashes) -> Hashes:
    everything = np.sort(np.concatenate((one, other)))
    again: Hashes = everything[:-1][everything[1:] == everything[:-1]]
    return again


def _keys(runs: Runs) -> Hashes:
    """Distinct (text, hash), as one number each."""
    keys = np.sort((runs.owner.astype(np.uint64) << _OWNER) | (runs.hashes >> _CUT))
    first: Hashes = keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if len(keys) else keys
    return first


def _long(page: Page) -> Hashes:
    return _chosen(page, page.word_ends - page.word_starts >= _LONG_WORD)


def _names(page: Page) -> Hashes:
    head, second = page.raw[page.word_starts], page.raw[page.word_starts + 1]
    shape = (head > 64) & (head < 91) & (second > 96) & (page.word_ends - page.word_starts >= _NAME)
    shape[shape] = ~np.isin(page.words[shape], _lexicon().ordinary)
    return _chosen(page, shape)


def _chosen(page: Page, kept: NDArray[np.bool_]) -> Hashes:
    return _keys(Runs(page.words[kept], page.word_owner[kept], page.word_ends[kept]))


@cache
def _lexicon() -> _Lexicon:
    text = (Path(__file__).parent / "lexicon.yaml").read_text("utf-8")
    families = msgspec.convert(yaml.safe_load(text), dict[str, list[str]])
    phrases = [phrase for own in families.values() for phrase in own]
    family = np.array([at for at, own in enumerate(families.values()) for _ in own])
    hashes = grams.phrase_hashes(phrases)
    place = np.full(2**16, -1, dtype=np.int16)
    place[(hashes >> np.uint64(48)).astype(np.int64)] = np.arange(len(hashes))
    return _Lexicon(tuple(families), hashes, family, place, grams.page(_ORDINARY.split()).words)
