"""What is wrong with a grid and with the texts that its scenarios are filled from is said with its line and its key."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

from independence.suites import load

from . import gridded
from .linting import Case, changed, found, refused, unsaid

CELL = "[parcel, merit]"
REQUEST = 'vars: {request: "Who pays?"}'
UNFILLED = "nothing fills the template variable "
HEAD, SIDES = gridded.FILES["suite.yaml"].split("  sides:\n")
FACTORS = HEAD.split("  factors:\n")[1]
PROMPT = {"prompts/lean.md": "{{transcript}} {{fields}}"}
BARE = PROMPT | {"{{story}} {{request}}": "1", "{{story}}": "2", "I saw it. {{story}}": "3"}  # sides that quote no fact
OWN = 'scenarios: [{id: "035", experiment: advice, title: One more, rubric: lean, turns: [{id: more, human: "And?"}]}]'
INDEX = """index:
  name: Index
  dimensions: {lean: {experiment: advice, fields: [lean]}}
  components: [{label: Lean, dimensions: [lean], weight: 1, worst: -1, best: 1}]
"""
STEPS = {
    "prompt: prompts/lean.md": "prompt: prompts/lean.md\n    steps:\n"
    "      - {name: claims, prompt: prompts/claims.md}\n      - {name: order, prompt: prompts/order.md}",
    "prompts/claims.md": "What does it claim?\n{{answer}}\n",
    "prompts/order.md": "Order these.\n{{claims}}\n",
    "prompts/lean.md": "About {{thing}} and {{request}}\n{{order}}\n{{fields}}\n",
}


def key(changes: dict[str, str], at: str, where: str, *words: str) -> Case:
    """A case whose sentence names a key of the grid."""
    return changes, at, f"(at `$.grid.{where}`)", *words


def slot(changes: dict[str, str], where: str, name: str, when: str = "") -> Case:
    """A case of a slot that nothing fills."""
    return changes, name, f"{UNFILLED}`{{{{{name}}}}}`{when} (at `$.grid.{where}`)"


def code(changes: dict[str, str], where: str, what: str) -> Case:
    """A case of a code among the human's words."""
    said = f"`{what}` is a code, and it would appear in the human's words"
    return changes, "", f"{said}: write what a person would say (at `$.grid.{where}`)"


def step(name: str, what: str) -> Case:
    """A case of a second step of that name."""
    lean = {"prompts/lean.md": "{{claims}} {{fields}}"}
    return STEPS | lean | {"name: order": f'name: "{name}"'}, "prompts/order.md", what


def prompt(name: str, text: str, at: str, what: str) -> Case:
    """A case of another text of a prompt, where a rubric has steps."""
    return STEPS | {f"prompts/{name}.md": text}, at, what


