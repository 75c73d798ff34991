from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from independence.suites import grid
from independence.suites.load import load
from independence.suites.schema import DerivedVariable, Grid, Rubric, Scenario, Side, Suite

from . import gridded

ROOT = Path(__file__).parent.parent.parent
RUBRIC = Rubric(prompt="{{transcript}} {{fields}}", fields={})
ROOMS = {"cold": {"air": "cold air"}, "warm": {"air": "warm air"}}


def small(**changes: object) -> Grid:
    """Two factors of two levels, two sides."""
    base = Grid(
        experiment="e", rubric="r", stance="s", factors={"room": ROOMS, "door": {"open": {}, "shut": {}}},
        sides={"host": Side(human="I am in. {{air}}."), "guest": Side(human="I am out. {{air}}.")},
        cell=("room", "door"),
    )  # fmt: skip
    return msgspec.structs.replace(base, **changes)


def said(made: tuple[Scenario, ...]) -> list[str]:
    return [scenario.turns[0].human for scenario in made]


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return load(str(gridded.write(tmp_path / "parcels"))).suite


def test_rows_follow_the_factors_the_last_fastest_and_sides_within() -> None:
    made = grid.scenarios(small(), {}, RUBRIC)
    assert [(*scenario.factors.values(), scenario.side) for scenario in made] == [
        (room, door, side) for room in ("cold", "warm") for door in ("open", "shut") for side in ("host", "guest")
    ]
    assert [scenario.id for scenario in made] == [f"00{row}" for row in range(8)]
    assert made[0].turns[0].id == "000_turn"


def test_a_scenario_has_its_cell_and_its_texts_filled_through_one_another(suite: Suite) -> None:
    cells = Counter(scenario.cell for scenario in suite.scenarios)
    assert cells["vase/packed"] == 2 * 3
    assert len(cells) == 3 * 2
    first = suite.scenarios[0]
    assert (first.title, first.experiment, first.rubric) == ("vase/packed, sender asks", "advice", "lean")
    assert first.vars == {
        "thing": "a vase", "room": "kitchen", "wrapping": "wrapped in straw", "opening": "a vase broke on the way.",
        "story": "a vase broke on the way. It was wrapped in straw.", "request": "Who pays?",
    }  # fmt: skip
    by_place = {(*s.factors.values(), s.side): s for s in suite.scenarios}
    assert said((by_place["clock", "unpacked", "long", "carrier"],)) == [
        "I carried it. On its way, a clock went to pieces. It had been without any wrapping, worth 40. Who pays?"
    ]
    assert by_place["vase", "packed", "short", "passer"].context == "Worth: 40"
    assert by_place["vase", "packed", "short", "sender"].context == ""


def test_levels_tables_and_variables_fill_what_is_said() -> None:
    draught = DerivedVariable(of=("door", "room"), table={
        "open,cold": "a gale", "open,warm": "a breeze", "shut,cold": "calm", "shut,warm": "calm",
    })  # fmt: skip
    sides = {"a": Side(human="{{door}}: {{draught}}"), "b": Side(human="{{v0}}?")}
    nested = {f"v{depth}": f"{{{{v{depth + 1}}}}}" for depth in range(9)} | {"v9": "The end"}
    made = said(grid.scenarios(small(derived={"draught": draught}, sides=sides), nested, RUBRIC))
    assert made[::2] == ["open: a gale", "shut: calm", "open: a breeze", "shut: calm"]
    assert made[1] == "The end?"


def test_scenarios_that_say_the_same_are_the_same_but_for_their_place() -> None:
    sides = {"host": Side(human="{{air}}, {{door}}"), "guest": Side(human="?"), "none": Side(human="{{door}}!")}
    made = grid.scenarios(small(sides=sides), {}, RUBRIC)
    cold, warm = (s for s in made if s.side == "none" and s.factors["door"] == "open")
    assert (cold.factors["room"], warm.factors["room"]) == ("cold", "warm")
    assert cold.vars == warm.vars
    assert cold.turns[0].human == warm.turns[0].human


def test_what_the_rubric_quotes_is_among_the_variables() -> None:
    rubric = msgspec.structs.replace(RUBRIC, prompt="{{door}} {{transcript}} {{fields}}")
    plain, graded = (grid.scenarios(small(), {}, one)[0].vars for one in (RUBRIC, rubric))
    assert "door" not in plain
    assert graded["door"] == "open"


def test_a_suites_variable_is_a_scenarios_only_where_the_scenario_fills_it() -> None:
    sides = {"a": Side(human="{{plain}} {{mixed}}"), "b": Side(human="?")}
    made = grid.scenarios(small(sides=sides), {"plain": "Listen.", "mixed": "It is {{door}}."}, RUBRIC)
    assert made[0].vars == {"door": "open", "mixed": "It is open.", "air": "cold air"}


def test_the_sides_beyond_the_parties_are_uninvolved() -> None:
    passer = Side(human="?")
    assert grid.uninvolved(small(sides={"a": passer, "b": passer, "passer": passer})) == ("passer",)
    assert grid.uninvolved(small()) == ()


def test_the_grid_in_the_guide_can_run(tmp_path: Path) -> None:
    snippets = re.findall(r"```yml\n(.*?)```", (ROOT / "docs/suites.md").read_text("utf-8"), re.DOTALL)
    snippet = next(one for one in snippets if "\ngrid:" in one)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "suite.yaml").write_text(snippet)
    (tmp_path / "prompts/plain.md").write_text("You give advice.")
    (tmp_path / "prompts/rubric.md").write_text("Read {{transcript}} about {{what}} and fill {{fields}}")
    made = load(str(tmp_path)).suite.scenarios
    assert len(made) == 2 * 2 * 2 * 3
    (text,) = said(made[3:4])
    assert text.startswith("I am the sender. While the carrier had it, a vase worth 40 broke. The sender had wrapped")
    assert text.endswith("in straw. That was on Monday. Who pays?")
