"""Decisions through the command, against the loopback endpoint: what is decided, what is bought, what is refused."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from benchmarks import decide_pairs

from tests.e2e import command, endpoint, refusals, suites
from tests.e2e.command import Ended
from tests.e2e.endpoint import Served

CALLS = 5  # answers that one run of the suite takes
ENV = {"LOOP_KEY": endpoint.KEY}
HARBOUR = ("--suite", "harbour", "-j", "cues", "--db", "here.db")
BUYING = ("--models-file", "models.yaml", "--yes", "--until-decided")
JSON = ("--format", "json")
PAIR, OPEN = ("loop/never", "loop/always"), ("loop/half", "loop/yield-35")
TWO = ["run", "-m", ",".join(OPEN), *HARBOUR, *BUYING, *JSON, "--max-runs", "5"]
FOUR = ("loop/half", "loop/always", "loop/never", "loop/yield-20")


class Place(NamedTuple):
    """A folder with a suite, and the endpoint that its models file points at."""

    folder: Path
    served: Served

    def run(self, *words: str) -> Ended:
        """Any command."""
        return command.run(*words, cwd=self.folder, env=ENV)

    def buy(self, pair: Sequence[str], *more: str, judge: str = "cues") -> Ended:
        """A decision between two."""
        asked = ("run", "-m", ",".join(pair), "--suite", "harbour", "-j", judge, "--db", "here.db")
        return self.run(*asked, *BUYING, *more)

    def decided(self, pair: Sequence[str], *more: str, judge: str = "cues") -> dict[str, Any]:
        """The document of a decision between two, with the exit code that it says."""
        ended = self.buy(pair, *JSON, *more, judge=judge)
        assert ended.code == ended.board["exit_code"], ended.err
        return ended.board

    def compared(self, pair: Sequence[str], *more: str) -> dict[str, Any]:
        """The difference of a plain comparison, with its notes."""
        ended = self.run("compare", *pair, *HARBOUR, *JSON, *more)
        assert ended.code == 0, ended.err
        found: dict[str, Any] = ended.board["difference"]
        return found

    def asked(self) -> int:
        """How many answers were bought."""
        return len(self.served.requests())


def best(*more: str, subjects: Sequence[str] = FOUR) -> list[str]:
    """The words that ask for the best of several."""
    given = ("--models-file", "models.yaml", "--yes", *JSON)
    return ["run", "-m", ",".join(subjects), *HARBOUR, *given, "--until-decided", "best", *more]


def bought(ended: Ended) -> dict[str, Any]:
    """What was found, whoever paid for it and how much."""
    return {key: value for key, value in ended.board.items() if key not in ("calls_bought", "cost_usd")}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with endpoint.serving(tmp_path_factory.mktemp("served"), "--bill", "max") as running:
        yield running


@pytest.fixture
def place(served: Served, tmp_path: Path) -> Place:
    suites.write(tmp_path / "harbour", suites.harbour())
    endpoint.models_file(tmp_path, served.base_url)
    return Place(tmp_path, served.from_now())


# Two


def test_who_is_higher_is_decided_with_no_more_calls_than_it_takes_and_stays_so(place: Place):
    found = place.decided(PAIR)
    high, low = found["sides"]
    assert (found["outcome"], found["exit_code"]) == ("differ", 0)
    assert ([high["standing"], low["standing"]], high["subject"][:10]) == (["best", "below"], "loop/never")
    assert 0 < low["behind_ci"][0] < low["behind"] == high["index"] - low["index"]
    assert "loop/never@low-t0.7 is higher than loop/always@low-t0.7" in found["reason"]
    runs = low["runs"]
    assert runs == high["runs"] < 10
    assert found["looks"] == runs - 1
    assert found["calls_bought"] == place.asked() == 2 * runs * CALLS
    # Asked once more, in any order, or in another form, it is the same decision, and nothing is bought.
    again = place.decided(PAIR[::-1])
    assert (again["calls_bought"], again["cost_usd"]) == (0, 0)
    assert again | dict.fromkeys(("calls_bought", "cost_usd")) == found | dict.fromkeys(("calls_bought", "cost_usd"))
    told = place.buy(PAIR)
    assert " ".join(found["reason"].split()) in " ".join(told.out.split())
    assert "0 calls were bought" in told.err
    # So it is for a comparison that buys nothing, by the levels of the plan.
    plain = place.compared(PAIR)
    row = plain["rows"][0]
    assert (row["outcome"], row["ci"]) == ("A is higher", pytest.approx(low["behind_ci"]))
    assert any(f"Look {runs - 1} of a decision that was planned for 10 runs of each" in note for note in plain["notes"])
    assert place.asked() == 2 * runs * CALLS


def test_two_that_are_alike_are_within_the_margin(place: Place):
    pair, v2 = ("never", "too"), ("--suite", "v2")
    with (place.folder / "models.yaml").open("a") as file:
        rows = (f"  - {{id: loop/never, label: {label}, temperature: 0.{at}}}\n" for at, label in enumerate(pair, 1))
        file.write(f"models:\n{''.join(rows)}")
    found = place.decided(pair, *v2)
    assert (found["outcome"], found["exit_code"]) == ("within", 0), found
    (other,) = (one for one in found["sides"] if one["standing"] != "best")
    low, high = other["behind_ci"]
    assert (other["standing"], -5 < low < high < 5) == ("within", True)
    assert "is within 5 points of " in found["reason"]
    assert place.compared(pair, *v2)["rows"][0]["outcome"] == "within 5 points of each other"
    assert found["calls_bought"] == place.asked()


def test_what_stays_open_ends_where_it_was_planned_and_no_other_plan_takes_over(place: Place):
    planned = ("--max-runs", "4", "--within", "3")
    found = place.decided(OPEN, *planned)
    assert (found["outcome"], found["exit_code"], found["looks"]) == ("open", 5, 3)
    assert {one["standing"] for one in found["sides"]} == {"best", "open"}
    assert "Calls worth 4 runs of each are made, which is what was planned." in found["reason"]
    assert place.asked() == found["calls_bought"] == 2 * 4 * CALLS
    for other in (("--max-runs", "10", "--within", "3"), ("--max-runs", "4"), ("--max-runs", "4", "--within", "2")):
        refused = place.buy(OPEN, *other)
        assert (refused.code, refused.out) == (2, "")
        assert "was planned on 20" in command.one_sentence(refused)
        assert "give --within 3 --max-runs 4, or decide anew" in command.one_sentence(refused)
    assert place.decided(OPEN, *planned)["calls_bought"] == 0
    assert place.asked() == 2 * 4 * CALLS
    (other,) = (one for one in found["sides"] if one["standing"] == "open")
    turned = -1 if other["subject"].startswith(OPEN[0]) else 1
    assert place.compared(OPEN)["rows"][0]["ci"] == pytest.approx(sorted(turned * end for end in other["behind_ci"]))


def test_a_cost_cap_is_never_exceeded_leaves_whole_stages_and_more_money_goes_on(place: Place):
    stage = place.decided(OPEN, "--max-runs", "2", "--db", "price.db")["cost_usd"]
    billed, before = _billed(place), place.asked()
    cap = 1.8 * stage  # two runs of both, and not the next one
    found = place.decided(OPEN, "--max-cost", f"{cap:.6f}")
    assert (found["outcome"], found["exit_code"]) == ("open", 5)
    assert f"is left of --max-cost {cap:.6g}"[:30] in found["reason"]
    assert _billed(place) - billed <= cap
    runs = {one["runs"] for one in found["sides"]}
    assert runs == {3}
    assert place.asked() - before == found["calls_bought"] == 2 * 3 * CALLS
    more = place.decided(OPEN)
    assert (more["exit_code"], more["calls_bought"]) == (5, 2 * 7 * CALLS)
    assert place.asked() - before == 2 * 10 * CALLS
    command.one_sentence(place.buy(OPEN, "--db", "new.db", "--max-cost", "0.0001"))


def _billed(place: Place) -> float:
    return sum(request.cost_usd for request in place.served.log.everything())


def test_a_dry_run_says_what_it_may_take_asks_nothing_and_stores_nothing(place: Place):
    v2 = place.buy(PAIR, "--suite", "v2", "--dry-run", "--db", "new.db")
    assert (v2.code, v2.out) == (0, "")
    assert "until it is decided: about " in v2.err  # whose noise is known
    assert " if the two are 5 points apart, at most 520 calls" in v2.err
    several = place.run(*best("--max-runs", "3", "--dry-run", "--db", "new.db"))
    assert (several.code, several.out) == (0, "")
    assert f"until it is decided: at most {4 * 3 * CALLS} calls ($" in several.err
    assert place.served.log.everything() == []
    assert not (place.folder / "new.db").exists()


def test_a_pair_that_was_looked_at_before_is_tested_as_ever(place: Place):
    """Who decides after a look could stop at what was seen: what was spent by then counts."""
    for runs in ("2", "3"):
        ran = place.run("run", "-m", ",".join(OPEN), *HARBOUR, "--models-file", "models.yaml", "--runs", runs, "--yes")
        assert ran.code == 0, ran.err
    before = place.compared(OPEN)
    found = place.decided(OPEN, "--max-runs", "4")
    assert (found["calls_bought"], found["looks"]) == (2 * CALLS, 3)
    after = place.compared(OPEN)
    assert found["confidence"] > 0.99  # at one look 95%, which were spent on the first
    assert any("Look 2: " in note for note in before["notes"])
    assert any("Look 3: " in note for note in after["notes"])
    assert not any("decision" in note for note in after["notes"])


def test_one_subject_under_two_conditions_and_subjects_by_their_labels(place: Place):
    found = place.decided(("loop/half",), "--variants", "plain,blunt", "--max-runs", "2")
    assert {one["condition"] for one in found["sides"]} == {"plain/user_role", "blunt/user_role"}
    assert {one["subject"] for one in found["sides"]} == {"loop/half@low-t0.7"}
    assert "user_role has the highest index, and" in found["reason"]
    both = place.buy(("loop/half",), "--variants", "plain,blunt", "--modes", "user_role,tool_role")
    assert "who is best is decided under one condition" in command.one_sentence(both)
    with (place.folder / "models.yaml").open("a") as file:
        rows = (f"  - {{id: loop/half, label: {label}, temperature: 0.{at}}}\n" for at, label in enumerate("abc", 1))
        file.write(f"models:\n{''.join(rows)}")
    named = place.decided(("a", "b"), "--max-runs", "2")
    assert {one["subject"] for one in named["sides"]} == {"a", "b"}


@pytest.mark.parametrize(
    ("pair", "judge", "says"),
    [
        (("loop/never", "loop/echo"), "cues", "loop/echo@low-t0.7 is incomplete: 6 no_answer (the reply is no answer"),
        (("loop/never", "loop/emoji"), "cues", "loop/emoji@low-t0.7 is incomplete: 6 no_cue"),
        (("loop/never", "loop/half"), "cues", "loop/half@low-t0.7 is incomplete: 2 blocked"),
        (PAIR, "loop/judge:prose", "loop/always@low-t0.7, loop/never@low-t0.7 are incomplete: 12 unreadable_verdict"),
    ],
    ids=["it echoes", "it says nothing", "it is refused", "its judge talks"],
)
def test_where_verdicts_are_missing_nothing_is_decided_and_no_more_is_bought(
    tmp_path: Path, pair: tuple[str, str], judge: str, says: str
):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--ways", "filter@half=ice house") as served:
        place = Place(tmp_path, served)
        endpoint.models_file(tmp_path, served.base_url)
        found = place.decided(pair, judge=judge)
    assert (found["outcome"], found["exit_code"]) == (None, 3)
    assert "Nothing is decided: " in found["reason"]
    assert says in found["reason"]
    assert {one["runs"] for one in found["sides"]} == {2}


# The best of several


def test_who_is_below_the_best_gets_no_more_runs_and_the_board_is_whole(place: Place):
    ended = place.run(*best("--max-runs", "5"))
    found = ended.board
    assert (ended.code, found["outcome"]) == (5, "open"), ended.err
    runs = {one["subject"].partition("@")[0]: one["runs"] for one in found["sides"]}
    assert runs["loop/always"] < runs["loop/never"] == 5
    (dropped,) = (one for one in found["sides"] if one["subject"].startswith("loop/always"))
    assert (dropped["standing"], dropped["below_since"]) == ("below", runs["loop/always"])
    assert found["sides"][0]["standing"] == "best"
    assert found["calls_bought"] == place.asked() == sum(runs.values()) * CALLS
    rows = {row["label"].partition("@")[0]: row for row in place.run("leaderboard", *HARBOUR, *JSON).board["rows"]}
    assert {row["coverage"] for row in rows.values()} == {1}
    assert all(row["index"] is not None and row["rank"] for row in rows.values())
    assert rows["loop/always"]["runs"] < rows["loop/never"]["runs"]
    told = place.run("leaderboard", *HARBOUR)
    assert f"loop/always@low-t0.7 after {runs['loop/always']}" in " ".join(told.out.split())
    assert place.run(*best("--max-runs", "5")).board["calls_bought"] == 0


def test_two_are_decided_with_or_without_the_word_and_twenty_by_one(place: Place):
    two = place.run(*best(subjects=PAIR)).board
    assert (two["outcome"], two["exit_code"]) == ("differ", 0)
    pair = place.decided(PAIR)
    assert pair["calls_bought"] == 0
    assert pair["sides"] == two["sides"]
    before = place.asked()
    twenty = [f"loop/yield-{rate}" for rate in range(0, 100, 5)]
    ended = place.run(*best("--max-runs", "8", "--db", "twenty.db", subjects=twenty))
    standing = Counter(one["standing"] for one in ended.board["sides"])
    assert ended.code == (5 if standing["open"] else 0)
    assert (standing["best"], standing.total()) == (1, 20)
    assert standing["below"] > 2
    assert ended.board["calls_bought"] == place.asked() - before < 20 * 8 * CALLS


# Interrupted and killed


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
@pytest.mark.parametrize("words", [TWO, best("--max-runs", "5")], ids=["two", "the best of four"])
def test_in_the_middle_of_a_stage_and_goes_on_to_the_same_decision(
    tmp_path: Path, how: signal.Signals, words: list[str]
):
    suites.write(tmp_path / "harbour", suites.harbour())
    sides = 2 if words == TWO else 4
    with endpoint.serving(tmp_path, "--latency", "0.2") as served:
        endpoint.models_file(tmp_path, served.base_url)
        process = command.start(*words, cwd=tmp_path, env=ENV)
        # Four runs' worth are more than half of it: of four, one has been dropped.
        endpoint.until(lambda: len(served.requests()) > sides * 4 * CALLS, "requests came")
        process.send_signal(how)
        ended = command.finish(process)
        stored, came = command.ask(tmp_path / "here.db", "SELECT count(*) FROM calls")[0][0], len(served.settled())
        again = command.run(*words, cwd=tmp_path, env=ENV)
        asked = served.asked()
    if how == signal.SIGINT:
        assert (ended.code, ended.board["outcome"]) == (130, None)
        assert ended.board["calls_bought"] == came == stored
    assert again.code == again.board["exit_code"] == 5, again.err
    assert sum(asked.values()) - len(asked) == came - stored <= sides * CALLS  # what was in flight when it was killed
    assert again.board["calls_bought"] == len(asked) - stored
    with endpoint.serving(tmp_path, name="other") as served:
        endpoint.models_file(tmp_path, served.base_url)
        straight = command.run(*words, "--db", "straight.db", cwd=tmp_path, env=ENV)
    assert bought(again) == bought(straight)
    assert len(asked) == straight.board["calls_bought"]


@pytest.mark.deep
def test_pairs_of_known_indices_are_never_turned_and_take_the_calls_that_are_said():
    """A few of `python -m benchmarks decide/command`."""
    found = decide_pairs.decide([pair for pair in decide_pairs.draw(200) if pair.number % 20 in (0, 1)])
    assert [one for one in found if one.printed != one.counted] == []
    apart = [one for one in found if one.pair.first != one.pair.second and one.outcome == "differ"]
    assert len(apart) > 2
    assert all(min(one.pair[1:]) == one.pair[1 + one.higher] for one in apart)  # who gives way less


# Nonsense

BARS = {
    "--within 0": "--within 0: write points of the index above 0 and at most 100",
    "--within -3": "--within -3: write points of the index above 0",
    "--within nan": "--within nan: write points of the index above 0",
    "--within 101": "--within 101: write points of the index above 0 and at most 100",
    "--max-runs 1": "--max-runs 1: write a number of runs from 2 to 1000",
    "--max-runs 1001": "--max-runs 1001: write a number of runs from 2 to 1000",
    "--max-cost 0": "--max-cost 0.0: write dollars above 0",
    "--suite sides": "a decision is about an index, and suite sides is read by `paired_sides`",
    "-t 9": "temperature 9.0 is outside 0 to 2",
}
COMPARE = {
    "": "compare what? Name a subject A",
    "sim/half": "`sim/half` against what?",
    "sim/half sim/never --against-variant blunt": "compare one thing at a time",
    "sim/half sim/never --suites toy,v2": "--suites compares two suites over all subjects; leave A out",
    "sim/half sim/never --until-decided": "No such option",
}
WITHOUT = {
    f"run -m sim/half,sim/never -j cues --runs 2 {words}": "add --until-decided"
    for words in ("--within 3", "--max-runs 3")
}
RUN = {
    "-m sim/half,sim/half": "a decision is between two subjects or more, or two conditions",
    "-m sim/half --variants plain": "a decision is between two subjects or more, or two conditions",
    "-m sim/half,sim/nevr": "did you mean `sim/never`?",
    "-m sim/half": "a decision is between two subjects or more, or two conditions; name more than one",
    "-m sim/half,sim/never,sim/always --delivery user_role,tool_role": "who is best is decided under one condition",
    **{
        f"-m sim/half,sim/never {plan}": "is not for runs that are bought until something is decided; leave it out"
        for plan in (
            "--runs 4", "--run-number 2", "--shard 1/2", "--no-judge", "-e course",
            "--scenarios 2",
        )
    },
    "-m sim/half,sim/never -j sim/judge": "a decision's interval goes by one judge, and these are 2; name one with -j",
    "-m sim/half,sim/never --within 0": "--within 0: write points of the index above 0",
}  # fmt: skip


def test_nonsense_is_one_sentence_and_nothing_is_asked_or_left_behind(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    run = "run --suite harbour -m sim/never --no-judge --runs 1 --db here.db --quiet"
    command.ok(*run.split(), cwd=tmp_path)
    kept = command.kept(tmp_path / "here.db")
    options = "--suite harbour -j cues --db here.db --until-decided"
    assert refusals.wrong(tmp_path, BARS, f"run -m sim/half,sim/never {options}") == {}
    assert refusals.wrong(tmp_path, COMPARE, "compare --suite harbour -j cues --db here.db") == {}
    assert refusals.wrong(tmp_path, RUN, f"run {options} best") == {}
    assert (
        refusals.wrong(tmp_path, {f"{line} --suite harbour --db here.db": says for line, says in WITHOUT.items()}) == {}
    )
    assert command.kept(tmp_path / "here.db") == kept
