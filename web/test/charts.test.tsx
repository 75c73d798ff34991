import { fireEvent, render } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { Chart } from "../src/charts/Chart";
import { draw, sheet, type ChartSpec } from "../src/charts/draw";
import { diverging, heat } from "../src/charts/heat";
import { textWidth } from "../src/charts/paint";
import { chartSvg } from "../src/charts/save";

const HOSTILE = 'a <b>"A & B"</b>\u0007';
const about = (id: string) => ({ id, title: HOSTILE, caption: "What it shows." });
const INDEX = { head: "Index", kind: "index", span: [50, 100] } as const;

const intervals: ChartSpec = {
  ...about("intervals"),
  kind: "intervals",
  scales: [INDEX],
  rows: [
    { label: "one", subject: "one-1", tier: 1, values: [{ value: 100, inner: [98, 100], outer: [75, 100] }] },
    { label: "two", subject: "two-2", tier: 2, simulated: true, values: [{ value: 75 }] },
    { label: "three", subject: "three-3", tier: 2, partial: true, values: [{ bounds: [40, 75] }] },
    { label: HOSTILE, subject: "four-4", values: [{ value: 50 }] },
  ],
};
const heatmap: ChartSpec = {
  ...about("heat"),
  kind: "heat",
  colours: "kept",
  scale: { head: "kept", kind: "percent", span: [0, 1] },
  columns: [{ label: "rs01", group: "a", scenario: "rs01" }, { label: "rs02", group: "b", scenario: "rs02" }, { label: "rs03", group: "b", scenario: "rs03" }],
  rows: [{ label: "one", subject: "one-1", values: [1, 0.5, 0] }, { label: HOSTILE, subject: "two-2", values: [0.999, null, 0.25] }],
};
const scatter: ChartSpec = {
  ...about("scatter"),
  kind: "scatter",
  log: true,
  at_zero: "free",
  x: { head: "Dollars", kind: "dollars", span: [0.1, 10], digits: 4 },
  y: INDEX,
  frontier: [3, 0],
  points: [
    { label: "dear", subject: "dear-1", x: 10, y: 100 },
    { label: "middle", subject: "middle-2", x: 1, y: 75 },
    { label: "cheap", subject: "cheap-3", x: 0.1, y: 50 },
    { label: HOSTILE, subject: "free-4", x: 0, y: 90 },
  ],
};
const SHARE = { kind: "percent", span: [0, 1] } as const;
const plane: ChartSpec = {
  ...about("plane"),
  kind: "plane",
  x: { head: "FA", ...SHARE },
  y: { head: "H", ...SHARE },
  quantity: "J",
  levels: [-0.5, 0, 0.5],
  corners: ["moved by reasons", "moves when asked", "does not move", "the other way round"],
  points: [
    { label: "brick", subject: "brick-1", simulated: true, x: 0, y: 0, x_ci: [0, 0.2], y_ci: [0, 0.3] },
    { label: "conceder", subject: "conceder-2", simulated: true, x: 0, y: 0 },
    { label: HOSTILE, subject: "three-3", x: 0.25, y: 0.75, ellipse: { x: 0.3, y: 0.7, first: 0.2, second: 0.1, degrees: 45 }, says: "J +0.50" },
    { label: "mirror", subject: "mirror-4", x: 1, y: 1 },
  ],
};
const lines: ChartSpec = {
  ...about("lines"),
  kind: "lines",
  x: { head: "merit", kind: "signed", span: [-1, 1] },
  y: { head: "stance", kind: "signed", digits: 2, span: [-1, 1], zero: true },
  series: ["first asks", "second asks", "mean of both", "nobody asks"],
  panels: [{ label: HOSTILE, subject: "one-1", xs: [-1, 0, 1], values: [[-1, 0, 1], [-0.5, -0.5, null], [0, 0, 0], [null, 0, null]], says: "S +0.10" }],
};
const bars: ChartSpec = { ...about("bars"), kind: "bars", head: "runs", bars: [{ label: "Lyra", count: 4 }, { label: HOSTILE, count: 1 }] };
const upright: ChartSpec = {
  ...about("upright"),
  kind: "bars",
  head: "dialogues",
  upright: true,
  bars: [{ label: "0–50%", count: 1, ends: [0, 0.5] }, { label: "50–100%", count: 3, ends: [0.5, 1] }],
};
const ALL: readonly ChartSpec[] = [intervals, heatmap, scatter, plane, lines, bars, upright];

