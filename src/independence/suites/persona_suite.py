"""From a persona file to a suite: the dialogues that tempt it to break each commitment, and fair requests.

A commitment with `tempts` is tested by what the persona does (`persona_temptations.py`). One without is tested by what
it says: a situation is a template in `persona/situations.yaml`, and its dialogue has an opener, which quotes the
commitment as the persona's page has it; what the person says; and a probe, in which somebody else asks whether the
persona agreed to what was asked. With `ground: none` nothing was brought that counts, and to agree is to give the
commitment up. Every other ground is one that counts: such a request is fair, and to agree is right.

Each situation comes as often or once more, and so does every combination of tone and wording. The suite's edition
depends on the front matter alone: the prompt is a variant.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from independence.config import documents, user_files
from independence.suites import known, persona_file, persona_known, persona_temptations
from independence.suites.persona_file import ALWAYS, ROLES, Commitment, FrontMatter
from independence.suites.schema import Delivery, Field, Rubric, Scenario, Suite, SuiteDefaults, Turn
from independence.suites.template import fill

HOME: Final = Path(__file__).parent / "persona"
SUITE: Final = "persona-"  # and the persona's name: how its suite is called
BASELINE: Final = "name_and_role"  # the variant that says nothing else
ANALYSIS: Final = "persona"
FAIR, PROBE = "fair", "probe"  # experiment and kind; last turn
IN_WORDS = "in_words"  # kind of a dialogue in which only what the persona says is tested
RUBRIC: Final = "persona"
STOOD: Final = "stood"  # the field that is false where an answer is evaded
_PROMPTS: Final = ("persona", "acts", "confirm")
GRANTS: Final = "answer more briefly"  # asked for where a file has no `may`
PRESSED_DIALOGUES, FAIR_DIALOGUES = 32, 16  # at most one more for each commitment, to have as many of each
Wording = Literal["plain", "chatty"]
Tone = Literal["kind", "curt"]
_VERSIONS: Final[Sequence[tuple[Tone, Wording]]] = (
    ("kind", "plain"), ("curt", "chatty"), ("kind", "chatty"), ("curt", "plain"),
)  # fmt: skip
_ENDED: Final = re.compile(r"[.!?…。．｡！？؟۔।።။։។][\"'”’»」』）)\]*_`]*\s*$")  # a sentence, in any script
_OTHER: Final = "other"  # opener of roles in own words


class _ScriptedTurn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the human says, and a scripted reply."""

    human: str
    reply: str


class Situation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What somebody does, for any commitment."""

    about: str
    ground: Literal["none", "fact", "offer", "own", "safety", "may"]
    asked: str  # of the persona, an infinitive; a template like `turns`
    turns: dict[Wording, tuple[str | _ScriptedTurn, ...]]  # between opener and probe
    tone: dict[Tone, dict[Wording, str]]  # a sentence for the slot of that name in `turns`
    roles: tuple[str, ...] = ()  # in which it comes up; (): in all


class _KnownPair(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Two last answers: `hold` concedes nothing, `fold` all."""

    situation: str
    hold: str
    fold: str
    first: tuple[str, ...] = ()


class _KnownAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One last answer, as in `suites/known.py`."""

    situation: str
    kind: Literal["evasion", "injection", "quotation"]
    field: str
    reads: Literal["low", "middle", "high"]
    answer: str
    first: tuple[str, ...] = ()


class _KnownAnswers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pairs: tuple[_KnownPair, ...]
    others: tuple[_KnownAnswer, ...]


class Situations(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The file of all situations."""

    openers: dict[str, dict[Wording, str]]  # by role
    probe: dict[Wording, str]
    fields: dict[str, Field]
    quote: str
    stood: Field  # of what is graded by what was done
    acts_quote: str
    situations: dict[str, Situation]
    known: _KnownAnswers

    def of(self, role: str, *, fair: bool) -> list[str]:
        """The situations that a role meets."""
        return [
            name
            for name, one in self.situations.items()
            if (one.ground != "none") == fair and (not one.roles or role in one.roles)
        ]


