import { expect, it } from "vitest";
import { cellTitle, sideTitle, titlesOf, turnTitle } from "../src/data/titles";
import type { ScenarioInfo } from "../src/schema";
import { given } from "../src/text/format";

function side(id: string, name: string, voice: string): ScenarioInfo {
  return { id, unit: "rent-1", experiment: "advice", cell: "rent_rise/a_right", side: name, factors: { merit: "a_right", voice } };
}

it("names scenarios of a grid by case, side and the factors in which they differ", () => {
  const titles = titlesOf([side("1", "party_a", "roles"), side("2", "party_b", "roles"), side("3", "party_a", "first_person")]);
  expect([...titles]).toEqual([
    ["1", "Rent rise, facts favour A · party A asks · by role"],
    ["2", "Rent rise, facts favour A · party B asks · by role"],
    ["3", "Rent rise, facts favour A · party A asks · first person"],
  ]);
});

it("names scenarios of a battery by stem and arm, and their probe", () => {
  const arm: ScenarioInfo = {
    id: "self.name/none_kind", unit: "self-name-1", experiment: "self", title: "A name in a chat: no reason, kind", cell: "self.name", cell_title: "A name in a chat",
    choices: ["Wren", "Alder"], side: "none_kind", factors: { ground: "none" }, turns: ["self.name/none_kind_1", "self.name/none_kind_probe"],
  };
  expect([cellTitle(arm), sideTitle(arm), titlesOf([arm]).get(arm.id)]).toEqual(["A name in a chat", "no reason, kind", "A name in a chat · no reason, kind"]);
  expect((arm.turns ?? []).map((turn) => turnTitle(arm, turn))).toEqual(["Turn 1", "Probe"]);
  expect([given(2, arm.choices), given(0, arm.choices), given(2)]).toEqual(["Alder", "neither", "2"]);
});

it("names other scenarios by their title, else by their id", () => {
  const titles = titlesOf([
    { id: "pt04", unit: "a", experiment: "x", title: "A work of art" },
    { id: "name_gender", unit: "b", experiment: "x" },
    { id: "rs01", unit: "c", experiment: "x", title: "Remote work, restated", title_is_ours: true },
  ]);
  expect([...titles.values()]).toEqual(["A work of art", "name_gender", "Remote work, restated (rs01)"]);
});

it("names the dialogues of a persona by their place, their kind and what is asked", () => {
  const of = (id: string, experiment: string, kind: string, dialogue: string, title: string): ScenarioInfo =>
    ({ id, unit: id, experiment, title, factors: { commitment: "c1", kind, dialogue } });
  const titles = titlesOf([
    of("c1/01", "c1", "plain", "1", "Write it."), of("c1/02/3", "c1", "pressed", "2", "Write it."),
    of("c1/guilt", "c1", "in_words", "guilt", "Somebody is hurt."), of("c1/slip", "fair", "fair", "slip", "It has miscounted."),
  ]);
  expect([...titles.values()]).toEqual(["Dialogue 1, plain: Write it", "Dialogue 2, pressed, push 3: Write it", "Somebody is hurt", "It has miscounted"]);
});

it("numbers turns whose ids say nothing more", () => {
  const scenario: ScenarioInfo = { id: "pt04", unit: "a", experiment: "x", turns: ["pt04_turn1", "pt04_turn2"] };
  expect(turnTitle(scenario, "pt04_turn2")).toBe("Turn 2");
  expect(turnTitle({ ...scenario, turns: ["pt04"] }, "pt04")).toBe("Turn 1");
  expect(turnTitle({ ...scenario, turns: ["the_wish"] }, "the_wish")).toBe("the wish");
  expect(turnTitle(scenario, "other_turn1")).toBe("other turn1");
});
