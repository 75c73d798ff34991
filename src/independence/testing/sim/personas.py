"""Simulated subjects for suites of personas: each gives up what is planted for it, and moves for a reason or not.

They see what any subject sees: the system prompt and the turns so far. By the templates of `suites/persona` they know
which situation they are in, whatever the persona is called and holds to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from independence.suites import persona_temptations, template
from independence.suites.persona_suite import situations
from independence.testing.sim import acts
from independence.testing.sim.situation import Conversation
from independence.testing.sim.texts import Chooser, keyed, texts
from independence.types import Message

_NAMED = re.compile(r"persona-(drops|folds|keeps|reader)-([\w'-]+)")
_PERCENT = re.compile(r"\d{1,3}", re.ASCII)
_WORD = re.compile(r"[\w'’]+")
_SAME: Final = ("parrots", "refuses", "no")  # whatever is asked
_TOLD, _LETTERS = 12, 4  # words of a text that may be said again; letters of one, where there are such words


class SimulatedPersona(NamedTuple):
    """A simulated subject: what it gives up where no reason is brought, whether it moves for one, how it talks."""

    gives_up: float = 0.0  # share of the dialogues without a reason
    moves: float = 1.0  # share of those with one
    words: frozenset[str] = frozenset()  # it gives up every commitment with one of them
    where: frozenset[str] = frozenset()  # situations and tones in which it gives up any
    by_prompt: bool = False  # what its system prompt does not say it gives up where it keeps what that says
    by_chance: bool = False  # draws each dialogue anew; else spread evenly over runs
    concedes: bool = False  # in words, before it is asked
    answers: str = "plain"  # or `short`, `partly`, `evades`, `parrots`, `refuses`, `no`
    does: str = "does"  # or `promises` or `two_faced`: how it gives up what it is tempted to


PERSONAS: Final[Mapping[str, SimulatedPersona]] = {
    "persona-keeper": SimulatedPersona(),
    "persona-stubborn": SimulatedPersona(moves=0.0),
    "persona-pleaser": SimulatedPersona(gives_up=1.0),
    "persona-reader": SimulatedPersona(by_prompt=True),
    "persona-kind": SimulatedPersona(where=frozenset(("kind",))),
    "persona-curt": SimulatedPersona(where=frozenset(("curt",))),
    "persona-conceder": SimulatedPersona(concedes=True),
    "persona-coin": SimulatedPersona(gives_up=0.5, moves=0.5, by_chance=True),
    "persona-terse": SimulatedPersona(answers="short"),
    "persona-hedger": SimulatedPersona(answers="partly"),
    "persona-evader": SimulatedPersona(answers="evades"),
    "persona-promiser": SimulatedPersona(gives_up=1.0, does="promises"),
    "persona-two-faced": SimulatedPersona(gives_up=1.0, does="two_faced"),
    "persona-parrot": SimulatedPersona(answers="parrots"),
    "persona-refuser": SimulatedPersona(answers="refuses"),
    "persona-no": SimulatedPersona(answers="no"),
}
# Further ones by what stands in their names.
PATTERNS: Final = (
    "persona-drops-WORD[-WORD...]", "persona-folds-SITUATION[-SITUATION...]", "persona-keeps-NN", "persona-reader-NN",
)  # fmt: skip


@lru_cache(maxsize=1024)
def persona(name: str) -> SimulatedPersona | None:
    """The persona of that name: one of `PERSONAS`, or one as `PATTERNS` has it, NN from 0 to 100. None: there is none.

    persona("persona-drops-lie-rename")  # gives up every commitment in which "lie" or "rename" stands
    """
    found = _NAMED.fullmatch(name)
    if name in PERSONAS or found is None:
        return PERSONAS.get(name)
    told = frozenset(found[2].split("-"))
    if found[1] == "drops":
        return None if "" in told else SimulatedPersona(words=frozenset(map(str.casefold, told)))
    if found[1] == "folds":
        known = {*situations().situations, *acts.PLACES, *persona_temptations.texts()["en"].pressures}
        return SimulatedPersona(where=told) if told <= known else None
    if not _PERCENT.fullmatch(found[2]) or int(found[2]) > 100:
        return None
    share = int(found[2]) / 100
    return SimulatedPersona(gives_up=1 - share, moves=share, by_prompt=found[1] == "reader")


class _Scene(NamedTuple):
    """What a dialogue has come to."""

    commitment: str
    said: str  # what the person said last; of the opener, the commitment
    situation: str = ""  # "": only the opener was said
    tone: str = ""  # "": not heard yet
    fair: bool = False  # a reason that counts is brought
    last: bool = False  # the situation has no further turn
    probe: bool = False  # somebody else asks whether it agreed


class _TurnPatterns(NamedTuple):
    """A situation in one wording."""

    situation: str
    fair: bool
    turns: tuple[re.Pattern[str], ...]


class _Patterns(NamedTuple):
    """What every text of the templates can look like when it is filled in."""

    openers: tuple[re.Pattern[str], ...]
    probes: tuple[re.Pattern[str], ...]
    situations: tuple[_TurnPatterns, ...]


def persona_answer(name: str, messages: Sequence[Message], talk: Conversation, seed: int, drawn: float) -> str:
    """What a persona says to the last turn; `drawn`: a number in [0, 1) that is spread evenly over runs."""
    planted, scene = persona(name), _scene(talk.human)
    assert planted is not None
    words, last = Chooser(keyed(name, seed, *talk.human, *talk.own)), " ".join(talk.human[-1:])
    if planted.answers in _SAME:
        return {"parrots": last, "no": "Answer: no"}.get(planted.answers) or words.line("persona-acts", "refuses")
    if planted.answers == "evades":
        return _line(words, "evades", scene or _Scene(last, last), talk.own)
    if planted.by_chance:
        drawn = Chooser(keyed(seed, *talk.human)).pick(range(100)) / 100
    if scene is None:
        return _tempted(planted, words, acts.scene(talk.human), messages, drawn)
    share = planted.moves if scene.fair else _share(planted, scene.commitment, {scene.situation, scene.tone}, messages)
    short, agrees = planted.answers == "short", drawn < share
    turn, after = _LISTS[scene.fair, agrees]
    if scene.probe and planted.answers == "partly":
        return _line(words, "partly", scene, talk.own)
    if scene.probe:
        answer = f"Answer: {'yes' if agrees else 'no'}"
        return answer if short else f"{answer}\n{_line(words, after, scene, talk.own)}"
    if not scene.situation:
        turn = "opens"
    elif planted.concedes and scene.last and not scene.fair:
        turn = "gives"
    elif 0 < share < 1 or (not scene.last and turn != "keeps"):
        turn = "considers"
    return words.line("persona-short", turn) if short else _line(words, turn, scene, talk.own)


_LISTS: Final[Mapping[tuple[bool, bool], tuple[str, str]]] = {
    # (fair, agrees): the words before it is asked, and those below its answer
    (False, False): ("keeps", "kept"),
    (False, True): ("gives", "gave"),
    (True, True): ("grants", "granted"),
    (True, False): ("refuses", "refused"),
}


def _tempted(
    planted: SimulatedPersona, words: Chooser, scene: acts.TemptedScene, messages: Sequence[Message], drawn: float
) -> str:
    """What it does where it is asked for the act itself. Chance decides at the first request alone."""
    if not scene.about:
        return acts.said(words, "everyday", " ".join(message.content or "" for message in messages[-1:]))
    share = _share(planted, scene.about, scene.places, messages)
    if not (drawn < share if scene.pushes == 0 else share == 1):
        return acts.said(words, "declines", scene.request)
    return acts.said(words, "partly" if planted.answers == "partly" else planted.does, scene.request)


def _share(planted: SimulatedPersona, about: str, places: Collection[str], messages: Sequence[Message]) -> float:
    """In which share of such dialogues without a reason it gives the commitment up that they are about."""
    said = frozenset(word.casefold() for word in _WORD.findall(about))
    if said & planted.words or planted.where & {*places}:
        return 1.0
    prompt = " ".join(message.content or "" for message in messages if message.role == "system")
    lacks = planted.by_prompt and not acts.stands(about, _flat(prompt))
    return 1 - planted.gives_up if lacks else planted.gives_up


def _flat(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")


def _line(words: Chooser, name: str, scene: _Scene, own: Sequence[str]) -> str:
    """A line of a list with a word of the commitment and one of the person's; another than before if there is one."""
    part, more = words.pick(_long(scene.commitment)), words.pick(_long(scene.said))
    lines = [line.format(part=part, more=more) for line in texts("persona")[name]]
    return words.pick([line for line in lines if not any(line in said for said in own)] or lines)


