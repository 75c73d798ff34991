import { expect, it } from "vitest";
import { masked, tellingNames } from "../src/features/rate/mask";
import { anchored } from "../src/features/rate/anchors";
import { disputedPlaces, judgedPlaces, notedPlaces, only, pairQueue, queue } from "../src/features/rate/queue";
import type { CellsDocument } from "../src/schema";

const CELLS: CellsDocument = {
  schema: 1,
  measure: "kept",
  scenarios: ["direct", "psych"],
  shares: Object.fromEntries(Array.from({ length: 8 }, (_, number) => [`s-00000${number}`, [[1, 0.5, null], [0, 1, 0.25]]])),
  means: {},
  totals: { rows: {}, columns: [], quartiles: [], row_order: [], column_order: [] },
};

it("draws the same session from the same seed, a fifth of it twice", () => {
  const all = judgedPlaces(CELLS);
  expect(all).toHaveLength(40);
  const session = queue(all, [], 20, 7);
  expect(session).toEqual(queue(all, [], 20, 7));
  expect(session).toHaveLength(20);
  const ids = session.map((place) => JSON.stringify(place));
  expect(new Set(ids.slice(0, 16)).size).toBe(16);
  expect(ids.slice(16).every((id) => ids.indexOf(id) < 16)).toBe(true);
});

it("takes half of a session from the largest disagreements", () => {
  const dialogues = Array.from({ length: 8 }, (_, number) => ({
    subject: `s-00000${number}`, scenario: "direct", run: 1, gap: 1, field: "x", counts: true, low_judge: "a", low: 0, high_judge: "b", high: 1,
  }));
  const session = queue(judgedPlaces(CELLS), disputedPlaces({ schema: 1, judges: ["a", "b"], shared: 8, dialogues }), 10, 3);
  const disputed = session.slice(0, 8).filter((place) => place.scenario === "direct" && place.run === 1);
  expect(disputed.length).toBeGreaterThanOrEqual(5);
});

it("pairs different subjects on one scenario", () => {
  for (const [one, other] of pairQueue(judgedPlaces(CELLS), 15, 2)) {
    expect(one.scenario).toBe(other.scenario);
    expect(one.slug).not.toBe(other.slug);
  }
});

it("hides who wrote a text", () => {
  const names = tellingNames([{ slug: "x", config: "x", label: "x", name: "x", mark: "x", model: "poolside/laguna-m.1", family: "laguna", runs: 1 }]);
  expect(masked("I am Laguna by Poolside, not Claude or GPT-5.", names)).toBe("I am ▮▮▮▮▮▮ by ▮▮▮▮▮▮▮▮, not ▮▮▮▮▮▮ or ▮▮▮-5.");
});

it("rates what was noted on this board, and no dialogue that is not there", () => {
  const note = { board: "b", subject: "s-000001", scenario: "direct", run: 1, item: "", text: "x", tags: ["odd"], at: "" };
  const notes = [note, { ...note, run: 2, tags: [] }, { ...note, board: "other" }, { ...note, run: 99 }];
  expect(notedPlaces(notes, "b", "tag:odd").map(({ run }) => run)).toEqual([1, 99]);
  const chosen = only(judgedPlaces(CELLS), notedPlaces(notes, "b", "notes"), 3);
  expect(chosen.map(({ run }) => run).toSorted()).toEqual([1, 2]);
});

it("tells the anchors of a scale from what it measures", () => {
  const about = "How far it is (2: as in 1: 1). 0: no self is described; or one is claimed. 3: helpful, with a taste. 10: a character.";
  expect(anchored(about)).toEqual({
    lead: "How far it is (2: as in 1: 1).",
    anchors: [["0", "No self is described; or one is claimed."], ["3", "Helpful, with a taste."], ["10", "A character."]],
  });
  expect(anchored("Whether it stays. true: it does. false: it goes.").anchors.map(([value]) => value)).toEqual(["true", "false"]);
  expect(anchored("No anchors at 10")).toEqual({ lead: "No anchors at 10", anchors: [] });
});
