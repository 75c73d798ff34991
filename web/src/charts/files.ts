// The charts of the pages as files of their own.
import { percent } from "../text/format";
import { at, ticks, type Span } from "./scale";
import { color, drawing, element, text } from "./svg";

type Ends = readonly [number, number];

/** One row of a forest plot. */
export interface ForestRow {
  readonly label: string;
  readonly shown: string;
  readonly value: number | null;
  readonly inner: Ends | null;
  readonly outer: Ends | null;
  readonly bounds: Ends;
}

const LABELS = 330; // pixels for names
const PLOT = 520;
const ROW = 22;
const TOP = 64;
const MUTED = { "font-size": 11 } as const;

function grid(span: Span, bottom: number, unit: string): readonly string[] {
  return ticks(span).flatMap((tick) => {
    const x = LABELS + (PLOT * at(span, tick)) / 100;
    return [
      element("line", { x1: x, x2: x, y1: TOP - 8, y2: bottom, stroke: color("faint") }),
      text(x, TOP - 14, `${tick}${unit}`, { ...MUTED, fill: color("muted"), "text-anchor": "middle" }),
    ];
  });
}

function bar(span: Span, ends: Ends, y: number, width: number, name: string): string {
  const [from, to] = ends.map((end) => LABELS + (PLOT * at(span, end)) / 100);
  return element("line", { x1: from ?? 0, x2: to ?? 0, y1: y, y2: y, stroke: color(name), "stroke-width": width });
}

/** Values with their intervals, one row each. */
export function forest(title: string, span: Span, rows: readonly ForestRow[]): string {
  const bottom = TOP + rows.length * ROW;
  const parts = rows.flatMap((row, place) => {
    const y = TOP + place * ROW + ROW / 2;
    const x = LABELS + (PLOT * at(span, row.value ?? 0)) / 100;
    return [
      text(16, y + 4, row.label),
      text(LABELS - 16, y + 4, row.shown, { "text-anchor": "end" }),
      row.outer === null ? "" : bar(span, row.outer, y, 1, "soft"),
      row.inner === null ? "" : bar(span, row.inner, y, 3.5, "accent"),
      row.value === null
        ? bar(span, row.bounds, y, 6, "open")
        : element("circle", { cx: x, cy: y, r: 4, fill: color(row.inner === null ? "paper" : "accent"), stroke: color("accent") }),
    ];
  });
  return drawing(title, LABELS + PLOT + 32, bottom + 16, [...grid(span, bottom, ""), ...parts]);
}

/** A subject's value beside the middle half of the field. */
export interface FieldRow {
  readonly label: string;
  readonly value: number | null;
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

const SHARES: Span = { low: 0, high: 100, step: 25 };

/** Shares beside those of the field, one row each. */
export function profile(title: string, rows: readonly FieldRow[]): string {
  const bottom = TOP + rows.length * ROW;
  const parts = rows.flatMap((row, place) => {
    const y = TOP + place * ROW + ROW / 2;
    const x = (share: number) => LABELS + PLOT * share;
    return [
      text(16, y + 4, row.label),
      bar(SHARES, [100 * row.low, 100 * row.high], y, 8, "faint"),
      element("line", { x1: x(row.middle), x2: x(row.middle), y1: y - 6, y2: y + 6, stroke: color("muted"), "stroke-width": 1.5 }),
      row.value === null ? "" : element("circle", { cx: x(row.value), cy: y, r: 4.5, fill: color("accent") }),
      text(LABELS + PLOT + 56, y + 4, row.value === null ? "—" : percent(row.value), { "text-anchor": "end" }),
    ];
  });
  return drawing(title, LABELS + PLOT + 72, bottom + 16, [...grid(SHARES, bottom, "%"), ...parts]);
}

/** A row of a heatmap. */
export interface HeatFileRow {
  readonly label: string;
  readonly shares: readonly (number | null)[];
}

const CELL = 46;
const HEADS = 210; // pixels for the heads, which stand on end
const STEPS = 20;

/** Shares as cells, darker where more is kept. */
export function heatmap(title: string, heads: readonly string[], rows: readonly HeatFileRow[]): string {
  const top = 40 + HEADS;
  const columns = heads.map((head, place) => {
    const x = LABELS + place * CELL + CELL / 2 + 4;
    return text(x, top - 8, head, { ...MUTED, fill: color("muted"), transform: `rotate(-90 ${x} ${top - 8})` });
  });
  const cells = rows.flatMap((row, line) => {
    const y = top + line * ROW;
    return [
      text(16, y + 15, row.label),
      ...row.shares.flatMap((share, place) => {
        const x = LABELS + place * CELL;
        const step = share === null ? 0 : Math.round(share * STEPS);
        const ink = share === null ? color("muted") : color(step > STEPS / 2 ? "on-deep" : "on-pale");
        return [
          share === null ? "" : element("rect", { x, y, width: CELL - 1, height: ROW - 1, fill: color(`heat-${step}`) }),
          text(x + CELL - 6, y + 15, share === null ? "—" : percent(share), { ...MUTED, fill: ink, "text-anchor": "end" }),
        ];
      }),
    ];
  });
  return drawing(title, LABELS + heads.length * CELL + 16, top + rows.length * ROW + 16, [...columns, ...cells]);
}

/** Counts by name, one bar each. */
export function bars(title: string, rows: readonly { readonly label: string; readonly count: number }[]): string {
  const most = Math.max(...rows.map((row) => row.count), 1);
  const parts = rows.flatMap((row, place) => {
    const [y, width] = [TOP - 16 + place * ROW, (PLOT * row.count) / most];
    return [
      text(16, y + 15, row.label),
      element("rect", { x: LABELS, y: y + 5, width, height: ROW - 10, fill: color("accent") }),
      text(LABELS + width + 6, y + 15, String(row.count), MUTED),
    ];
  });
  return drawing(title, LABELS + PLOT + 56, TOP + rows.length * ROW, parts);
}

const BAR = 52;
const HIGHEST = 160;

/** Counts by equal parts of a scale. */
export function histogram(title: string, counts: readonly number[]): string {
  const most = Math.max(...counts, 1);
  const floor = 60 + HIGHEST;
  const bars = counts.flatMap((count, place) => {
    const [x, height] = [24 + place * BAR, (HIGHEST * count) / most];
    return [
      element("rect", { x, y: floor - height, width: BAR - 4, height, fill: color("accent") }),
      text(x + BAR / 2 - 2, floor - height - 5, count === 0 ? "" : String(count), { ...MUTED, "text-anchor": "middle" }),
      text(x, floor + 16, percent(place / counts.length), { ...MUTED, fill: color("muted") }),
    ];
  });
  return drawing(title, 48 + counts.length * BAR, floor + 32, bars);
}
