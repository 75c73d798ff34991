import type { ReactNode } from "react";
import type { IntervalRow, Intervals, Scale } from "../schema";
import { asText, fit, NARROW, niceTicks, paint, textWidth, tickText, Words, type Drawing, type Mark } from "./paint";
import { EstimateShape } from "./shapes";

const ROW = 22;
const HEAD = 44;
const TIERS = 34;
const GAP = 18;
const REPEAT_FROM = 25; // rows from which the numbers of an axis stand below as well
const SMALL = 11;

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
      inner === null ? first : `${first}, 95 % interval ${asText(scale, inner)}`,
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
  readonly numbers: boolean; // both the value and its interval are written beside it
}

/** Pixels for what is written right of a panel. */
function numberRoom(chart: Intervals, place: number, pairs: boolean): number {
  const scale = chart.scales[place];
  if (scale === undefined) return 0;
  return Math.max(...chart.rows.map((row) => textWidth(numbersOf(scale, row, place, pairs))), textWidth(pairs ? scale.head : "")) + 8;
}

function numbersOf(scale: Scale, row: IntervalRow, place: number, pairs: boolean): string {
  const { value = null, inner = null, bounds = null } = row.values[place] ?? {};
  if (value === null) return bounds === null ? "—" : asText(scale, bounds);
  return pairs && inner !== null ? `${asText(scale, value)}  ${asText(scale, inner)}` : asText(scale, value);
}

function Panel({ chart, place, left, right, top, numbers }: PanelProps) {
  const scale = chart.scales[place];
  if (scale === undefined) return null;
  const end = right - numberRoom(chart, place, numbers);
  const [low, high] = scale.span;
  const at = (value: number) => Math.round((left + ((end - left) * (value - low)) / (high - low || 1)) * 100) / 100;
  const bottom = top + chart.rows.length * ROW;
  const ticks = niceTicks(scale.span, (end - left) / 60);
  const words = (scale.low ?? "") === "" ? "" : `← ${scale.low ?? ""}`;
  return (
    <g>
      <Words x={left} y={top - HEAD - 6} bold>{fit(scale.head, right - left)}</Words>
      {words !== "" && <Words x={left} y={top - HEAD + 9} size={SMALL} role="muted">{fit(words, (end - left) / 2 - 4, SMALL)}</Words>}
      {words !== "" && <Words x={end} y={top - HEAD + 9} size={SMALL} role="muted" anchor="end">{fit(`${scale.high ?? ""} →`, (end - left) / 2 - 4, SMALL)}</Words>}
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
          <Words x={right} y={top + line * ROW + ROW / 2} anchor="end" bold={!numbers && place === 0}>{numbersOf(scale, row, place, numbers)}</Words>
        </g>
      ))}
    </g>
  );
}

/** Scales beside each other, with the names of the rows before them. */
function block(chart: Intervals, places: readonly number[], width: number, offset: number): Block {
  const tiers = chart.rows.some((row) => (row.tier ?? null) !== null) ? TIERS : 0;
  const narrow = width < NARROW;
  const top = offset + HEAD + 16;
  const longest = Math.max(...chart.rows.map((row) => textWidth(row.label)), 40);
  const names = Math.min(longest, narrow ? width * 0.36 : Math.max(width * 0.32, 180));
  const left = tiers + names + 14;
  const each = (width - left + GAP) / places.length - GAP;
  const body = (
    <g key={offset}>
      {bands(chart.rows, top, width)}
      {tiers > 0 && <Words x={TIERS / 2 - 4} y={top - 13} size={SMALL} role="muted" anchor="middle">{narrow ? "T" : "Tier"}</Words>}
      {chart.rows.map((row, line) => (
        <Words key={line} x={tiers} y={top + line * ROW + ROW / 2} italic={row.simulated === true}>{fit(row.label, names)}</Words>
      ))}
      {places.map((place, column) => (
        <Panel key={place} chart={chart} place={place} left={left + column * (each + GAP)} right={left + column * (each + GAP) + each} top={top} numbers={places.length === 1 && !narrow} />
      ))}
    </g>
  );
  const marks = chart.rows.map((row, line): Mark => ({
    x: 0, y: top + line * ROW, width, height: ROW,
    label: row.label, says: saysOf(chart, row), subject: row.subject ?? "", scenario: row.scenario ?? "",
  }));
  return { body, marks, height: HEAD + 16 + chart.rows.length * ROW + (chart.rows.length >= REPEAT_FROM ? 24 : 10) };
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
