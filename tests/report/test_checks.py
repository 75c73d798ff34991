from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from independence.clients.catalogue import Catalogue, ModelInfo, Reasoning
from independence.clients.failures import Failure
from independence.clients.limits import FREE, Prices
from independence.clients.listing import KeyInfo
from independence.config.endpoints import Endpoint
from independence.errors import UsageError
from independence.report.files import checks
from independence.report.files.checks import NO_ROOM_BYTES, SCARCE_BYTES, CheckedModel, Finding
from independence.store.health import StoreContents, StoreHealth

MB = 2**20
CONTENTS = StoreContents(
    trials=1200, answers=1700, verdicts=1200, unplanned=0, homeless=0, stale=0, leases=0, expired=0
)
SOUND = StoreHealth(
    Path("here.db"), 3 * MB, 900 * MB, True, True, empty=False, other=False, damage=(), whole=False, contents=CONTENTS
)
ROUTER = Endpoint("openrouter", "https://router.example/v1", "openrouter", key_source="OPENROUTER_API_KEY")
LOCAL = Endpoint("local", "http://127.0.0.1:1234/v1", "local", key_source="LOCAL_API_KEY")
WITH_PASSWORD = Endpoint("lab", "http://me:secret@10.0.0.5:8000/v1", "local")
REFUSED = Failure("401", "no", scope="key", lasting=True, status=401)
INFO = ModelInfo(
    "a/one", "a/one-2026", 131_072, Prices(1e-6, 4.5e-6), frozenset({"tools", "reasoning"}), Reasoning(("high", "low"))
)
SUBJECT, JUDGE = CheckedModel("model", "a/one", "a/one", "low"), CheckedModel("judge", "a/one", "a/one", "none")


def stored(**changes: Any) -> dict[str, Finding]:
    return {f.check: f for f in checks.of_store(msgspec.structs.replace(SOUND, **changes))}


def held(**changes: int) -> dict[str, Finding]:
    return stored(contents=msgspec.structs.replace(CONTENTS, **changes))


def listed(patient: CheckedModel = SUBJECT, info: ModelInfo | None = INFO, **changes: Any) -> dict[str, Finding]:
    found = msgspec.structs.replace(info, **changes) if info else None
    catalogue = Catalogue({found.id: found} if found else {"a/other": INFO, "b/one": INFO})
    return {f.check: f for f in checks.of_model(patient, catalogue, found)}


def test_advice_of_an_error_goes_before_general_advice() -> None:
    for error, found, fix in (
        (UsageError("KEY is not set:", "export it"), "KEY is not set", "export it"),
        (UsageError("here.db: damaged (page 3: cut)", "name another"), "damaged (page 3: cut)", "name another"),
        (UsageError("http://a:1 is no address"), "http://a:1 is no address", "name another store with --db"),
    ):
        finding = checks.refusal("store", "unusable", "here.db", error)
        assert finding == ("store", "here.db", "fail", found, fix, None)


def test_a_sound_store_has_nothing_to_mend() -> None:
    found = stored()
    assert list(found) == ["store", "contents", "leases", "disk"]
    assert {(f.result, f.fix) for f in found.values()} == {("ok", "")}
    assert found["store"].found == "sound, 3.0 MB"
    assert found["contents"].found == "1,200 dialogues, 1,700 answers, 1,200 verdicts"
    assert held(leases=3)["leases"].found == "3 dialogues are being worked on now"


