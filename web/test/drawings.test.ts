import { expect, it } from "vitest";
import { bars, forest, heatmap, histogram, profile } from "../src/charts/files";
import { heat } from "../src/charts/heat";
import { spanFrom } from "../src/charts/scale";

const TITLE = 'Index of <b>"A & B"</b>\u0007';
const span = spanFrom(0);
const DRAWINGS: readonly (readonly [string, string])[] = [
  ["forest", forest(TITLE, span, [{ label: "a <x>", shown: "50.0", value: 50, inner: [40, 60], outer: null, bounds: [50, 50] }])],
  ["forest of bounds", forest(TITLE, span, [{ label: "a", shown: "[1, 9]", value: null, inner: null, outer: null, bounds: [1, 9] }])],
  ["profile", profile(TITLE, [{ label: "a", value: null, low: 0.1, middle: 0.2, high: 0.3 }])],
  ["heatmap", heatmap(TITLE, ["one", "two"], [{ label: "a", shares: [1, null] }])],
  ["bar chart", bars(TITLE, [{ label: "<Lyra>", count: 3 }])],
  ["histogram", histogram(TITLE, [0, 3])],
];

it.each(DRAWINGS)("draws a %s as whole XML with its title and no reference to the page", (_, svg) => {
  const read = new DOMParser().parseFromString(svg, "image/svg+xml");
  expect(read.querySelector("parsererror")).toBeNull();
  expect(read.querySelector("title")?.textContent).toBe('Index of <b>"A & B"</b> ');
  expect(svg).not.toMatch(/var\(|class=|NaN|undefined/);
});

it("shows a heatmap's values and where none is", () => {
  expect(DRAWINGS[3]?.[1]).toMatch(/>100%<.*>—</);
});

it("draws a cell in the colour that the page has", () => {
  expect(heat(1).backgroundColor).toBe("var(--plot-heat-20)");
});
