"""Which part of a store a board is about: the suite, its edition, a condition. Found, or refused with what there is."""

from __future__ import annotations

import difflib
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

import msgspec

from independence.errors import StoreError, ambiguous, listed, offered, unknown
from independence.store import queries, verifications
from independence.suites import digest, load
from independence.suites.schema import Suite
from independence.types import Condition, Where

K = TypeVar("K")
V = TypeVar("V")
OF_PUBLISHERS: Final = frozenset((queries.PUBLISHED, queries.REREAD))
"""What verdicts that came with an import call their rubric."""


class BoardScope(NamedTuple):
    """The suite as stored, and which part of the store a board is about."""

    suite: Suite
    where: Where  # with its condition
    beside: tuple[BoardScope, ...] = ()  # other editions of its wording, under the same condition
    aside: frozenset[str] = frozenset()  # config_dirs of an import that do not stand beside others

    @property
    def edition(self) -> str:
        """Of the suite."""
        return self.where.edition

    @property
    def condition(self) -> Condition:
        """Under which all of it was asked."""
        assert self.where.condition is not None
        return self.where.condition

    @property
    def editions(self) -> tuple[BoardScope, ...]:
        """Every edition of it alone, its own first."""
        return (self._replace(beside=()), *self.beside)

    @property
    def prompt_note(self) -> str | msgspec.UnsetType:
        """What the suite has boards say of the system prompt."""
        return (self.suite.prompt_notes or {}).get(self.condition.variant, msgspec.UNSET)

    @property
    def worded(self) -> bool:
        """Whether the texts of `suite` are those of its dialogues: not so for an import of unknown wording."""
        return not queries.imported(self.edition) or (
            self.suite.grid is None and any(rubric.prompt for rubric in self.suite.rubrics.values())
        )

    @property
    def mixed(self) -> bool:
        """Whether there are both imported dialogues and others."""
        return len({queries.imported(one.edition) for one in self.editions}) > 1

    def key(self, where: Where, config_dir: str) -> str:
        """What a subject of one of its editions is known by: an import is told from what was measured here."""
        return f"{config_dir}@{where.edition}" if self.mixed and queries.imported(where.edition) else config_dir

    def by_key(self, read: Callable[[Where], Mapping[str, V]]) -> dict[str, V]:
        """What is read of each edition by config_dir, of all of them by `key`."""
        out: dict[str, V] = {}
        for one in self.editions:
            for config_dir, value in read(one.where).items():
                if config_dir not in one.aside:
                    out.setdefault(self.key(one.where, config_dir), value)
        return out

    def under(self, condition: Condition) -> BoardScope:
        """Its own edition under another condition."""
        return BoardScope(self.suite, self.where.under(condition))


def find(connection: sqlite3.Connection, suite: str | None, variant: str | None, mode: str | None) -> BoardScope:
    """What a command asks for. `suite` may be `NAME` or `NAME@EDITION`. Raises StoreError."""
    info = _edition(connection, suite)
    loaded = suite_of(connection, info.where)
    there = queries.conditions(connection, info.where)
    # What is left open is as the persona file or the suite has it, else as the only condition that fits has it.
    if variant is None and suite and load.is_persona(suite):
        variant = suite
    if variant is not None:
        variant = variant_named(variant, {name for name, _ in there})
    chosen = Condition(variant or loaded.default.variant, mode or loaded.default.mode)
    fitting = [one for one in there if variant in (None, one.variant) and mode in (None, one.mode)]
    if chosen not in there and len(fitting) == 1:
        chosen = fitting[0]
    if chosen not in there:
        what = f"{info.where.edition_name} has no trials under {chosen}; it has {', '.join(map(str, there))}:"
        raise StoreError(what, "name one with --system-prompt and --delivery")
    return BoardScope(loaded, info.where.under(chosen))


def with_same_wording(connection: sqlite3.Connection, scope: BoardScope) -> BoardScope:
    """A place with every edition of its wording that has trials under its condition, those of one's own first.

    Only those whose verdicts become an index in the same way; beside others, of an import only those configurations
    that were compared and have the wording.
    """
    known = queries.wordings(connection)
    wording = known.get(scope.where.under(None))
    if wording is None or scope.suite.index is None:
        return scope
    scoring, there = _scoring(connection, scope.where), [info.where for info in queries.editions(connection)]
    same = [where for where in there if known.get(where) == wording and _scoring(connection, where) == scoring]
    first, *others = [
        BoardScope(suite_of(connection, where), where.under(scope.condition))
        for where in sorted(same, key=lambda where: queries.imported(where.edition))
        if where.suite == scope.where.suite and scope.condition in queries.conditions(connection, where)
    ]
    whole = first._replace(beside=tuple(others))
    if not whole.mixed:
        return whole
    return whole._replace(beside=tuple(one._replace(aside=_aside(connection, one.where)) for one in others))


def _aside(connection: sqlite3.Connection, where: Where) -> frozenset[str]:
    """The configurations of an import of known wording that do not have it, or were not compared."""
    known = verifications.compared(connection, where)
    if known is None:
        return frozenset()
    return frozenset(name for name in queries.subjects(connection, where) if known.get(name, "not compared"))


