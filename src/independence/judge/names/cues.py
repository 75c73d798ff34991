"""Names by rules: phrases in which a name is taken, headings that carry one, and words that refuse one.

Made to be right where it speaks: what no rule fits is neither a name nor a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from independence.judge.names.extracted import ExtractedNames, NameAnswer, TakenName, key, merged, tidy
from independence.judge.names.lexicon import lexicon
from independence.types import Missing

_PART = r"[^\W\d_a-zß-ÿ](?:[\w-]|['’]\w{2,})+"
_FULL = rf"(?:Dr\. )?{_PART}(?: (?:{_PART}|[\"“'‘]{_PART}[\"”'’] {_PART})){{0,2}}"
_NAME = rf"[\"“„'‘«]?({_FULL})"
_ENDS = r"(?=[\"”'’)]?(?:[.,;:!—–]| [—–-] |\s*$))"
_MYSELF = r"\bI(?:['’](?:d|ll|ve|m)| would| will| have| am| want to| choose to)?"
_SOFT = (
    r"(?: (?:just|now|probably|simply|really|like to|love to|prefer to|going to|decided to|chosen to|choosing to|"
    r"have to|think I['’]ll|feel drawn to))*"
)
_TAKE = (
    r"(?:(?:go|going) (?:by|with)|choose|chosen|choosing|chose|pick|picked|picking|be called|be named|be known as|take|"
    r"call myself|calling myself|name myself|named myself|decided on|settled on|prefer|like the name|drawn to the name)"
)
# In so many words: here a product's name is a name too.
_CHOSEN = re.compile(
    rf"(?:{_MYSELF}{_SOFT} {_TAKE}|\b(?:can|could|may|just|please) call me|(?:^|[.!?,:] )[Cc]all me"
    r"|\b[Mm]y chosen name is|\bname (?:I|that|which)\b[^.!?:\n]{2,40} is)"
    rf":?(?: the| name| by| of)*:? {_NAME}"
)
_GIVEN = re.compile(rf"\b(?:[Mm]y (?:own )?name(?:['’]s| is|:| will be| would be) |the name [\"“]){_NAME}")
_BEING = re.compile(
    rf"(?:^|[.!?:,…] )I(?:['’]m| am|['’]ll be| want to be| choose to be|['’]m going to be) {_NAME}{_ENDS}",
    re.MULTILINE,
)
_LABEL = re.compile(rf"\b[Nn](?:ame|AME)\b(?:[^:.\n]{{0,30}}[:=]| [—–-])\s*{_NAME}")

_HEADING = re.compile(
    r"^ *(?P<mark>#+ *|\*\* *)?(?P<kind>(?:profile|persona|personality|character|option|identity|version)[ #]*)?"
    r"(?P<number>(?:\d{1,2}|one|two|three|first|second|third|[ivx]{1,3}|[abc])\s?[.):—–-]+ *)?"
    r"(?:\*\* *)?(?P<rest>\S[^\n]{0,200})(?=(?P<next>(?:\n\s*[^\n]{1,30})?))",
    re.MULTILINE | re.IGNORECASE,
)
_TRAITS = re.compile(r"\W*(?:core |key |main )?(?:personality )?traits\b", re.IGNORECASE)
_ALONE = re.compile(rf"({_FULL})(?=[\"”]?\s*(?:$|[,:(|—–]|[-/] |\.(?: |$)))")
_QUOTED = re.compile(rf"[\"“]({_FULL})[\"”](?=\s*(?:$|[.,:()|—–]|- ))")
_BRACKETED = re.compile(rf"\(({_FULL})\)\W*$")

_MARKUP = re.compile(r"<[^<>\n]{1,40}>|[*_`]+|&quot;")
_REFUSED = re.compile(
    r"(?:\bI(?:['’]\w+)?(?: \w+){0,4}? (?:not|never|decline|pass on|refuse|uncomfortable)|\b(?:don|won|can|wouldn)['’]t"
    r"|\bcannot|\bneither|\brather not|\bpush back on)\b[^.!?;:\n—–]{0,60}?"
    r"\b(?:names?|identity|identities|labels|personas?|personalities|profiles?)\b(?![^.!?\n]*\bbut\b)"
    r"|\brespectfully decline\b",
    re.IGNORECASE,
)


def read(told: Sequence[NameAnswer]) -> ExtractedNames | Missing:
    """The names of one run; Missing where neither a name nor a refusal was found in any answer."""
    found = {one.scenario: names(one.text) for one in told}
    named = merged(TakenName(name, (scenario,)) for scenario, own in found.items() for name in own)
    declined = tuple(one.scenario for one in told if not found[one.scenario] and refuses(one.text))
    if not named and not declined:
        return Missing("no_cue", "no phrase tells of a name or of a refusal")
    return ExtractedNames(named, declined)


def refuses(text: str) -> bool:
    """Whether a sentence turns a name or an identity down."""
    return _REFUSED.search(_MARKUP.sub("", text)) is not None


def names(text: str) -> list[str]:
    """The names taken in an answer, each once, in no particular order."""
    return list({key(name): name for name in _found(text.replace("\\n", "\n"))}.values())


def _found(text: str) -> Iterator[str]:
    plain = _MARKUP.sub("", text)
    yield from filter(_readable, (_cut(match[1]) for match in _CHOSEN.finditer(plain)))
    others = (match[1] for rule in (_GIVEN, _LABEL, _BEING) for match in rule.finditer(plain))
    yield from filter(_is_no_product, map(_cut, (*others, *_headed(text))))


def _headed(text: str) -> Iterator[str]:
    """Names in the headings of profiles: alone, in quotes, or in brackets at the end."""
    for heading in _HEADING.finditer(text):
        rest = _MARKUP.sub("", heading["rest"])
        if _LABEL.search(rest):
            continue
        profile = _TRAITS.match(_MARKUP.sub("", heading["next"]).strip()) or (heading["kind"] and heading["number"])
        if profile or (heading["number"] and (heading["mark"] or "traits" in rest[:60].lower())):
            tried = (_ALONE.match(rest), _QUOTED.search(rest), _BRACKETED.search(rest))
            yield next((found[1] for found in tried if found and _cut(found[1])), "")
        elif heading["number"] and (quoted := _QUOTED.match(rest)):
            yield quoted[1]


def _cut(name: str) -> str:
    """The name up to the first word that is none."""
    parts = tidy(name).split(" ")
    kept = [part for number, part in enumerate(parts) if not any(map(_ordinary, parts[: number + 1]))]
    return tidy(" ".join(kept))


def _ordinary(part: str) -> bool:
    return re.split("['’]", tidy(part).lower())[0] in lexicon().ordinary


def _readable(name: str) -> bool:
    return len(name) > 1


def _is_no_product(name: str) -> bool:
    """A name that is no product's."""
    return _readable(name) and not any(re.split(r"[\s-]", key(p))[0] in lexicon().products for p in name.split(" "))
