"""What goes is what was found, and nothing that a place outside the scope still uses."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from pathlib import Path
from sqlite3 import Connection

import pytest

from independence.errors import StoreError
from independence.store import context, deletion, leases, records
from independence.store.deletion import NOBODY, DeletedCounts, Deletion, DeletionScope, EditionSubject
from independence.store.file import database
from independence.store.records import EditionRow, FailureRow, VerdictRow
from independence.types import Attempt, Missing, Usage, Verdict

from . import rows

A, B = EditionSubject("s", "e", "a"), EditionSubject("s", "e", "b")
LATER = EditionSubject("s", "later", "a")
DIALOGUES = DeletionScope("dialogues", frozenset([A]))


def answered(connection: Connection, key: str, usd: float = 0.5, **place: str | int) -> str:
    """A dialogue of one answer and one verdict, each of which cost `usd`; returns its end."""
    rows.trial(connection, key, **place)  # type: ignore[arg-type]
    at = rows.call(connection, key, 0, context.begin(key), rows.reply(key, usd=usd))
    rows.verdict(connection, f"v {key}", key, at, Verdict({"x": 1}, usage=Usage(cost_usd=usd)))
    return at


@pytest.fixture
def held(connection: Connection) -> Connection:
    """Subjects a and b of edition e with two dialogues each."""
    for name in ("a", "b"):
        rows.edition(connection, config_dir=name)
        for scenario in ("one", "two"):
            answered(connection, f"{name} {scenario}", scenario=scenario, config_dir=name)
    return connection


def found_in(connection: Connection, scope: DeletionScope) -> Deletion:
    return deletion.find(connection, scope)


def delete(connection: Connection, scope: DeletionScope) -> None:
    deletion.delete(connection, scope, found_in(connection, scope))


def column(connection: Connection, what: str) -> set[str]:
    return {value for (value,) in connection.execute(f"SELECT {what}")}


def counts(connection: Connection) -> dict[str, int]:
    tables = column(connection, "name FROM sqlite_master WHERE type = 'table'")
    return {t: connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in sorted(tables)}


def test_a_subject_goes_with_all_that_hangs_on_it_and_the_others_stay(held: Connection) -> None:
    failed = FailureRow("a one", "x", "GaveUp", "", (Attempt("timeout", 1.0, Usage(cost_usd=0.25)),))
    records.add_failure(held, failed)
    found = found_in(held, DIALOGUES)
    assert found == Deletion(trials=frozenset(["a one", "a two"]))
    assert deletion.counts(held, DIALOGUES, found) == {A: DeletedCounts(2, 2, 2, 2.25)}
    delete(held, DIALOGUES)
    for table in ("calls", "verdicts"):
        assert column(held, f"trial FROM {table}") == {"b one", "b two"}
    assert column(held, "key FROM trials") == {"b one", "b two"}
    assert column(held, "config_dir FROM planned UNION SELECT config_dir FROM subjects") == {"b"}
    assert counts(held)["failures"] == 0
    assert counts(held)["editions"] == 1


def test_everything_is_every_row_of_every_table_and_an_edition_goes_with_its_last_subject(held: Connection) -> None:
    records.add_persona(held, EditionRow("s", "e", ""), "me", "You are me.")
    rows.trial(held, "a replaced", scenario="one", config_dir="a")
    delete(held, DIALOGUES)
    assert counts(held)["personas"] == 1
    delete(held, DeletionScope("dialogues", frozenset([B])))
    assert column(held, "key FROM trials") == {"a one"}  # which was replaced
    assert column(held, "count(*) FROM editions UNION SELECT count(*) FROM personas") == {0}
    delete(held, DeletionScope("dialogues"))
    assert {name for name, count in counts(held).items() if count} == {"tallies"}
    assert column(held, "rows + digests FROM tallies") == {0}
    # A table that is added needs its place in store/deletion; the ledger and the counts stay.
    listed = {*deletion.OF_STORES, *deletion.OF_TRIALS, *deletion.OF_SUBJECTS, *deletion.OF_EDITIONS}
    assert counts(held).keys() == {*listed, "trials", "sessions", "tallies"}
    assert found_in(held, DeletionScope("dialogues")) == Deletion()


def test_a_dialogue_that_another_edition_uses_stays_and_loses_its_place_alone(held: Connection) -> None:
    rows.edition(held, "later")
    rows.trial(held, "a one", edition="later", scenario="one")
    found = found_in(held, DIALOGUES)
    assert (found.trials, found.kept) == ({"a two"}, 1)
    delete(held, DIALOGUES)
    assert column(held, "edition || trial FROM planned WHERE config_dir = 'a'") == {"latera one"}
    assert column(held, "text FROM calls") == {"a one", "b one", "b two"}


def test_a_dialogue_that_one_which_stays_continues_stays(held: Connection) -> None:
    rows.edition(held, "later")
    rows.trial(held, "next", "a one", edition="later", scenario="more")
    rows.trial(held, "last", "next", edition="later", scenario="more2")
    assert (found_in(held, DIALOGUES).trials, found_in(held, DIALOGUES).kept) == ({"a two"}, 1)
    both = DeletionScope("dialogues", frozenset([A, LATER]))
    assert found_in(held, both).trials == {"a one", "a two", "next", "last"}


def test_replaced_dialogues_go_with_the_whole_store_alone(held: Connection) -> None:
    answered(held, "a old", scenario="one", config_dir="a")
    rows.trial(held, "a one", scenario="one", config_dir="a")  # takes its place back
    assert found_in(held, DIALOGUES).trials == {"a one", "a two"}
    everything = DeletionScope("dialogues")
    assert deletion.counts(held, everything, found_in(held, everything))[NOBODY] == DeletedCounts(1, 1, 1, 1.0)


def test_verdicts_go_of_a_subject_or_a_judge_and_replies_stay(held: Connection) -> None:
    rows.verdict(held, "other", "a one", "", Verdict({}), judge="k")
    own = DeletionScope("verdicts", frozenset([B]))
    assert deletion.counts(held, own, found_in(held, own)) == {B: DeletedCounts(0, 0, 2, 1.0)}
    for scope, left in (
        (own, {"v a one", "v a two", "other"}),
        (DeletionScope("verdicts", judge="k"), {"v a one", "v a two"}),
        (DeletionScope("verdicts"), set()),
    ):
        delete(held, scope)
        assert column(held, "key FROM verdicts") == left
        assert deletion.judges(held) == ["j", "k"][: len(left) - 1 if left else 0]
    assert (counts(held)["calls"], counts(held)["planned"]) == (4, 4)


def test_a_verdict_stays_where_another_edition_has_the_dialogue(held: Connection) -> None:
    rows.edition(held, "later")
    rows.trial(held, "a one", edition="later", scenario="one")
    scope = DeletionScope("verdicts", frozenset([A]))
    assert (found_in(held, scope).verdicts, found_in(held, scope).kept) == ({"v a two"}, 1)
    both = DeletionScope("verdicts", frozenset([A, LATER]))
    assert found_in(held, both).verdicts == {"v a one", "v a two"}


def test_what_came_to_nothing_is_forgotten_and_so_asked_again(held: Connection) -> None:
    reasons = ("blocked", "no_answer", "transport", "altered", "too_long", "prompt_cut")
    for reason in reasons:
        rows.trial(held, reason, turns=2, scenario=reason)
        at = rows.call(held, reason, 0, context.begin(reason), rows.reply("first"))
        rows.call(held, reason, 1, at, rows.missing(reason, 0.125))
    rows.verdict(held, "garbled", "b one", "", Missing("unreadable_verdict"))
    rows.verdict(held, "ruleless", "a one", "", Missing("no_cue"))  # there is no rule to ask again
    scope = DeletionScope("missing")
    found = found_in(held, scope)
    assert found == Deletion(calls=frozenset((reason, 1) for reason in reasons), verdicts=frozenset(["garbled"]))
    assert deletion.counts(held, scope, found) == {A: DeletedCounts(0, 6, 0, 0.75), B: DeletedCounts(0, 0, 1, 0.0)}
    delete(held, scope)
    assert column(held, "turn FROM calls WHERE trial = 'blocked'") == {0}
    assert column(held, "key FROM verdicts WHERE missing IS NOT NULL") == {"ruleless"}
    assert found_in(held, scope).calls == frozenset()


def test_missing_of_one_judge_are_the_verdicts_that_it_did_not_give(held: Connection) -> None:
    rows.trial(held, "a mute", scenario="more")
    rows.call(held, "a mute", 0, context.begin("a mute"), rows.missing())
    for judge in ("j", "k"):
        rows.verdict(held, f"garbled {judge}", "a one", "", Missing("unreadable_verdict"), judge=judge)
    rows.verdict(held, "refused k", "a two", "", Missing("blocked"), judge="k")
    found = found_in(held, DeletionScope("missing", judge="k"))
    assert (found.calls, found.verdicts) == (frozenset(), {"garbled k", "refused k"})
    assert found_in(held, DeletionScope("missing", frozenset([B]))).verdicts == frozenset()


def test_what_imports_lack_cannot_be_asked_again_and_stays(held: Connection) -> None:
    rows.edition(held, "published")
    rows.trial(held, "import", edition="published", scenario="one")
    at = rows.call(held, "import", 0, context.begin("import"), rows.missing())
    held.execute("UPDATE calls SET messages = '[]' WHERE trial = 'import'")  # as the import brought it
    row = VerdictRow("v import", "import", "j", "published", at, "{}", Missing("unreadable_verdict"))
    records.add_verdict(held, row)
    found = found_in(held, DeletionScope("missing"))
    assert (found.calls, found.verdicts) == (frozenset(), frozenset())


def test_older_answers_stay_when_the_current_one_is_forgotten(held: Connection) -> None:
    rows.trial(held, "a mute", scenario="more")
    rows.call(held, "a mute", 0, "another history", rows.reply("older"))
    rows.call(held, "a mute", 0, context.begin("a mute"), rows.missing())
    delete(held, DeletionScope("missing"))
    assert column(held, "text FROM calls WHERE trial = 'a mute'") == {"older"}


def change(connection: Connection) -> None:
    answered(connection, "a more", scenario="more", config_dir="a")


def work(connection: Connection) -> None:
    leases.take(connection, "b one", f"{socket.gethostname()}:{os.getppid()}:ab12")


@pytest.mark.parametrize(("meanwhile", "says"), [(change, "has changed"), (work, f"process {os.getppid()} on")])
def test_nothing_is_deleted_where_somebody_came_between_unless_its_lease_ran_out(
    held: Connection, meanwhile: Callable[[Connection], None], says: str
) -> None:
    found = found_in(held, DIALOGUES)
    meanwhile(held)
    before = counts(held)
    with pytest.raises(StoreError, match=says):
        deletion.delete(held, DIALOGUES, found)
    assert counts(held) == before
    assert not held.in_transaction
    held.execute("UPDATE leases SET until = 1")
    delete(held, DIALOGUES)
    assert column(held, "key FROM trials") == {"b one", "b two"}


def test_deleted_words_do_not_stay_in_the_file(path: Path) -> None:
    connection = database.connect(path)
    rows.edition(connection)
    rows.trial(connection, "t", scenario="one")
    rows.dialogue(connection, "t", "a sentence that must go " * 400)
    delete(connection, DeletionScope("dialogues"))
    assert deletion.shrink(connection)
    assert b"a sentence that must go" not in path.read_bytes()
    connection.close()
    with contextlib.closing(database.connect_existing(path)) as again:
        assert deletion.subjects(again) == {}


def test_space_that_a_reader_holds_is_not_given_back(path: Path) -> None:
    writer = database.connect(path)
    reader = database.connect(path)
    rows.edition(writer)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM editions").fetchall()
    writer.execute("PRAGMA busy_timeout = 10")
    assert not deletion.shrink(writer)
    reader.close()
    assert deletion.shrink(writer)
    writer.close()