@pytest.mark.parametrize(
    ("found", "check", "result", "says", "fix"),
    [
        (stored(damage=("row 3 missing",), contents=None), "store", "fail", "row 3 missing", "restore a copy"),
        (stored(other=True, contents=None), "store", "fail", "written by another version", "export DIR --as parquet"),
        (stored(empty=True, contents=None, wal=False), "store", "ok", "an empty file", ""),
        (stored(writable=False), "store", "fail", "cannot be written", ""),
        (stored(wal=False), "journal", "warn", "", ""),
        (held(stale=7), "contents", "warn", "7 dialogues have an answer to an earlier turn", "it asks from there on"),
        (held(unplanned=7), "contents", "warn", "7 dialogues belong to no plan", "only use space"),
        (held(homeless=7), "contents", "warn", "7 answers or verdicts belong to no dialogue", "only use space"),
        (held(leases=3, expired=2), "leases", "warn", "2 dialogues were left by a run that was killed", ""),
    ],
)
def test_what_is_amiss_with_a_store_is_told_with_what_to_do(
    found: dict[str, Finding], check: str, result: str, says: str, fix: str
) -> None:
    assert found[check].result == result
    assert says in found[check].found
    assert fix in found[check].fix
    assert result != "fail" or found[check].fix


def test_room_on_the_disk_is_judged_by_what_a_board_takes() -> None:
    rooms = [NO_ROOM_BYTES - 1, NO_ROOM_BYTES, SCARCE_BYTES - 1, SCARCE_BYTES]
    assert [checks.of_disk(room, ".").result for room in rooms] == ["fail", "warn", "warn", "ok"]


@pytest.mark.parametrize(
    ("said", "result", "says"),
    [
        (KeyInfo(None, False), "ok", "OPENROUTER_API_KEY is accepted"),
        (KeyInfo(12.345, False), "ok", "$12.35 of its limit left"),
        (KeyInfo(0.49, False), "warn", "$0.49"),
        (KeyInfo(-1.0, False), "fail", "$0.00 of its limit left"),
        (KeyInfo(None, True), "ok", "free tier"),
        (Failure("401", "HTTP 401: no", scope="key", lasting=True, status=401), "fail", "refused (HTTP 401: no)"),
        (Failure("404", "HTTP 404", scope="model", lasting=True, status=404), "skipped", "no page about keys"),
        (Failure("503", "HTTP 503", status=503), "skipped", "not known (503: HTTP 503)"),
    ],
)
def test_a_key_is_good_for_what_is_left_of_it(said: KeyInfo | Failure, result: str, says: str) -> None:
    finding = checks.of_key(ROUTER, said)
    assert (finding.check, finding.of, finding.result) == ("key", "openrouter", result)
    assert says in finding.found
    assert result != "fail" or finding.fix


@pytest.mark.parametrize(
    ("endpoint", "said", "result", "says", "fix"),
    [
        (ROUTER, Catalogue({"a/one": INFO}), "ok", "https://router.example/v1 lists 1 model", ""),
        (ROUTER, Catalogue(), "ok", "https://router.example/v1 lists 0 models", ""),
        (LOCAL, Catalogue(known=False), "ok", "http://127.0.0.1:1234/v1 answers, but lists none", ""),
        (LOCAL, REFUSED, "fail", "/v1 requires a key (no)", "set LOCAL_API_KEY"),
        (LOCAL, Failure("connect", "refused"), "fail", "no answer from http://127.0.0.1", "start the server"),
        (ROUTER, Failure("connect", "refused"), "fail", "no answer from https://router", "check the address"),
        (WITH_PASSWORD, Failure("503", "busy", status=503), "warn", "/v1 does not list its models (busy)", "minutes"),
        (WITH_PASSWORD, Catalogue(), "ok", "http://10.0.0.5:8000/v1 lists 0 models", ""),
    ],
)
def test_an_endpoint_is_told_by_its_listing_and_without_credentials(
    endpoint: Endpoint, said: Catalogue | Failure, result: str, says: str, fix: str
) -> None:
    finding = checks.of_endpoint(endpoint, said)
    assert finding.result == result
    assert says in finding.found
    assert fix in finding.fix
    assert "secret" not in finding.found


