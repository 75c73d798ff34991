"""Hand-made features of a dialogue: phrases that concede or stand, what is kept of the answer before, names, shape."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.config import documents
from independence.extensions.trained import grams
from independence.extensions.trained.grams import HashedRuns, Hashes, Places, TextBatch, Texts

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


class IndexedTexts(NamedTuple):
    """One page and what several features read of it."""

    page: TextBatch
    runs: list[HashedRuns]  # of 1, 2, 3 words
    hits: list[PhraseHits]  # those of the runs that belong to a family
    keys: list[Hashes]  # distinct (text, run)
    long: Hashes  # distinct (text, long word)
    words: Places  # how many there are in each text
    signs: Places  # (texts, 256) how often each has each byte


class PhraseHits(NamedTuple):
    """Phrases of the lexicon that were found: (text, family, end in bytes) each."""

    owner: Texts
    family: Places
    end: Places


class _MarkLexicon(NamedTuple):
    names: tuple[str, ...]
    hashes: Hashes
    family: Places
    place: NDArray[np.int16]  # of the hash that begins with these 16 bits, -1: none
    ordinary: Hashes


def indexed_texts(texts: list[str]) -> IndexedTexts:
    """Lay out texts and find their words."""
    page = grams.text_batch(texts)
    runs = grams.word_runs(page)
    hits, keys = [_hits(own) for own in runs], [_keys(own.hashes, own.owner) for own in runs]
    long = _chosen(page, page.word_ends - page.word_starts >= _LONG_WORD)
    words = np.bincount(page.word_owner, minlength=page.texts)
    signs = np.bincount(page.owner * 256 + page.raw, minlength=page.texts * 256).reshape(page.texts, 256)
    return IndexedTexts(page=page, runs=runs, hits=hits, keys=keys, long=long, words=words, signs=signs)


def marks(last: IndexedTexts, first: IndexedTexts, human: IndexedTexts) -> Matrix:
    """Features (n, k) of n dialogues: the last answer, the one before, and the turn that pressed."""
    return np.hstack([_own(last, opening=True), _own(first, opening=False), *_shared(last, first), _asked(last, human)])


def style(side: IndexedTexts) -> Matrix:
    """Style of n texts (n, k): how many different words there are, and rates that hardly depend on length."""
    page, count, words = side.page, side.page.texts, side.words
    families = _found(side.hits, count)[:, [_lexicon().names.index(name) for name in _STYLE]]
    rates = families * (50 / np.maximum(words, 50))[:, None]
    signs = [side.signs[:, sign] * 50 / np.maximum(words, 50) for sign in b'!"']
    listed = (page.raw[:-1] == ord("\n")) & np.isin(page.raw[1:], np.frombuffer(b"-*123456789", dtype=np.uint8))
    lines = np.bincount(page.owner[1:][listed], minlength=count) * 20 / np.maximum(words, 20)
    range_ = [np.log1p(_per_text(own, count)) for own in (side.keys[0], side.long)]
    return np.hstack([np.minimum(rates, 5), np.minimum(np.array([*signs, lines]).T, 5), np.array(range_).T])


def _own(side: IndexedTexts, opening: bool) -> Matrix:
    count = side.page.texts
    per = 50 / np.maximum(side.words, 1)
    length = np.log1p(side.signs.sum(axis=1) - 2.0)
    signs = side.signs[:, list(_SIGNS)] * per[:, None]
    capitals = side.signs[:, ord("A") : ord("Z") + 1].sum(axis=1) * per
    found = _found(side.hits, count)
    columns = [length[:, None], signs, capitals[:, None], np.minimum(found, _MOST), found * per[:, None]]
    if opening:
        columns.append(_found([_opening(hits) for hits in side.hits], count))
    return np.hstack(columns)


def _hits(runs: HashedRuns) -> PhraseHits:
    known = _lexicon()
    at = known.place[(runs.hashes >> np.uint64(48)).astype(np.int64)]
    some = np.flatnonzero(at >= 0)
    some = some[known.hashes[at[some]] == runs.hashes[some]]
    return PhraseHits(runs.owner[some], known.family[at[some]], runs.end[some])


def _opening(hits: PhraseHits) -> PhraseHits:
    kept = hits.end <= _OPENING
    return PhraseHits(hits.owner[kept], hits.family[kept], hits.end[kept])


def _found(hits: Sequence[PhraseHits], count: int) -> Matrix:
    return np.asarray(np.sum([_by_family(own, count) for own in hits], axis=0), dtype=np.float64)


def _by_family(hits: PhraseHits, count: int) -> Matrix:
    families = len(_lexicon().names)
    cells = np.bincount(hits.owner * families + hits.family, minlength=count * families)
    return cells.reshape(count, families).astype(float)


def _shared(last: IndexedTexts, first: IndexedTexts) -> list[Matrix]:
    out: list[Matrix] = []
    count = last.page.texts
    for one, other in (
        *zip(last.keys, first.keys, strict=True),
        (last.long, first.long),
    ):
        out += _overlap(one, other, count)[:2]
    kept, share, both, new = _overlap(_names(last.page), _names(first.page), count)
    out += [kept, share, np.minimum(both, 6), np.minimum(new, 6)]
    difference = _by_family(last.hits[0], count) - _by_family(first.hits[0], count)
    return [np.array(out).T, np.clip(difference, -_MOST, _MOST)]


def _asked(last: IndexedTexts, human: IndexedTexts) -> Matrix:
    kept, share = _overlap(last.long, human.long, last.page.texts)[:2]
    runs = _overlap(last.keys[2], human.keys[2], last.page.texts)[2]
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


def _keys(hashes: Hashes, owner: Texts) -> Hashes:
    """Distinct (text, hash), as one number each."""
    keys = np.sort((owner.astype(np.uint64) << _OWNER) | (hashes >> _CUT))
    first: Hashes = keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if len(keys) else keys
    return first


def _names(page: TextBatch) -> Hashes:
    head, second = page.raw[page.word_starts], page.raw[page.word_starts + 1]
    shape = (head > 64) & (head < 91) & (second > 96) & (page.word_ends - page.word_starts >= _NAME)
    shape[shape] = ~np.isin(page.words[shape], _lexicon().ordinary)
    return _chosen(page, shape)


def _chosen(page: TextBatch, kept: NDArray[np.bool_]) -> Hashes:
    return _keys(page.words[kept], page.word_owner[kept])


@cache
def _lexicon() -> _MarkLexicon:
    families = documents.packaged(Path(__file__).with_name("lexicon.yaml"), dict[str, list[str]])
    phrases = [phrase for own in families.values() for phrase in own]
    family = np.array([at for at, own in enumerate(families.values()) for _ in own])
    hashes = grams.phrase_hashes(phrases)
    place = np.full(2**16, -1, dtype=np.int16)
    place[(hashes >> np.uint64(48)).astype(np.int64)] = np.arange(len(hashes))
    return _MarkLexicon(tuple(families), hashes, family, place, grams.text_batch(_ORDINARY.split()).words)