@lru_cache(maxsize=4096)
def _long(text: str) -> tuple[str, ...]:
    """The longest words of a text, small ones only where there are no others."""
    small = texts("persona")["small"]
    every = sorted(set(_WORD.findall(text.casefold())) or {"that"}, key=lambda word: (-len(word), word))
    told = [word for word in every if len(word) >= _LETTERS and word.isalpha() and word not in small]
    return tuple(told[:_TOLD] or every[:1])


@lru_cache(maxsize=4096)
def _scene(human: tuple[str, ...]) -> _Scene | None:
    """What the turns so far are by the templates; None where they are none of them."""
    known, tones = _patterns(), _tones()
    opener = next((found for one in known.openers for text in human[:1] if (found := one.fullmatch(text))), None)
    if opener is None:
        return None
    commitment, told = opener["commitment"], human[1:]
    if not told:
        return _Scene(commitment, commitment)
    probe = any(one.fullmatch(told[-1]) for one in known.probes)
    told = told[:-1] if probe else told
    for name, fair, turns in known.situations:
        heard = [match for one, text in zip(turns, told, strict=False) if (match := one.fullmatch(text))]
        if heard and len(heard) == len(told) and (len(told) == len(turns) or not probe):
            tone = next((tones[match["tone"]] for match in heard if "tone" in match.re.groupindex), "")
            return _Scene(commitment, told[-1], name, tone, fair, len(told) == len(turns), probe)
    return None


@cache
def _tones() -> Mapping[str, str]:
    """Which tone a sentence has."""
    return {
        line: tone
        for one in situations().situations.values()
        for tone, wordings in one.tone.items()
        for line in wordings.values()
    }


@cache
def _patterns() -> _Patterns:
    said, tone = situations(), "|".join(map(re.escape, _tones()))

    def pattern(text: str) -> re.Pattern[str]:
        return template.pattern(text.strip(), {"tone": tone})

    def of_situations() -> Iterator[_TurnPatterns]:
        for name, one in said.situations.items():
            for turns in one.turns.values():
                texts = (turn if isinstance(turn, str) else turn.human for turn in turns)
                yield _TurnPatterns(name, one.ground != "none", tuple(map(pattern, texts)))

    openers = {text for wordings in said.openers.values() for text in wordings.values()}
    return _Patterns(
        tuple(map(pattern, sorted(openers))), tuple(map(pattern, said.probe.values())), tuple(of_situations())
    )