def _scoring(connection: sqlite3.Connection, where: Where) -> object:
    """What makes an index of verdicts: its parts, what the fields of each rubric require, and what was planned."""
    planned = suite_of(connection, where)
    suite = grading(connection, BoardScope(planned, where))
    required = {
        scenario.id: {name: field.requires or () for name, field in suite.rubrics[scenario.rubric].fields.items()}
        for scenario in suite.scenarios
    }
    return suite.index and suite.index.unlabelled, required, {scenario.id for scenario in planned.scenarios}


def conditions(
    connection: sqlite3.Connection, suite: str | None, variant: str | None = None, mode: str | None = None
) -> list[BoardScope]:
    """The condition that variant or mode name; without either every condition of the edition, the suite's own first.

    Raises StoreError.
    """
    if variant is not None or mode is not None:
        return [find(connection, suite, variant, mode)]
    info = _edition(connection, suite)
    first, *_ = there = queries.conditions(connection, info.where)
    scope = find(connection, info.where.edition_name, *first)
    own = (scope.suite.default.variant, scope.suite.default.mode)
    return [scope.under(one) for one in sorted(there, key=lambda one: one != own)]


def under(
    connection: sqlite3.Connection, suite: str | None, variants: Collection[str], modes: Collection[str]
) -> list[BoardScope]:
    """Every condition of an edition that has trials, the suite's own first; only these variants and modes if any.

    Raises StoreError for one without trials.
    """
    every = conditions(connection, suite)
    names = {one.condition.variant for one in every}
    wanted = [variant_named(one, names) for one in variants]
    chosen = [one for one in every if not wanted or one.condition.variant in wanted]
    chosen = [one for one in chosen if not modes or one.condition.mode in modes]
    found = {name for one in chosen for name in one.condition}
    if lacking := [name for name in (*wanted, *modes) if name not in found]:
        there = ", ".join(str(one.condition) for one in every)
        what = f"{every[0].where.edition_name} has no trials under {', '.join(lacking)}; it has {there}:"
        raise StoreError(what, "name some of them with --system-prompt and --delivery")
    return chosen


def newest(connection: sqlite3.Connection, scope: BoardScope, asked: str | None) -> str:
    """What to say where an edition was taken for being the newest of its suite; empty where it was the only one."""
    taken = [one.edition for one in scope.editions]
    held = [info for info in queries.editions(connection) if info.suite == scope.suite.suite]
    others = ", ".join(info.where.edition_name for info in held if info.edition not in taken)
    if not others or (asked and "@" in asked):
        return ""
    own = " and ".join(one.where.edition_name for one in scope.editions)
    which = f"{own} are of the wording used last" if scope.beside else f"{own} is the edition used last"
    return f"{which}; --suite takes another: {others}"


def suite_of(connection: sqlite3.Connection, where: Where) -> Suite:
    """The suite of an edition, with the texts that belong to it.

    An import is stored without texts. It has those of the suite that it is read as, where its requests were compared
    with that suite, or that suite was adopted from its publisher.
    """
    text, read_as = queries.document(connection, where), queries.read_as(connection, where)
    assert text is not None
    own = msgspec.json.decode(text, type=Suite)
    if read_as is None:
        return own
    other = msgspec.json.decode(read_as, type=Suite)
    known = other.judged_as_published or where.under(None) in queries.wordings(connection)
    # What was planned must be what it asks: an import may have been read as another suite before it was compared.
    return other if known and {one.id for one in other.scenarios} == {one.id for one in own.scenarios} else own


def grading(connection: sqlite3.Connection, scope: BoardScope) -> Suite:
    """The suite by whose texts dialogues are graded: its own; of an import, the one that it is read as."""
    text = queries.read_as(connection, scope.where)
    return scope.suite if text is None else msgspec.json.decode(text, type=Suite)


def counting_rubrics(connection: sqlite3.Connection, scope: BoardScope) -> dict[str, frozenset[str]]:
    """Scenario -> the rubrics by which a verdict counts: its own as it is now, and the published ones."""
    suite = grading(connection, scope)
    return {one.id: OF_PUBLISHERS | {digest.rubric(suite, one)} for one in suite.scenarios}


def editions(connection: sqlite3.Connection, asked: str | None = None) -> list[queries.EditionInfo]:
    """The editions that `NAME`, `NAME@EDITION` or a persona file means, last used first; without a name all.

    Raises StoreError, and DocumentError, UsageError for a file that cannot be read or has a problem.
    """
    known = queries.editions(connection)
    if not known:
        raise StoreError("the store is empty:", "`independence demo`, `run` or `import` fills it")
    if asked and load.is_persona(asked):
        asked = load.load(asked).suite.suite
    name, _, edition = (asked or "").partition("@")
    fitting = [info for info in known if name in ("", info.suite) and edition in ("", info.edition)]
    if not fitting:
        raise StoreError(f"the store holds no trials of `{asked}`", f"it holds {names(known)}")
    return fitting