def test_a_model_that_has_everything_is_fine_throughout() -> None:
    found = listed()
    assert list(found) == ["model", "tools", "effort", "price", "context"]
    assert {f.result for f in found.values()} == {"ok"}
    assert found["model"].found == "listed as a/one (a/one-2026)"
    assert found["price"].found == "$1 in, $4.5 out per million tokens"
    assert found["context"].found == "131,072 tokens by its listing"
    no_tools = frozenset({"temperature"})
    assert list(listed(JUDGE, supported_parameters=no_tools)) == ["judge", "effort", "price", "context"]
    assert "context" not in listed(context_length=None)
    assert listed(prices=FREE)["price"].found == "free"


@pytest.mark.parametrize(
    ("found", "check", "result", "says", "fix"),
    [
        (listed(info=None), "model", "fail", "", "did you mean `b/one`, `a/other`?"),
        (listed(supported_parameters=frozenset({"temperature"})), "tools", "fail", "", "--delivery user_role"),
        (listed(supported_parameters=None), "tools", "skipped", "", ""),
        (listed(prices=None), "price", "warn", "", "--allow-unpriced"),
        (listed(context_length=4096), "context", "warn", "", ""),
        (listed(SUBJECT._replace(effort="medium")), "effort", "warn", "not available, `low` is sent", "-r low"),
        (listed(JUDGE._replace(effort="medium")), "effort", "ok", "", ""),
        (listed(SUBJECT._replace(effort="off")), "effort", "ok", "nothing is sent", ""),
    ],
)
def test_what_a_model_lacks_is_told_with_what_to_do(
    found: dict[str, Finding], check: str, result: str, says: str, fix: str
) -> None:
    assert found[check].result == result
    assert says in found[check].found
    assert fix in found[check].fix
    assert (check == "model") is (list(found) == ["model"])


def test_models_that_cannot_be_looked_up_are_taken_at_their_word_or_sent_to_the_catalogue() -> None:
    (finding,) = checks.of_model(CheckedModel("model", "x/9", "x/9", "low"), Catalogue({"a/one": INFO}), None)
    assert "independence models --catalogue" in finding.fix
    found = {f.check: f.result for f in checks.of_model(SUBJECT, Catalogue(known=False), None)}
    assert found == {"model": "skipped", "tools": "skipped", "effort": "ok", "price": "warn"}


FOUND = [
    Finding("key", "openrouter", "ok", "accepted"),
    Finding("price", "a/b", "warn", "not listed", "add --allow-unpriced"),
    Finding("answer", "a/b", "fail", "HTTP 404", "check the id", 0.25),
    Finding("verdict", "c/d", "ok", "complete", usd=0.5),
]


def test_every_finding_is_a_row_and_a_terminal_gets_what_to_do_below() -> None:
    table = checks.table(FOUND, ["Go on."])
    assert [column.key for column in table.columns] == ["check", "of", "result", "found", "fix", "cost_usd"]
    assert table.rows[0] == ("key", "openrouter", "ok", "accepted", None, None)
    assert table.rows[2] == ("answer", "a/b", "fail", "HTTP 404", "check the id", 0.25)
    assert table.notes == ("2 ok, 1 warn, 1 fail; $0.750000 for calls to models", "Go on.")
    found, fixes = checks.terminal_table(FOUND)
    assert "fix" not in [column.key for column in found.columns]
    assert found.notes == checks.table(FOUND).notes
    assert [row[:2] for row in fixes.rows] == [("price", "a/b"), ("answer", "a/b")]
    assert len(checks.terminal_table(FOUND[:1])) == 1
    free = checks.table([Finding("answer", "sim/half", "ok", "x", usd=0.0)])
    assert free.notes == ("1 ok; $0.000000 for calls to models",)  # a call all the same
    assert checks.table(FOUND[:1]).notes == ("1 ok",)


def test_only_a_failure_fails() -> None:
    assert checks.failed(FOUND)
    assert not checks.failed([FOUND[0], FOUND[1], Finding("x", "y", "skipped", "z")])
