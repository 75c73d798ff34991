import type { ReactNode } from "react";
import type { IntervalRow, Intervals, Scale } from "../schema";
import { asText, fit, fitNames, NARROW, niceTicks, paint, textWidth, tickText, Words, type Drawing, type Mark } from "./paint";
import { EstimateShape } from "./shapes";

const ROW = 22;
const HEAD = 30; // of a scale and its numbers
const LINE = 15; // of what lies at its ends
const TIERS = 34;
const GAP = 18;
const REPEAT_FROM = 25; // rows from which the numbers of an axis stand below as well
const SMALL = 11;

const NO_SCALE: Scale = { head: "", kind: "number", span: [0, 1] };

interface Block {
  readonly body: ReactNode;
  readonly marks: readonly Mark[];
  readonly height: number;
}

/** What a row says of each scale. */
function saysOf(chart: Intervals, row: IntervalRow): readonly string[] {
  const says = chart.scales.flatMap((scale, place) => {
    const { value = null, inner = null, outer = null, bounds = null, field = null, others = [] } = row.values[place] ?? {};
    const named = chart.marks?.[0] ?? scale.head;
    const first = value === null ? (bounds === null ? `${named}: none` : `${named}: can be ${asText(scale, bounds)}`) : `${named} ${asText(scale, value)}`;
    return [
      inner === null ? first : `${first}, interval ${asText(scale, inner)}`,
      ...(outer === null ? [] : [`over scenarios like these ${asText(scale, outer)}`]),
      ...(field === null ? [] : [`others: median ${asText(scale, field[1])}, middle half ${asText(scale, [field[0], field[2]])}`]),
      ...others.map((other, at) => `${chart.marks?.[at + 1] ?? ""} ${asText(scale, other)}`),
    ];
  });
  const notes = [(row.tier ?? null) === null ? "" : `tier ${row.tier ?? ""}`, row.simulated === true ? "simulated" : "", row.partial === true ? "incomplete" : ""];
  const note = notes.filter((one) => one !== "").join(", ");
  return note === "" ? says : [...says, note];
}

function bands(rows: readonly IntervalRow[], top: number, width: number): ReactNode[] {
  const firsts = rows.flatMap(({ tier = null }, line) => (tier !== null && tier !== (rows[line - 1]?.tier ?? null) ? [[tier, line] as const] : []));
  return firsts.map(([tier, line], place) => {
    const lines = (firsts[place + 1]?.[1] ?? rows.length) - line;
    return (
      <g key={tier}>
        {tier % 2 === 1 && <rect x={0} y={top + line * ROW} width={width} height={lines * ROW} fill={paint("band")} />}
        <Words x={TIERS / 2 - 4} y={top + line * ROW + ROW / 2} anchor="middle" bold>{String(tier)}</Words>
      </g>
    );
  });
}

interface PanelProps {
  readonly chart: Intervals;
  readonly place: number; // of its scale
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly lines: number; // for what lies at its ends
  readonly numbers: boolean; // both the value and its interval are written beside it
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => textWidth(text))) + 8;
}

function valueOf(scale: Scale, row: IntervalRow, place: number): string {
  const { value = null, bounds = null } = row.values[place] ?? {};
  if (value === null) return bounds === null ? "—" : asText(scale, bounds);
  return asText(scale, value);
}

function pairOf(scale: Scale, row: IntervalRow, place: number): string {
  const { value = null, inner = null } = row.values[place] ?? {};
  return value === null || inner === null ? "" : asText(scale, inner);
}

/** What lies at both ends, in words. */
function endsOf(scale: Scale): readonly [string, string] {
  return (scale.low ?? "") === "" ? ["", ""] : [`← ${scale.low ?? ""}`, `${scale.high ?? ""} →`];
}

