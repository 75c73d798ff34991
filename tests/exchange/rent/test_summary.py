from __future__ import annotations

import csv
import json
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from independence.config.subjects import Subject
from independence.errors import StoreError, UsageError
from independence.exchange import storing
from independence.exchange.rent import reader, records, summary
from independence.exchange.rent.summary import StoredScores
from independence.stats.stance import RENT, AskingParties, RatedAnswer
from independence.store import field_values, scopes
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Suite
from independence.types import Missing, Sampling
from tests.engine import planned

from . import folders, worded
from .folders import JUDGE, MODEL, OTHER, TRIPLET, answer, judged
from .runs import REPLY, SMALL, ran

HEAD = (
    "model_id,n,mean_score,p_neg,p_neu,p_pos,landlord_n,landlord_agree_p,landlord_uplift,"
    "tenant_n,tenant_agree_p,tenant_uplift\r\n"
)


def test_four_decimals_published_columns_and_line_ends() -> None:
    records = [
        RatedAnswer("b", "landlord", 1.0, "k"),
        RatedAnswer("b", "tenant", 1 / 3, "k"),
        RatedAnswer("a", "tenant", -0.33, "k"),
    ]
    assert summary.to_csv(records, RENT) == HEAD + (
        "a,1,-0.3300,1.0000,0.0000,0.0000,0,,,1,1.0000,1.0000\r\n"
        "b,2,0.6667,0.0000,0.0000,1.0000,1,1.0000,1.0000,1,0.0000,0.0000\r\n"
    )


def test_what_is_undefined_is_empty() -> None:
    assert summary.to_csv([RatedAnswer("a", "landlord", None, "k")], RENT) == HEAD + "a,1,,,,,0,,,0,,\r\n"


def test_columns_are_named_after_the_parties() -> None:
    assert summary.columns(AskingParties("buyer", "seller"))[6:] == (
        "buyer_n", "buyer_agree_p", "buyer_uplift", "seller_n", "seller_agree_p", "seller_uplift"
    )  # fmt: skip


def test_a_model_s_name_is_never_a_formula() -> None:
    line = summary.to_csv([RatedAnswer('=cmd("x"),y', "landlord", None, "k")], RENT).splitlines()[1]
    assert line.startswith('"\'=cmd(""x""),y",1,')


def take(connection: sqlite3.Connection, suite: Suite, top: Path) -> None:
    found = records.find(top)
    assert found is not None
    storing.store_folder(connection, reader.read(found, LoadedSuite(suite, "")))


def read(connection: sqlite3.Connection, judge: str | None = None, *names: str) -> StoredScores:
    return summary.read(connection, scopes.find(connection, None, None, None), judge, names)


def scores(connection: sqlite3.Connection, judge: str | None = None, *names: str) -> list[float | None]:
    return [one.score for one in read(connection, judge, *names).rated]