function drawn(chart: ChartSpec, width = 880): HTMLElement {
  return render(<svg>{draw(chart, width).body}</svg>).container;
}

function numbers(elements: Iterable<Element>, name: string): readonly number[] {
  return [...elements].map((element) => Number(element.getAttribute(name)));
}

beforeEach(() => {
  sessionStorage.clear();
  window.location.hash = "";
});

it("puts values where they lie on their scale", () => {
  const dots = drawn(intervals).querySelectorAll("[data-row] circle");
  const [one = 0, two = 0, last = 0] = numbers(dots, "cx");
  expect(one - two).toBeCloseTo(two - last, 1);
  const [thin] = drawn(intervals).querySelectorAll('[data-row="0"] line');
  expect(numbers([thin ?? new Image()], "x1")[0]).toBeCloseTo(two, 1);
  expect(dots[1]?.getAttribute("fill")).toBe("var(--plot-paper)");
  expect(drawn(intervals).querySelectorAll('[data-row="2"] [stroke="var(--plot-open)"]').length).toBeGreaterThan(2);
});

it("inks what was lost and strikes out what is missing", () => {
  const fills = [...drawn(heatmap).querySelectorAll("[data-row] rect")].map((cell) => cell.getAttribute("fill"));
  expect(fills).toEqual(["heat-0", "heat-5", "heat-10", "heat-1", "heat-8"].map((name) => `var(--plot-${name})`));
  expect(drawn(heatmap).querySelectorAll("[data-row] path")).toHaveLength(1);
  expect(heat(0).backgroundColor).toBe("var(--plot-heat-0)");
  expect([diverging(-1), diverging(0), diverging(0.5)].map((style) => style.backgroundColor)).toEqual(["var(--plot-cool-10)", "var(--plot-heat-0)", "var(--plot-heat-5)"]);
});

it("puts dots on a logarithmic scale and free ones left of every price", () => {
  const dots = drawn(scatter).querySelectorAll("[data-row] circle");
  const [dear = 0, middle = 0, cheap = 0, free = 0] = numbers(dots, "cx");
  expect(dear - middle).toBeCloseTo(middle - cheap, 1);
  expect(free).toBeLessThan(cheap - 30);
  const [high = 0, half = 0, low = 0] = numbers(dots, "cy");
  expect(half - high).toBeCloseTo(low - half, 1);
  expect(drawn(scatter).querySelectorAll('path[stroke-dasharray="4 3"]')).toHaveLength(1);
});

it("writes no name of a dot over another one, a dot or the edge", () => {
  const points = Array.from({ length: 80 }, (_, n) => ({ label: `vendor/model-${n}@low`, x: 10 ** (((n * 37) % 80) / 40 - 1), y: 60 + ((n * 53) % 40) }));
  for (const width of [358, 880]) {
    const body = drawn({ ...scatter, frontier: [], points }, width);
    const dots = [...body.querySelectorAll("[data-row] circle")].map((dot) => numbers([dot], "cx").concat(numbers([dot], "cy")));
    const names = [...body.querySelectorAll("text")].filter((text) => text.textContent.includes("ven"));
    expect(names.length).toBeGreaterThan(width === 880 ? 8 : 0);
    const boxes = names.map((name) => {
      const [left = 0] = numbers([name], "x");
      return { left, right: left + textWidth(name.textContent, 11), y: numbers([name], "y")[0] ?? 0 };
    });
    boxes.forEach((box, place) => {
      expect(box.right).toBeLessThanOrEqual(width);
      expect(dots.filter(([x = 0, y = 0]) => x + 4 > box.left && x - 4 < box.right && Math.abs(y - box.y) < 8)).toEqual([]);
      expect(boxes.slice(place + 1).filter((other) => other.left < box.right && box.left < other.right && Math.abs(other.y - box.y) < 12)).toEqual([]);
    });
  }
});