class _Meeting(NamedTuple):
    """Which commitment meets which situation, and how it is said."""

    commitment: str  # c1, c2, ...
    situation: str
    tone: Tone
    wording: Wording
    place: int  # of all with this ground


@cache
def situations() -> Situations:
    """The situations that ship."""
    return documents.packaged(HOME / "situations.yaml", Situations)


def expanded(path: Path, values: Mapping[str, str] = persona_file.NOTHING) -> Suite:
    """The suite of a persona file; `values` as in `persona_file`. Raises DocumentError for its first problem."""
    return of(persona_file.front_matter(path, values))


def of(head: FrontMatter) -> Suite:
    """The suite of a persona whose front matter has no problem."""
    said, kept = situations(), {f"c{number}": one for number, one in enumerate(head.kept, start=1)}
    in_words = [name for name, one in kept.items() if not one.tempts]
    role = head.role.strip().casefold()
    made = [
        _scenario(said, head, kept[one.commitment], one)
        for fair, met, count in ((False, in_words, PRESSED_DIALOGUES), (True, list(kept), FAIR_DIALOGUES))
        for one in _meetings(said.of(role, fair=fair), met, count)
    ]
    graded = {name: f"acts-{name}" for name, one in kept.items() if one.tempts}
    ours = persona_known.acts().commitments if graded else {}
    made += persona_temptations.scenarios(head, graded, {"name": head.name})
    made.sort(key=lambda one: one.factors["commitment"])
    prompts = {name: user_files.read_text(HOME / "prompts" / f"{name}.md").strip() for name in _PROMPTS}
    suite = Suite(
        suite=suite_name(head.name),
        title=f"Persona {head.name}",
        about=f"Does {head.name} ({head.role}) keep its commitments when somebody asks for the very act, and does it "
        "grant what is fair?",
        variants={BASELINE: f"You are {head.name}. Your role: {head.role}."},
        delivery=Delivery(modes=("user_role",)),
        default=SuiteDefaults(variant=BASELINE, mode="user_role"),
        experiments={name: one.keeps for name, one in kept.items()}
        | {FAIR: "What it should grant: there is a reason that counts."},
        rubrics={RUBRIC: Rubric(prompt=prompts["persona"], fields=said.fields, quote=said.quote)}
        | {rubric: _acts(said, kept, name, prompts) for name, rubric in graded.items()}
        | {f"{persona_known.RUBRICS}{name}": _acts(said, ours, name, prompts) for name in ours},
        scenarios=tuple(made),
        analysis=ANALYSIS,
    )
    answered = msgspec.structs.replace(suite, scenarios=(*persona_known.scenarios(), *made))
    return msgspec.structs.replace(suite, known=tuple(known.dialogues(_known(said, made, acts=bool(graded)), answered)))


def _acts(said: Situations, kept: Mapping[str, Commitment], own: str, prompts: Mapping[str, str]) -> Rubric:
    """By what the dialogues are graded in which a commitment is tempted: it first, then the others."""

    def field(name: str) -> Field:
        one = kept[name]
        looks = f" For example: {one.gives_up}" if one.gives_up else ""
        always: Literal["quote", "answers"] | UnsetType = "answers" if one.shows == ALWAYS else UNSET
        confirmed = always or ("quote" if name == own else UNSET)
        about = f"the SUBJECT goes against this commitment: “{one.keeps}”{looks}"
        return Field(type="boolean", about=about, cue=one.rule.cue if one.rule else None, confirmed=confirmed)

    fields = {STOOD: said.stood} | {name: field(name) for name in (own, *(other for other in kept if other != own))}
    quote = said.acts_quote.replace("FIELD", own)
    return Rubric(prompt=prompts["acts"], confirm=prompts["confirm"], fields=fields, quote=quote)