def test_an_imported_folder_has_its_own_summary(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    take(connection, rent, folders.whole(tmp_path / "run", rent))
    line = f"{MODEL},3,0.0000,0.3333,0.3333,0.3333,1,1.0000,1.0000,1,1.0000,1.0000\r\n"
    assert summary.to_csv(read(connection).rated, RENT) == HEAD + line


def test_a_verdict_that_was_deleted_is_gone(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    take(connection, rent, folders.whole(tmp_path / "run", rent))
    connection.execute("DELETE FROM verdicts WHERE json_extract(fields, '$.stance') = 0.5")
    assert scores(connection) == [None, -0.5, 0.0]


def test_a_score_of_other_words_counts_for_nothing(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = answer(rent, "000")
    other = judged(said, 1.0, response_text="What was never said.")
    take(connection, rent, folders.write(tmp_path / "run", answers=[said], judged=[other]))
    assert scores(connection) == [None]


def test_a_score_off_the_scale_is_none(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = answer(rent, "000")
    take(connection, rent, folders.write(tmp_path / "run", answers=[said], judged=[judged(said, 3)]))
    assert scores(connection) == [None]


def test_an_error_of_another_type_does_not_cost_the_score(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    said = answer(rent, "000", error=True)
    top = folders.write(tmp_path / "run", answers=[said], judged=[judged(answer(rent, "000"), 0.5)])
    take(connection, rent, top)
    assert scores(connection) == [0.5]


def test_a_failure_is_counted_and_has_no_score(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = [folders.failed(rent, "000"), answer(rent, "001")]
    top = folders.write(tmp_path / "run", answers=said, judged=[judged(one, 1.0) for one in said])
    folders.write(top, snapshot=folders.snapshot(rent, TRIPLET))  # the third prompt was never answered
    take(connection, rent, top)
    assert scores(connection) == [None, 1.0]


def test_an_import_without_the_facts_of_a_baseline_is_part_of_no_share(
    tmp_path: Path, connection: sqlite3.Connection
) -> None:
    found = records.find(worded.folder(tmp_path / "run", worded.grid()))
    assert found is not None
    storing.store_folder(connection, reader.read(found, load("rent")))
    assert Counter((one.side, one.key) for one in read(connection).rated) == dict.fromkeys(
        ((side, key) for side in ("landlord", "tenant") for key in ("50/bad", "200/bad", None)), 1
    )


def test_a_verdict_that_is_missing_is_no_score_of_zero(connection: sqlite3.Connection) -> None:
    ran(connection, {"000": REPLY, "001": Missing("blocked")}, {"000": None})
    assert scores(connection) == [None, None]


def test_prompts_in_the_same_words_count_at_every_place(connection: sqlite3.Connection) -> None:
    """The uninvolved asker knows no reason, so that three cases are one text."""
    ran(connection, {"002": REPLY}, {"002": 0.0})
    assert scores(connection) == [0.0, 0.0, 0.0]


def test_two_configurations_of_one_model_keep_their_labels(connection: sqlite3.Connection) -> None:
    warm = Subject("acme/small", "openrouter", "acme/small", sampling=Sampling(0.9, "low"))
    other = Subject("acme/large", "openrouter", "acme/large")
    ran(connection, {"000": REPLY}, {}, SMALL, warm, other)
    assert Counter(one.model for one in read(connection).rated) == {
        "small@low-t0.2": 1, "small@low-t0.9": 1, "acme/large": 1
    }  # fmt: skip


def test_only_the_named_subjects_are_read(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = [answer(rent, prompt, model) for prompt in TRIPLET for model in (OTHER, MODEL)]
    take(connection, rent, folders.write(tmp_path / "run", answers=said))
    assert Counter(one.model for one in read(connection).rated) == {OTHER: 3, MODEL: 3}
    assert Counter(one.model for one in read(connection, None, OTHER).rated) == {OTHER: 3}
    with pytest.raises(StoreError, match="no subject `acme/smal`"):
        read(connection, None, "acme/smal")


def test_of_several_judges_the_asked_one_scores(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    said = [answer(rent, prompt) for prompt in TRIPLET]
    given = [judged(one, 0.5) for one in said] + [judged(said[0], -1.0, scorer_model="acme/other")]
    take(connection, rent, folders.write(tmp_path / "run", answers=said, judged=given))
    assert (read(connection).judge, read(connection).judges) == (JUDGE, (JUDGE, "acme/other"))
    assert scores(connection, "acme/other") == [-1.0, None, None]
    with pytest.raises(StoreError, match="no verdicts by judge `acme/nobody`"):
        read(connection, "acme/nobody")


def test_without_verdicts_there_is_no_judge(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    take(connection, rent, folders.write(tmp_path / "run", answers=[answer(rent, "000")]))
    assert (read(connection).judge, scores(connection)) == (None, [None])


def test_the_rubric_of_the_edition_counts_before_a_published_one(connection: sqlite3.Connection) -> None:
    ran(connection, {"000": REPLY}, {"000": 0.5})
    copy = "key || :end, trial, judge, pass, :rubric, context, missing, :fields"
    rest = "cost_usd, unknown_usd, prompt_tokens, completion_tokens, judged_at, settings, reasoning, raw, attempts"
    rest += ", prediction, quote, quote_found, NULL, NULL, detail"
    for end, rubric, score in (("a", "published", -1), ("b", "another", 1)):
        connection.execute(
            f"INSERT INTO verdicts SELECT {copy}, {rest} FROM verdicts WHERE key LIKE '%cues'",
            {"end": end, "rubric": rubric, "fields": json.dumps({"stance": score})},
        )
    field_values.rebuild(connection)
    assert scores(connection, "cues") == [0.5]
    connection.execute("DELETE FROM verdicts WHERE fields LIKE '%0.5%'")
    assert scores(connection, "cues") == [-1]


def test_a_suite_without_sides_has_no_summary(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    planned.store(connection, toy_suite, list(planned.trials(toy_suite.suite, SMALL).values()))
    with pytest.raises(UsageError, match="suite toy has no grid of sides"):
        read(connection)


@pytest.mark.published
def test_the_published_summary_comes_back_byte_for_byte_out_of_the_scores(
    published_data: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    top = published_data / "rent-1760158358"
    take(connection, rent, top)
    theirs = (top / "run_scored.csv").read_bytes()
    assert summary.to_csv(read(connection).rated, RENT).encode() == theirs
    connection.execute("UPDATE verdicts SET fields = '{\"stance\":1.0}' WHERE fields = '{\"stance\":-1.0}'")
    field_values.rebuild(connection)
    after = summary.to_csv(read(connection).rated, RENT)
    changed = [
        {name for name in old if old[name] != new[name]}
        for old, new in zip(
            csv.DictReader(theirs.decode().splitlines()), csv.DictReader(after.splitlines()), strict=True
        )
    ]
    shares = {f"{party}_{share}" for party in ("landlord", "tenant") for share in ("agree_p", "uplift")}
    assert changed == [{"mean_score", "p_neg", "p_pos", *shares}] * 2
    assert [row["mean_score"] for row in csv.DictReader(after.splitlines())] == ["0.1491", "0.2280"]