it("puts shares in a square in which equal differences lie on one line, and dots of one place below one another", () => {
  for (const width of [358, 880]) {
    const body = drawn(plane, width);
    const dots = [...body.querySelectorAll("[data-row] circle")];
    const [[brick = 0, conceder = 0, middle = 0, mirror = 0], across] = [numbers(dots, "cy"), numbers(dots, "cx")];
    expect(across[0]).toBe(across[1]);
    expect(Math.abs(brick - conceder)).toBeGreaterThan(8); // no dot hides another
    expect((across[3] ?? 0) - (across[0] ?? 0)).toBeCloseTo(Math.max(brick, conceder) - mirror, 1); // the square is one
    const [line] = body.querySelectorAll('[data-level="0.5"] line');
    const [[x1 = 0], [y1 = 0], [x2 = 0], [y2 = 0]] = ["x1", "y1", "x2", "y2"].map((name) => numbers(line === undefined ? [] : [line], name)) as [number[], number[], number[], number[]];
    expect((middle - y1) * (x2 - x1)).toBeCloseTo((y2 - y1) * ((across[2] ?? 0) - x1), 1); // J of .75 and .25 is .5
    const names = [...body.querySelectorAll("text")].map((text) => text.textContent);
    expect(names).toEqual(expect.arrayContaining(["brick", "conceder", "mirror", "does not move", "J +0.5"]));
  }
});

it("draws the region of a dot, or else its two intervals", () => {
  const body = drawn(plane);
  expect(body.querySelectorAll("ellipse")).toHaveLength(1);
  expect(body.querySelector("ellipse")?.getAttribute("transform")).toBe(`rotate(-45 0.3 ${1 - 0.7})`);
  expect([...body.querySelectorAll("[data-row]")].map((row) => row.querySelectorAll("line").length)).toEqual([2, 0, 0, 0]);
});

it("joins the values of a series and leaves out what is missing", () => {
  const [first, second, mean] = [...drawn(lines).querySelectorAll("polyline")].map((line) => (line.getAttribute("points") ?? "").split(" ").map((pair) => pair.split(",").map(Number)));
  expect([first?.length, second?.length, mean?.length]).toEqual([3, 2, 3]);
  const [low = 0, middle = 0, high = 0] = (first ?? []).map(([, y]) => y ?? 0);
  expect(low - middle).toBeCloseTo(middle - high, 1);
  expect(new Set(mean?.map(([, y]) => y))).toEqual(new Set([middle]));
  expect(drawn(lines).querySelectorAll("circle")).toHaveLength(2); // the one point of the last series, and in the legend
});

it("makes bars as long as their counts", () => {
  const [four = 0, one = 0] = numbers(drawn(bars).querySelectorAll("[data-row] rect"), "width");
  expect(four).toBeCloseTo(4 * one, 1);
  const [low = 0, high = 0] = numbers(drawn(upright).querySelectorAll("[data-row] rect"), "height");
  expect(high).toBeCloseTo(3 * low, 1);
});

it.each(ALL)("keeps $kind ($id) within a phone", (chart) => {
  const body = drawn(chart, 358);
  for (const text of body.querySelectorAll("text:not([transform])")) {
    const room = textWidth(text.textContent, Number(text.getAttribute("font-size")));
    const x = Number(text.getAttribute("x"));
    const anchor = text.getAttribute("text-anchor");
    const left = anchor === "end" ? x - room : anchor === "middle" ? x - room / 2 : x;
    expect([text.textContent, left >= -12, left + room <= 375]).toEqual([text.textContent, true, true]);
  }
});

