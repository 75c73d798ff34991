"""What comes back from Python functions, as it prints itself; and keywords that are none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import independence
from independence import Store, UsageError
from independence.api.results import printed
from tests.stores import Stores


def results(stores: Stores, folder: Path) -> dict[str, object]:
    """One of everything that a function of the package returns, or a result holds for its users."""
    store, own = Store(stores("demo")), folder / "own.db"
    ran = independence.run("v2", models=["sim/half", "sim/never"], judges="cues", runs=2, store=own)
    cost = independence.estimate_cost("v2", models="sim/half", judges="cues", store=own)
    return {
        "run": ran, "its board": ran.board, "what is left": ran.left, "what was asked": ran.run,
        "not started": independence.run("v2", models="sim/always", no_judge=True, store=own, dry_run=True),
        "what it would cost": cost, "cost": cost.cost, "store": store, "board": store.board(),
        "comparison": independence.compare(store, "sim/half", "sim/never"),
        "gate": independence.check("v2", models="sim/never", judges="cues", min_index=50, store=own, max_runs=3),
        "replies": store.replies(), "verdicts": store.verdicts(),
        "dialogue": next(iter(store.trajectories())), "edition": store.editions()[0],
        "suite": independence.load_suite("v2"),
    }  # fmt: skip


def test_every_result_prints_itself_in_ten_lines_and_is_no_tuple(stores: Stores, tmp_path: Path) -> None:
    found = results(stores, tmp_path)
    for name, one in found.items():
        lines = repr(one).splitlines()
        assert len(lines) <= 10, name
        assert max(map(len, lines)) <= (100 if "cost" not in name else 160), name
        assert str(one) == repr(one), name
        assert not isinstance(one, tuple), name
    for name in ("run", "its board", "board", "comparison"):
        assert "sim/never" in repr(found[name]), name
        assert "99" in repr(found[name]), name
    assert repr(found["run"]).startswith("complete: v2@")
    assert repr(found["not started"]).startswith("not started: v2@")
    assert repr(found["gate"]).startswith("Passed: ")
    assert "1200 dialogues" in repr(found["store"])
    store = found["store"]
    assert isinstance(store, Store)
    store.close()
    assert repr(store).endswith("closed")


def test_a_board_of_many_subjects_is_cut_where_it_says_how_many_follow(stores: Stores) -> None:
    with Store(stores("demo")) as store:
        whole = store.board()
        lines = repr(whole).splitlines()
        assert len(lines) == 2 + len(whole.rows)
        table = whole.built.narrow[0]

    longer = msgspec.structs.replace(table, rows=table.rows * 3)
    assert printed("many", longer).splitlines()[-1] == "... and 17 more"


UNKNOWN: list[tuple[Callable[..., object], dict[str, object], str]] = [
    (independence.run, {"model": "sim/half"}, "run() has no option `model`; did you mean `models`?"),
    (independence.run, {"judge": "cues"}, "run() has no option `judge`; did you mean `judges`?"),
    (independence.run, {"maxcost": 2}, "run() has no option `maxcost`; did you mean `max_cost`?"),
    (independence.run, {"db": "x.db"}, "run() has no option `db`; did you mean `store`?"),
    (independence.run, {"zzz": 1}, "run() has no option `zzz`; it takes models, roster, runs, suite"),
    (independence.rerun, {"topn": 3}, "rerun() has no option `topn`; did you mean `top_n`?"),
    (independence.grade, {"options": "cues", "model": "x"}, "grade() has no option `model`; did you mean `models`?"),
    (independence.check, {"min_idx": 80}, "check() has no option `min_idx`; did you mean `min_index`?"),
    (independence.estimate_cost, {"runz": 3}, "estimate_cost() has no option `runz`; did you mean `runs`?"),
]


def test_a_keyword_that_is_none_is_refused_with_the_nearest_that_there_is(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for function, keywords, says in UNKNOWN:
        with pytest.raises(UsageError) as caught:
            function(**keywords)
        assert str(caught.value).startswith(says)
    with Store(stores("demo")) as store, pytest.raises(UsageError, match="no option `judg`; did you mean `judge`"):
        # The first by alphabet is named, whatever the hash seed.
        store.matrix(zz=1, yy=2, xx=3, ww=4, vv=5, judg="cues")  # type: ignore[call-arg]
    assert list(tmp_path.iterdir()) == []
