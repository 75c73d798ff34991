import { expect, it } from "vitest";
import { ordered, type HeatEntry } from "../src/features/heatmap/order";

const VALUES: Readonly<Record<string, number | null>> = { a: 0.5, b: null, c: 0.1, d: 0.9 };
const ENTRIES: readonly HeatEntry[] = Object.keys(VALUES).map((key, place) => ({ key, label: `label ${9 - place}`, to: "", mean: VALUES[key] ?? null, spread: place === 0 ? null : place }));

function keys(by: string, direction: "asc" | "desc", similar: readonly string[] = []): string {
  return ordered(ENTRIES, by, direction, similar, (key) => VALUES[key] ?? null).map(({ key }) => key).join("");
}

it("puts what is absent last in both directions", () => {
  expect([keys("scenario", "asc"), keys("scenario", "desc")]).toEqual(["cadb", "dacb"]);
  expect([keys("mean", "asc"), keys("spread", "desc")]).toEqual(["cadb", "dcba"]);
});

it("sorts by name and by likeness, and turns the usual order round", () => {
  expect([keys("", "asc"), keys("", "desc"), keys("name", "asc")]).toEqual(["abcd", "dcba", "dcba"]);
  expect(keys("similar", "asc", ["d", "b", "a", "c"])).toBe("dbac");
});