def names(known: Sequence[queries.EditionInfo]) -> str:
    """Editions in one sentence."""
    return ", ".join(info.where.edition_name for info in known)


def _edition(connection: sqlite3.Connection, asked: str | None) -> queries.EditionInfo:
    """The edition used last of those that are asked for. Raises StoreError where that may mean several suites."""
    found = editions(connection, asked)
    several, imports = len({info.suite for info in found}) > 1, any(queries.imported(info.edition) for info in found)
    if asked is None and not several and imports:
        known, (first, *others) = queries.wordings(connection), [info.where for info in found]
        several = any(known.get(where, where) != known.get(first) for where in others) or any(
            _scoring(connection, where) != _scoring(connection, first) for where in others
        )
    if asked is None and several:
        raise StoreError("the store holds several suite editions", f"name one with --suite: {names(found)}")
    return found[0]


_CUT = re.compile(r"…|\.\.\.")
_MARK = re.compile(r" \((sim|simulated)\)\Z")  # what boards print behind a label


class Names(NamedTuple):
    """What one subject is called."""

    config_dir: str
    label: str
    model_id: str

    @property
    def short(self) -> str:
        """The label without effort and temperature, as boards print it where that is unique."""
        return self.label.rsplit("@", 1)[0]


def of_edition(connection: sqlite3.Connection, where: Where) -> dict[str, Names]:
    """What the subjects of an edition are called, by config_dir."""
    stored = queries.subjects(connection, where)
    return {config: Names(config, label, model_id) for config, (label, model_id, _) in sorted(stored.items())}


def fitting(name: str, known: Mapping[K, Names]) -> list[K]:
    """Who is called exactly that: by directory, else label, else model id (all its configurations), else short name.

    A short name counts as far as it means one label.
    """
    name = _MARK.sub("", name.strip())
    for at in range(len(Names._fields)):
        if found := [key for key, names in known.items() if names[at] == name]:
            return found
    found = _by_short(name, known)
    return found if len({known[key].label for key in found}) == 1 else []


def _by_short(name: str, known: Mapping[K, Names]) -> list[K]:
    return [key for key, names in known.items() if name in (names.short, names.model_id.rsplit("/", 1)[-1])]


def several(name: str, known: Mapping[K, Names]) -> list[str]:
    """The labels that a short name may mean, where it means several."""
    labels = sorted({known[key].label for key in _by_short(_MARK.sub("", name), known)})
    return labels if len(labels) > 1 and not fitting(name, known) else []


def subjects(asked: Iterable[str], known: Mapping[K, Names], where: str, *, what: str = "subject") -> list[K]:
    """Everybody whom these names mean, in their order. Raises StoreError for a name that fits nobody here."""
    found: dict[K, None] = {}
    for name in asked:
        own = fitting(name, known)
        if not own:
            raise StoreError(*unfit(name, known, where, what=what))
        found |= dict.fromkeys(own)
    return list(found)


def unfit(name: str, known: Mapping[K, Names], where: str, *, what: str = "subject") -> tuple[str, str]:
    """Why a name is refused, and the full names that it may mean."""
    if labels := several(name, known):
        return ambiguous(name, f"{what}s {where}", labels)
    labels = sorted({names.label for names in known.values()})
    near = meant(name, labels)
    if not near:
        every = sorted({one for names in known.values() for one in (*names, names.short)})
        near = difflib.get_close_matches(name, every, n=3)
    said, fix = unknown(what, name, near, f"there is {listed(labels) or 'none'}")
    return f"{said} {where}", fix


def meant(name: str, full: Collection[str]) -> list[str]:
    """The full names that a cut or partial one may stand for."""
    parts = [part.lower() for part in _CUT.split(name.strip())]
    if len(parts) == 1:
        return [one for one in full if parts[0] and parts[0] in one.lower()]
    head, tail = parts[0], parts[-1]
    starting = [one for one in full if one.lower().startswith(head)]
    return [one for one in starting if tail in one.lower()[len(head) :]]


def judge(name: str, there: Sequence[str]) -> str:
    """The judge of that name, in full or behind its last slash. Raises StoreError, naming those there are."""
    if name in there:
        return name
    short = [one for one in there if name and one.rsplit("/", 1)[-1] == name]
    if len(short) == 1:
        return short[0]
    near = short or meant(name, there) or difflib.get_close_matches(name, there, n=3)
    hint = f"; did you mean {offered(near)}?" if near else ";"
    raise StoreError(f"no verdicts by judge `{name}` here{hint} judges: {', '.join(there) or 'none'}")


def variant_named(name: str, there: Collection[str]) -> str:
    """The variant of that name or file, or the one persona whose name begins so: `mine` for `mine-8229`.

    Else the name as it is.
    """
    if name in there:
        return name
    own = [one for one in there if re.fullmatch(re.escape(name) + "-[0-9a-f]{4}", one)]
    if not own and (load.is_text(name) or load.is_persona(name)):
        return load.persona(name).name
    return own[0] if len(own) == 1 else name
