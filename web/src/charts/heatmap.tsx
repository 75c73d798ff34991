import type { Heat } from "../schema";
import { asText, fit, fitNames, NARROW, paint, textWidth, Words, type Drawing, type Mark } from "./paint";
import { lostColours, middleColours, type CellColours } from "./heat";

const ROW = 21;
const SMALL = 11;
const FOR_TEXT = 26; // pixels below which a cell stays without its number
const WIDEST = 72;
const NARROWEST = 13;
const BETWEEN = 8; // between groups
const RAMP = 11;

/** The colours of a value. */
export function coloursOf(chart: Pick<Heat, "colours" | "scale">, value: number): CellColours {
  const [low, high] = chart.scale.span;
  if (chart.colours === "middle") return middleColours(value / (Math.max(Math.abs(low), Math.abs(high)) || 1));
  return lostColours(1 - (value - low) / (high - low || 1));
}

/** Rows by columns; struck where nothing was measured. A drawing is as wide as its cells need. */
export function drawHeat(chart: Heat, room: number): Drawing {
  const narrow = room < NARROW;
  const longest = Math.max(...chart.rows.map(({ label }) => textWidth(label)), 40);
  const names = Math.min(longest, narrow ? 120 : Math.max(room * 0.3, 180)) + 12;
  const columns = chart.columns;
  const isFirst = columns.map(({ group = "" }, place) => place > 0 && group !== (columns[place - 1]?.group ?? ""));
  const between = isFirst.filter(Boolean).length * BETWEEN;
  const cell = Math.min(Math.max((room - names - between) / Math.max(columns.length, 1), NARROWEST), WIDEST);
  const lefts: number[] = [];
  let left = names;
  for (const first of isFirst) {
    left += first ? BETWEEN : 0;
    lefts.push(left);
    left += cell;
  }
  const heads = Math.min(Math.max(...columns.map(({ label }) => textWidth(label, SMALL)), 20), 150);
  const groups = columns.some(({ group = "" }) => group !== "") ? 20 : 0;
  const top = 30 + groups + heads + 12;
  const labels = fitNames(chart.rows.map(({ label }) => label), names - 12);
  const says = (row: number, column: number) => asText(chart.scale, chart.rows[row]?.values[column] ?? null);
  const marks = [
    ...columns.map((column, place): Mark => ({
      x: lefts[place] ?? 0, y: top - heads - 8, width: cell, height: heads + 8, label: column.label, says: (column.group ?? "") === "" ? [] : [column.group ?? ""], subject: "", scenario: column.scenario ?? "",
    })),
    ...chart.rows.flatMap((row, line) => [
      { x: 0, y: top + line * ROW, width: names, height: ROW, label: row.label, says: row.simulated === true ? ["simulated"] : [], subject: row.subject ?? "", scenario: row.scenario ?? "" },
      ...columns.map((column, place): Mark => ({
        x: lefts[place] ?? 0, y: top + line * ROW, width: cell, height: ROW,
        label: row.label,
        says: [`${column.label}: ${row.values[place] === null ? "no verdict" : `${says(line, place)} ${chart.scale.head}`}`],
        subject: row.subject ?? "",
        scenario: column.scenario ?? row.scenario ?? "",
      })),
    ]),
  ];
  const body = (
    <>
      <Key chart={chart} width={room} />
      {columns.map((column, place) => {
        const x = lefts[place] ?? 0;
        const begins = groups > 0 && (place === 0 || isFirst[place] === true);
        const same = columns.filter(({ group }) => group === column.group).length;
        return (
          <g key={place}>
            {begins && <Words x={x} y={38} size={SMALL} bold>{fit(column.group ?? "", same * cell, SMALL)}</Words>}
            {begins && <line x1={x} x2={x + same * cell - 1} y1={47} y2={47} stroke={paint("muted")} />}
            <Words x={x + cell / 2} y={top - 6} size={SMALL} role="muted" turned={-90}>{fit(column.label, heads, SMALL)}</Words>
          </g>
        );
      })}
      {chart.rows.map((row, line) => (
        <g key={line} data-row={line}>
          <Words x={0} y={top + line * ROW + ROW / 2} italic={row.simulated === true}>{labels[line] ?? ""}</Words>
          {row.values.map((value, place) => {
            const at = { x: lefts[place] ?? 0, y: top + line * ROW, width: cell - 1, height: ROW - 1 };
            if (value === null)
              return <path key={place} d={`M${at.x} ${at.y + at.height}L${at.x + at.width} ${at.y}`} stroke={paint("soft")} strokeWidth={1} />;
            const { fill, ink } = coloursOf(chart, value);
            return (
              <g key={place}>
                <rect {...at} fill={fill} />
                {cell >= FOR_TEXT && (
                  <text x={at.x + at.width / 2} y={at.y + ROW / 2} dy="0.35em" fontSize={10.5} textAnchor="middle" fill={ink}>
                    {says(line, place).replace("%", "")}
                  </text>
                )}
              </g>
            );
          })}
        </g>
      ))}
    </>
  );
  return { width: Math.max(left, room), height: top + chart.rows.length * ROW + 8, body, marks, brush: null };
}

/** What the colours mean, from the lower end of the scale to the upper one. */
function Key({ chart, width }: { readonly chart: Heat; readonly width: number }) {
  const [low, high] = chart.scale.span;
  const swatch = width < NARROW ? 8 : 12;
  const [first, last] = [asText(chart.scale, low), asText(chart.scale, high)];
  const start = textWidth(first, SMALL) + 10;
  const after = start + RAMP * swatch + 6;
  return (
    <g>
      <Words x={0} y={12} size={SMALL} role="muted">{first}</Words>
      {Array.from({ length: RAMP }, (_, step) => (
        <rect key={step} x={start + step * swatch} y={6} width={swatch} height={12} fill={coloursOf(chart, low + ((high - low) * step) / (RAMP - 1)).fill} />
      ))}
      <Words x={after} y={12} size={SMALL} role="muted">{fit(`${last} ${chart.scale.head}`, width - after, SMALL)}</Words>
    </g>
  );
}