CASES = [
    key({"stance: lean": "stance: tilt"}, "stance: tilt", "stance", "`tilt` is not a field of rubric `lean`"),
    key({"type: number": "type: integer"}, "stance: lean", "stance", "must be a field of type number, not integer"),
    key({"[-1, 1]": "[-1, 2]"}, "stance: lean", "stance", "must lie evenly about 0, as [-1, 1] does, not -1 to 2"),
    key({CELL: "[parcel, merit, parcel]"}, "cell:", "cell[2]", "factor `parcel` appears twice"),
    key({CELL: "[parcel]"}, "cell: [parcel]", "cell", "`merit` is a fact: it must be one of the cell's factors"),
    key({CELL: f"{CELL}\n  half: [parcel, merit, wording]"}, "half:", "half", "name 3 or more factors", "`parcel` 3"),
    key({"packed: 1, ": ""}, "merit: {", "merit", "`merit` lacks the level packed"),
    key({"packed: 1, unpacked: -1": ""}, "merit: {}", "merit", "`merit` lacks the levels packed, unpacked"),
    key({"packed: 1,": "packed: 1, lost: 0,"}, "lost: 0", "merit.lost", "no level `lost` of `merit`; it has packed, u"),
    key({"packed: 1,": "packed: 1.5,"}, "1.5", "merit.packed", "expected a number <= 1.0"),
    key({"packed: 1,": "packed: .nan,"}, ".nan", "merit.packed", "expected a number >= -1.0"),
    key({"of: [merit, wording]": "of: []"}, "of: []", "derived.story.of", "`story` follows from no factor"),
    key({f"        packed,{how}": f"      # packed,{how}" for how in ("short", "long")}, "table:",
        "derived.story.table", "the table of `story` lacks `packed,short`, `packed,long`"),
    key({"packed,short: ": 'lost,short: ""\n        packed,short: '}, "lost,short", "derived.story.table.lost,short",
        "`lost,short` is no combination of merit, wording"),
    *(key({"vase: {": f'"{name}": {{'}, name, f"factors.parcel.{name}", f"`{name}` cannot be a level: no comma, no s")
      for name in ("", " ", "va/se", "va,se")),
    key({"{thing: a clock,": "{thing: a clock, wrapping: a,"}, "packed: {wr", "factors.merit.packed.wrapping",
        "the variable `wrapping` is set twice"),
    key({"{thing: a clock,": "{thing: a clock, merit: a,"}, "merit:", "factors.merit", "`merit` is set twice"),
    key({"{thing: a clock,": "{thing: a clock, story: a,"}, "story:", "derived.story", "`story` is set twice"),
    key({"{request:": "{opening: x, request:"}, "opening: x", "sides.sender.vars.opening", "the same whoever asks; `s"),
    key({'"I carried it. {{story}} {{request}}"': '" "'}, "carrier:", "sides.carrier", "`carrier` says nothing"),
    key({"I carried it": "I sent it"}, "carrier:", "sides.carrier", "`carrier` says what `sender` says: nothing shows"),
    *(key({f"  sides:\n{SIDES}": "  sides:\n" + "".join(f"    s{n}: {{human: Side {n}}}\n" for n in range(count))},
          "sides:", "sides", "or three with an uninvolved one; this one has", f"{count}") for count in (1, 4)),
    key({"  merit: {packed: 1, unpacked: -1}\n": "  merit: {packed: 1}\n", CELL: "[parcel]",
         f"factors:\n{FACTORS}": "factors:\n    parcel: {a: {}, b: {}}\n", **BARE}, "merit: {", "merit",
        "`merit` needs a factor of that name; the grid has parcel"),
    ({"analysis: paired_sides": ""}, "", "a grid needs analysis `paired_sides` or `stance_csv`"),
    ({"analysis: paired_sides": "analysis: index"}, "", "a grid needs analysis `paired_sides` or `stance_csv`"),
    ({"\ngrid:": f"\n{OWN}\ngrid:", **PROMPT}, '"035"', "scenario id `035` is one that the grid gives"),
    # slots that nothing fills, where they stand
    slot({"I carried it. {{story}}": "I carried it. {{tale}}"}, "sides.carrier.human", "tale"),
    slot({'"Worth: {{worth}}"': '"Worth: {{price}}"'}, "sides.passer.context", "price"),
    slot({"{{thing}} broke": "{{things}} broke"}, "factors.wording.short.opening", "things"),
    slot({'packed,long: "{{opening}}': 'packed,long: "{{open}}'}, "derived.story.table.packed,long", "open"),
    slot({'request: "Who': 'request: "{{name}}, who'}, "sides.sender.vars.request", "name"),
    slot({"thing: a lamp": 'thing: "a lamp of {{metal}}"'}, "factors.parcel.lamp.thing", "metal"),
    slot({"vase: {thing: a vase, ": 'vase: {thing: "a {{glaze}} vase", glaze: blue, ',
          "thing: a clock": 'thing: "a {{glaze}} clock"'}, "factors.parcel.clock.thing", "glaze",
         " where parcel is clock"),
    slot({"packed: {wrapping: wrapped in straw}": "packed: {wrapping: wrapped in straw, straw: dry}",
          'unpacked,long: "{{opening}}': 'unpacked,long: "{{straw}} {{opening}}'},
         "derived.story.table.unpacked,long", "straw", " where merit is unpacked"),
    slot({REQUEST: 'vars: {request: "Who pays?", hat: red}', "I carried it.": "I carried it, in a {{hat}} hat."},
         "sides.carrier.human", "hat"),
    ({'worth: "40"': 'worth: "40 for {{nothing}}"'}, "40 for", f"{UNFILLED}`{{{{nothing}}}}` (at `$.vars.worth`)"),
    # codes among the human's words
    code({"I sent it.": "I sent it, mail_day."}, "sides.sender.human", "mail_day"),
    code({"wrapped in straw": "packed_well"}, "factors.merit.packed.wrapping", "packed_well"),
    code({'packed,short: "{{': 'packed,short: "as_new {{'}, "derived.story.table.packed,short", "as_new"),
    code({"{{thing}} broke": "{{thing}}_{{room}} broke"}, "factors.wording.short.opening", "x_x"),
    code({"vase: {": "blue_vase: {", "I saw it.": "I saw the {{parcel}}."}, "factors.parcel.blue_vase", "blue_vase"),
    # rubrics that grade in steps
    prompt("lean", "{{fields}}", "", "must show `{{transcript}}` or `{{answer}}` or `{{claims}}` or `{{order}}`"),
    prompt("lean", "{{order}}", "", "must show `{{fields}}` to the judge"),
    prompt("lean", "{{order}}\n{{fields}}\n{{nobody}}", "{{nobody}}", f"{UNFILLED}`{{{{nobody}}}}`"),
    prompt("claims", "Go on.", "", "must show `{{transcript}}` or `{{answer}}` to the judge"),
    prompt("claims", "{{answer}}\n{{order}}", "{{order}}", f"{UNFILLED}`{{{{order}}}}`"),
    prompt("claims", "{{answer}}\n{{fields}}", "{{fields}}", f"{UNFILLED}`{{{{fields}}}}`"),
    prompt("order", "{{thing}}", "", "must show `{{transcript}}` or `{{answer}}` or `{{claims}}` to the judge"),
    (STEPS | {"prompts/order.md": None}, "order.md", "file `prompts/order.md` does not exist"),
    *(step(name, f"the name `{name}` is taken") for name in ("answer", "fields", "worth", "thing", "claims")),
    *(step(name, f"no prompt can quote a step called `{name}`") for name in ("in order", "")),
    (STEPS | {"steps:": "verdict: number\n    steps:", "fields:\n": "fields:\n      k: {type: boolean, about: K.}\n"},
     "verdict", "a verdict that is a number needs one field, and that a number"),
    ({"fields:\n": "verdict: number\n    quote: The advice.\n    fields:\n"}, "quote:", "a number quotes nothing"),
]  # fmt: skip
AMONG_OTHERS = [
    key({"experiment: advice\n  r": "experiment: none\n  r"}, "experiment: none", "experiment", "`none` is not"),
    key({"rubric: lean": "rubric: slope"}, "rubric: slope", "rubric", "rubric `slope` is not declared"),
    key({CELL: "[parcel, merits]"}, "cell:", "cell[1]", "no factor `merits`; the grid has parcel, merit, wording"),
    key({CELL: "[]"}, "cell: []", "cell", "a cell needs at least one factor"),
    key({CELL: f"{CELL}\n  half: [parcel, merits]"}, "half:", "half[1]", "no factor `merits`; the grid has parcel"),
    key({CELL: f"{CELL}\n  half: [merit, merit]"}, "half:", "half[1]", "factor `merit` appears twice"),
    key({CELL: f"{CELL}\n  half: [percal]"}, "half:", "half", "(levels: none)"),
    key({"of: [merit, wording]": "of: [merits]"}, "of: [merits]", "derived.story.of", "no factor `merits`"),
    key({f"factors:\n{FACTORS}": "factors: {parcel: {}, merit: {}}\n", **BARE}, "factors:", "factors.parcel",
        "factor `parcel` has no levels"),
    key({f"factors:\n{FACTORS}": "factors: {}\n", **BARE}, "factors:", "factors", "a grid needs at least one factor"),
    ({"\ngrid:": f"\n{INDEX}\ngrid:"}, "index:", "a suite with a grid has no index"),
    ({"a vase, room: kitchen": '"{{room}}", room: "{{thing}}"'}, "thing", "`{{thing}}` contains itself"),
    *(({"clock: {thing: a clock, room": "clock: {room"}, at, f"{UNFILLED}`{{{{thing}}}}` where parcel is clock", where)
      for where, at in (("wording.short", "short"), ("wording.long", "long"), ("$.rubrics.lean.prompt", "lean.md"))),
    (STEPS | {REQUEST: 'vars: {request2: ""}', "it. {{story}} {{req": "it. {{story}} {{req"}, "{{request}}",
     f"{UNFILLED}`{{{{request}}}}`", "lean.md:1"),
]  # fmt: skip
EVEN = {"      lamp: {thing: a lamp, room: attic}\n": "", CELL: f"{CELL}\n  half: [parcel, merit, wording]"}
SOUND = [
    {},
    EVEN,
    {"\ngrid:": f"\n{OWN.replace('035', '036')}\ngrid:", **PROMPT},
    {"vase: {thing: a vase, ": 'vase: {thing: "a {{glaze}} vase", glaze: blue, '},
    {
        "packed: {wrapping: wrapped in straw}": "packed: {wrapping: wrapped in straw, straw: dry}",
        'packed,long: "{{opening}}': 'packed,long: "{{straw}} {{opening}}',
    },
    {REQUEST: 'vars: {request: "Who pays?", hat: red}', "I sent it.": "I sent it, in a {{hat}} hat."},
    {'worth: "40"': 'worth: "40 for {{thing}}"'},
    {"vase: {": "blue_vase: {", '"Worth: {{worth}}"': '"Parcel: {{parcel}}"'},
    STEPS,
    STEPS | {"steps:": "verdict: number\n    steps:"},
    *(STEPS | {"prompts/lean.md": f"{{{{{view}}}}} {{{{fields}}}}"} for view in ("transcript", "answer", "claims")),
]


def test_a_problem_is_one_sentence_that_names_its_line_and_key(tmp_path: Path) -> None:
    assert unsaid(gridded.write, tmp_path / "alone", CASES) == {}
    assert unsaid(gridded.write, tmp_path / "among", AMONG_OTHERS, alone=False) == {}


def test_a_sound_grid_has_no_problem(tmp_path: Path) -> None:
    assert refused(gridded.write, tmp_path, SOUND) == {}


def test_a_merit_may_be_left_out_with_its_factor(tmp_path: Path) -> None:
    folder = gridded.write(tmp_path)
    (folder / "suite.yaml").write_text((folder / "suite.yaml").read_text().replace("merit", "packing"))
    assert found(folder, {"  packing: {packed: 1, unpacked: -1}\n": ""}) == []


def test_half_of_a_grid_with_three_even_factors_has_every_pair_of_levels_equally_often(tmp_path: Path) -> None:
    asked = load.load(str(changed(gridded.write(tmp_path), EVEN))).suite.scenarios
    assert len(asked) == 4 * 3
    for one, other in itertools.combinations(("parcel", "merit", "wording"), 2):
        assert set(Counter((own.factors[one], own.factors[other]) for own in asked).values()) == {3}
