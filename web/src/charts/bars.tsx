import type { Bars } from "../schema";
import { count } from "../text/format";
import { fit, NARROW, paint, textWidth, Words, type Drawing, type Mark } from "./paint";

const ROW = 22;
const SMALL = 11;
const HIGHEST = 72;

/** Counts by name, or upright by parts of a scale. */
export function drawBars(chart: Bars, width: number): Drawing {
  return chart.upright === true ? upright(chart, width) : byName(chart, width);
}

function mark(chart: Bars, place: number, box: Pick<Mark, "x" | "y" | "width" | "height">): Mark {
  const bar = chart.bars[place];
  return { ...box, label: bar?.label ?? "", says: [`${count(bar?.count ?? 0)} ${chart.head}`], subject: bar?.subject ?? "", scenario: "" };
}

function most(chart: Bars): number {
  return Math.max(...chart.bars.map((bar) => bar.count), 1);
}

function byName(chart: Bars, width: number): Drawing {
  const longest = Math.max(...chart.bars.map(({ label }) => textWidth(label)), 20);
  const names = Math.min(longest, width * (width < NARROW ? 0.36 : 0.35)) + 12;
  const room = width - names - textWidth(count(most(chart))) - 10;
  const body = chart.bars.map((bar, place) => {
    const [y, length] = [place * ROW + ROW / 2, (room * bar.count) / most(chart)];
    return (
      <g key={place} data-row={place}>
        <Words x={0} y={y}>{fit(bar.label, names - 12)}</Words>
        <rect x={names} y={y - 6} width={length} height={12} fill={paint("soft")} />
        <Words x={names + length + 6} y={y} size={SMALL}>{count(bar.count)}</Words>
      </g>
    );
  });
  const marks = chart.bars.map((_, place) => mark(chart, place, { x: 0, y: place * ROW, width, height: ROW }));
  return { width, height: chart.bars.length * ROW + 4, body, marks, brush: "rows" };
}

function upright(chart: Bars, width: number): Drawing {
  const each = width / Math.max(chart.bars.length, 1);
  const floor = HIGHEST + 18;
  const labels = Math.max(Math.ceil(Math.max(...chart.bars.map(({ label }) => textWidth(label, 10))) / each), 1); // bars to a label
  const body = (
    <>
      {chart.bars.map((bar, place) => {
        const high = (HIGHEST * bar.count) / most(chart);
        return (
          <g key={place} data-row={place}>
            <rect x={place * each + 1} y={floor - high} width={each - 2} height={high} fill={paint("soft")} />
            {bar.count > 0 && <Words x={(place + 0.5) * each} y={floor - high - 8} size={SMALL} role="muted" anchor="middle">{count(bar.count)}</Words>}
            {place % labels === 0 && <Words x={place * each + 1} y={floor + 11} size={10} role="muted">{bar.label}</Words>}
          </g>
        );
      })}
      <line x1={0} x2={width} y1={floor} y2={floor} stroke={paint("muted")} />
    </>
  );
  const marks = chart.bars.map((_, place) => mark(chart, place, { x: place * each, y: 0, width: each, height: floor + 20 }));
  return { width, height: floor + 22, body, marks, brush: null };
}