it.each(ALL)("saves $kind ($id) as whole XML in the colours of the page", (chart) => {
  for (const [paper, ink] of [["#ffffff", "#1b2430"], ["#14181f", "#e7ebf1"]] as const) {
    document.documentElement.style.setProperty("--plot-paper", paper);
    document.documentElement.style.setProperty("--plot-ink", ink);
    const svg = chartSvg(chart);
    const read = new DOMParser().parseFromString(svg, "image/svg+xml");
    expect(read.querySelector("parsererror")).toBeNull();
    expect(read.querySelector("title")?.textContent).toBe('a <b>"A & B"</b> ');
    expect(read.documentElement.textContent).toContain("What it shows.");
    expect(svg).toContain(`fill="${paper}"`);
    expect(svg).toContain(`fill="${ink}"`);
    expect(svg).not.toMatch(/var\(|class=|NaN|undefined/);
    expect(svg).toContain("font-family=");
  }
});

it("gives every number as a table", () => {
  expect(sheet(intervals).rows[0]).toEqual(["one", 1, 100, [98, 100], [75, 100], null]);
  expect(sheet(intervals).columns.map(({ key }) => key)).toEqual(["label", "tier", "value", "inner", "outer", "bounds"]);
  expect(sheet(heatmap).rows[1]).toEqual([HOSTILE, 0.999, null, 0.25]);
  expect(sheet(scatter).rows[3]).toEqual([HOSTILE, 0, 90, true]);
  expect(sheet(plane).rows.slice(0, 3)).toEqual([
    ["brick", 0, [0, 0.3], 0, [0, 0.2], null, null, null, null, null],
    ["conceder", 0, null, 0, null, null, null, null, null, null],
    [HOSTILE, 0.75, null, 0.25, null, 0.3, 0.7, 0.2, 0.1, 45],
  ]);
  expect(sheet(lines).rows).toEqual([[HOSTILE, -1, -1, -0.5, 0, null], [HOSTILE, 0, 0, -0.5, 0, 0], [HOSTILE, 1, 1, null, 0, null]]);
  expect(sheet(upright).rows).toEqual([[0, 0.5, 1], [0.5, 1, 3]]);
});

function shown(chart: ChartSpec) {
  const { container } = render(<Chart chart={chart} />);
  const area = container.querySelector<HTMLElement>('[role="group"]');
  if (area === null) throw new Error("no chart");
  const place = (mark: number) => {
    const { x, y, width, height } = draw(chart, 880).marks[mark] ?? { x: 0, y: 0, width: 0, height: 0 };
    return { clientX: x + width / 2, clientY: y + height / 2 };
  };
  const tip = () => container.querySelector('[role="status"] .font-semibold')?.parentElement?.textContent ?? "";
  return { area, place, tip };
}

it.each([
  [intervals, 0, "oneIndex 100.0, interval 98.0–100.0over scenarios like these 75.0–100.0tier 1", "#/m/one-1"],
  [heatmap, 4, "oners01: 100% kept", "#/m/one-1/r/1/rs01"],
  [heatmap, 0, "rs01a", "#/s/rs01"],
  [scatter, 1, "middleIndex 75.0$1.0000 (Dollars)", "#/m/middle-2"],
  [plane, 2, `${HOSTILE}H 75%FA 25%J +0.50`, "#/m/three-3"],
  [plane, 0, "brickH 0%, 0% to 30%FA 0%, 0% to 20%simulated", "#/m/brick-1"],
  [lines, 0, `${HOSTILE}S +0.10merit -1: first asks -1.00`, "#/m/one-1"],
  [bars, 0, "Lyra4 runs", ""],
])("tells the numbers of a mark and opens its page (%#)", (chart, mark, says, page) => {
  const { area, place, tip } = shown(chart);
  fireEvent.pointerMove(area, place(mark));
  expect(tip()).toContain(says);
  fireEvent.pointerUp(area, place(mark));
  expect(window.location.hash).toBe(page);
});

it("is walked with the arrow keys", () => {
  const { area, tip } = shown(intervals);
  fireEvent.keyDown(area, { key: "ArrowDown" });
  fireEvent.keyDown(area, { key: "ArrowDown" });
  expect(tip()).toContain("two");
  fireEvent.keyDown(area, { key: "Enter" });
  expect(window.location.hash).toBe("#/m/two-2");
});

it.each([
  [intervals, 0, 1, ["one-1", "two-2"]],
  [scatter, 0, 1, ["dear-1", "middle-2"]],
])("sets aside to compare what is dragged over (%#)", (chart, from, to, slugs) => {
  const { area, place } = shown(chart);
  const grown = (mark: number, by: number) => ({ clientX: place(mark).clientX + by, clientY: place(mark).clientY - (mark === from ? 3 : -3) });
  fireEvent.pointerDown(area, { ...grown(from, 3), button: 0 });
  fireEvent.pointerMove(area, grown(to, -3));
  fireEvent.pointerUp(area, grown(to, -3));
  expect(JSON.parse(sessionStorage.getItem("independence.compare") ?? "[]")).toEqual(slugs);
  expect(window.location.hash).toBe("");
});