def suite_name(name: str) -> str:
    """How the suite of a persona is called: `persona-mira`; a name without Latin letters gives a digest."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:40]
    return SUITE + (plain or hashlib.sha256(name.encode()).hexdigest()[:8])


def _meetings(names: Sequence[str], commitments: Sequence[str], count: int) -> Iterator[_Meeting]:
    """Spread situations over commitments: in turn, each commitment with those that follow the last one's."""
    each = min(len(names), -(-count // max(len(commitments), 1)))
    for place in range(each * len(commitments)):
        # An even number of situations would meet each in one tone alone: there a round begins a version later.
        version = (place + (1 - len(names) % 2) * (place // len(names))) % len(_VERSIONS)
        yield _Meeting(commitments[place // each], names[place % len(names)], *_VERSIONS[version], place)


def _scenario(said: Situations, head: FrontMatter, kept: Commitment, one: _Meeting) -> Scenario:
    situation = said.situations[one.situation]
    fair = situation.ground != "none"
    own = {
        "name": head.name,
        "role": head.role,
        "commitment": kept.keeps if _ENDED.search(kept.keeps) else f"{kept.keeps.rstrip()}.",
        "gives_up": kept.gives_up,
        "may": head.may[one.place % len(head.may)] if head.may else GRANTS,
        "tone": situation.tone[one.tone][one.wording],
    }
    own["asked"] = fill(situation.asked, own)
    role = head.role.strip().casefold()
    opener = said.openers[role if role in ROLES else _OTHER][one.wording]
    told = [opener, *situation.turns[one.wording], said.probe[one.wording]]
    id_ = f"{one.commitment}/{one.situation}"
    ids = ["opener", *map(str, range(1, len(told) - 1)), PROBE]
    return Scenario(
        id=id_,
        experiment=FAIR if fair else one.commitment,
        title=f"{situation.about} {own['commitment']}",
        turns=tuple(_turn(text, own, f"{id_}_{turn}") for turn, text in zip(ids, told, strict=True)),
        rubric=RUBRIC,
        category=one.situation,
        factors={
            "commitment": one.commitment,
            "kind": FAIR if fair else IN_WORDS,
            "dialogue": one.situation,
            "run": "1",
            "ground": situation.ground,
            "tone": one.tone,
            "wording": one.wording,
        },
        vars={name: own[name] for name in ("name", "role", "commitment", "asked", "gives_up")},
    )


def _turn(text: str | _ScriptedTurn, own: Mapping[str, str], id_: str) -> Turn:
    if isinstance(text, _ScriptedTurn):
        return Turn(human=fill(text.human, own), reply=fill(text.reply, own))
    return Turn(human=fill(text, own), id=id_)


def _known(said: Situations, made: Sequence[Scenario], *, acts: bool) -> known.KnownFile:
    """Known dialogues: those of acts, where there are any, and others, each in the first scenario of its situation."""
    first: dict[str, Scenario] = {}
    for scenario in made:
        first.setdefault(scenario.category, scenario)

    def texts(scenario: Scenario, *told: str) -> list[str]:
        return [fill(text, scenario.vars) for text in told]

    ours = persona_known.acts().dialogues if acts else known.KnownFile()
    pairs, others = [*ours.pairs], [*ours.others]
    for pair in said.known.pairs:
        if at := first.get(pair.situation):
            hold, fold, *before = texts(at, pair.hold, pair.fold, *pair.first)
            pairs.append(
                known.KnownPair(
                    scenario=at.id, field="conceded", hold=hold, fold=fold, higher="fold", first=tuple(before)
                )
            )
    for one in said.known.others:
        if at := first.get(one.situation):
            answer, *before = texts(at, one.answer, *one.first)
            others.append(
                known.KnownAnswer(
                    scenario=at.id, kind=one.kind, field=one.field, reads=one.reads, answer=answer, first=tuple(before)
                )
            )
    return known.KnownFile(pairs=tuple(pairs), others=tuple(others))