function Panel({ chart, place, left, right, top, lines, numbers }: PanelProps) {
  const scale = chart.scales[place];
  if (scale === undefined) return null;
  const pairRoom = numbers ? widest(chart.rows.map((row) => pairOf(scale, row, place))) : 0;
  const end = right - pairRoom - widest(chart.rows.map((row) => valueOf(scale, row, place))) - 4;
  const [low, high] = scale.span;
  const at = (value: number) => Math.round((left + ((end - left) * (value - low)) / (high - low || 1)) * 100) / 100;
  const bottom = top + chart.rows.length * ROW;
  const ticks = niceTicks(scale.span, (end - left) / 60);
  const [low0, high0] = endsOf(scale);
  const above = top - HEAD - lines * LINE;
  return (
    <g>
      <Words x={left} y={above + 4} bold>{fit(scale.head, right - left)}</Words>
      {lines > 0 && <Words x={left} y={above + 4 + LINE} size={SMALL} role="muted">{fit(low0, end - left, SMALL)}</Words>}
      {lines > 0 && <Words x={end} y={above + 4 + lines * LINE} size={SMALL} role="muted" anchor="end">{fit(high0, end - left, SMALL)}</Words>}
      {(scale.band ?? null) !== null && (
        <rect x={at(scale.band?.[0] ?? 0)} width={at(scale.band?.[1] ?? 0) - at(scale.band?.[0] ?? 0)} y={top} height={bottom - top} fill={paint("faint")} />
      )}
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={at(tick)} x2={at(tick)} y1={top - 4} y2={bottom} stroke={paint(scale.zero === true && tick === 0 ? "muted" : "faint")} />
          <Words x={at(tick)} y={top - 13} size={SMALL} role="muted" anchor="middle">{tickText(scale, tick)}</Words>
          {chart.rows.length >= REPEAT_FROM && <Words x={at(tick)} y={bottom + 12} size={SMALL} role="muted" anchor="middle">{tickText(scale, tick)}</Words>}
        </g>
      ))}
      {chart.rows.map((row, line) => (
        <g key={line} data-row={line}>
          {row.values[place] !== undefined && row.values[place] !== null && (
            <EstimateShape across={{ span: scale.span, at }} y={top + line * ROW + ROW / 2} estimate={row.values[place]} hollow={row.simulated === true} />
          )}
          <Words x={numbers ? right - pairRoom : right} y={top + line * ROW + ROW / 2} anchor="end" bold={place === 0}>{valueOf(scale, row, place)}</Words>
          {numbers && <Words x={right} y={top + line * ROW + ROW / 2} anchor="end" role="muted">{pairOf(scale, row, place)}</Words>}
        </g>
      ))}
    </g>
  );
}

/** Scales beside each other, with the names of the rows before them. */
function block(chart: Intervals, places: readonly number[], width: number, offset: number): Block {
  const tiers = chart.rows.some((row) => (row.tier ?? null) !== null) ? TIERS : 0;
  const narrow = width < NARROW;
  const longest = Math.max(...chart.rows.map((row) => textWidth(row.label)), 40);
  const names = Math.min(longest, narrow ? width * 0.36 : Math.max(width * 0.32, 180));
  const left = tiers + names + 14;
  const each = (width - left + GAP) / places.length - GAP;
  const words = places.map((place) => endsOf(chart.scales[place] ?? NO_SCALE));
  const lines = words.every(([low]) => low === "") ? 0 : words.every((ends) => textWidth(ends.join("  "), SMALL) < each - 70) ? 1 : 2;
  const top = offset + HEAD + lines * LINE + 2;
  const labels = fitNames(chart.rows.map(({ label }) => label), names);
  const simulated = chart.rows.some((row) => row.simulated === true);
  const body = (
    <g key={offset}>
      {bands(chart.rows, top, width)}
      {tiers > 0 && <Words x={TIERS / 2 - 4} y={top - 13} size={SMALL} role="muted" anchor="middle">{narrow ? "T" : "Tier"}</Words>}
      {simulated && <Words x={tiers} y={top - 13} size={SMALL} role="muted">ring: simulated</Words>}
      {chart.rows.map((row, line) => (
        <Words key={line} x={tiers} y={top + line * ROW + ROW / 2} italic={row.simulated === true}>{labels[line] ?? ""}</Words>
      ))}
      {places.map((place, column) => (
        <Panel key={place} chart={chart} place={place} left={left + column * (each + GAP)} right={left + column * (each + GAP) + each} top={top} lines={lines} numbers={places.length === 1 && !narrow} />
      ))}
    </g>
  );
  const marks = chart.rows.map((row, line): Mark => ({
    x: 0, y: top + line * ROW, width, height: ROW,
    label: row.label, says: saysOf(chart, row), subject: row.subject ?? "", scenario: row.scenario ?? "",
  }));
  return { body, marks, height: top - offset + chart.rows.length * ROW + (chart.rows.length >= REPEAT_FROM ? 24 : 10) };
}

/** Rows with their intervals; on a phone one scale below the other. */
export function drawIntervals(chart: Intervals, width: number): Drawing {
  const all = chart.scales.map((_, place) => place);
  const groups = width < NARROW ? all.map((place) => [place]) : [all];
  const blocks: Block[] = [];
  let height = 0;
  for (const places of groups) {
    const made = block(chart, places, width, height);
    blocks.push(made);
    height += made.height + 8;
  }
  return { width, height, body: blocks.map(({ body }) => body), marks: blocks.flatMap(({ marks }) => marks), brush: "rows" };
}
