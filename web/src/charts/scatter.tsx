import type { Scatter, ScatterPoint } from "../schema";
import { asText, fit, NARROW, niceTicks, paint, shortNames, textWidth, tickText, Words, type Drawing, type Mark } from "./paint";
import { Dot } from "./shapes";

export const SMALL = 11;
const LANE = 90; // pixels of the strip for points at nothing
const SIDE_STEPS = [0, -16, 16, -8, 8, -24, 24] as const;
const WAYS = [[1, 0], [-1, 0], [1, 1], [-1, 1], [1, -1], [-1, -1], [0, 1], [0, -1]] as const;
export const NAME_HEIGHT = 14;
const AWAY = [3, 12] as const; // pixels from that to the name
const AROUND = 6; // pixels that a dot takes to each side

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type Place = readonly [number, number];

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

type Named = Pick<Scatter, "points" | "frontier">;

/** Which names are needed most: the frontier from its best down, then the worst, the cheapest and the dearest. */
function byNeed(chart: Named): readonly number[] {
  const all = chart.points.map((_, place) => place);
  const x = (place: number) => chart.points[place]?.x ?? 0;
  const y = (place: number) => chart.points[place]?.y ?? 0;
  const paid = all.filter((place) => x(place) > 0).sort((a, b) => x(a) - x(b));
  const worst = all.toSorted((a, b) => y(a) - y(b)).slice(0, 1);
  const rest = all.toSorted((a, b) => y(b) - y(a));
  return [...new Set([...(chart.frontier ?? []).toReversed(), ...worst, ...paid.slice(0, 1), ...paid.slice(-1), ...rest])];
}

interface Name extends Box {
  readonly text: string;
  readonly place: number;
}

/** Names beside their dots where there is room: over no dot, line, other name, edge or what is `written` there. */
export function namesFor(chart: Named, places: readonly Place[], room: Box, written: readonly Box[] = [], distances: readonly number[] = AWAY): readonly Name[] {
  const short = shortNames(chart.points.map(({ label }) => label));
  const steps = (chart.frontier ?? []).flatMap((member, at): Box[] => {
    const [x, y] = places[member] ?? [0, 0];
    const [right, up] = places[chart.frontier?.[at + 1] ?? member] ?? [x, y];
    return [{ x: x + 1, y: y - 2, width: right - x, height: 4 }, { x: right - 2, y: up, width: 4, height: y - up }];
  });
  const dots = places.map(([x, y]): Box => ({ x: x - AROUND, y: y - AROUND, width: 2 * AROUND, height: 2 * AROUND }));
  const taken: Name[] = [];
  for (const place of byNeed(chart)) {
    const [x, y] = places[place] ?? [0, 0];
    const text = fit(short[place] ?? "", Math.min(200, room.width / 2.5), SMALL);
    const width = textWidth(text, SMALL);
    for (const [away, across, up] of distances.flatMap((pixels) => WAYS.map((way) => [AROUND + pixels, ...way] as const))) {
      const left = x + across * away - (width * (1 - across)) / 2;
      const middle = y - up * (across === 0 ? away - 3 + NAME_HEIGHT / 2 : away);
      const box = { x: left, y: middle - NAME_HEIGHT / 2, width, height: NAME_HEIGHT };
      const inside = left >= room.x && left + width <= room.x + room.width && box.y >= room.y && box.y + NAME_HEIGHT <= room.y + room.height;
      if (!inside || [...taken, ...steps, ...written].some((other) => overlap(box, other)) || dots.some((dot, at) => at !== place && overlap(box, dot))) continue;
      taken.push({ ...box, text, place });
      break;
    }
  }
  return taken;
}

function logTicks(low: number, high: number): readonly number[] {
  const steps = Math.log10(high / low) <= 2.5 ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1)
    for (const step of steps) ticks.push(Number((step * 10 ** power).toPrecision(6)));
  return ticks.filter((tick) => tick >= low && tick <= high);
}

/** Named dots, and the line of those that no other beats. */
export function drawScatter(chart: Scatter, width: number): Drawing {
  const height = width < NARROW ? 380 : Math.min(Math.max(width * 0.55, 380), 540);
  const box = { x: 40, y: 30, width: width - 54, height: height - 80 };
  const lane = chart.log === true && chart.points.some(({ x }) => x <= 0) ? Math.min(LANE, width / 4) : 0;
  const start = box.x + lane + (lane > 0 ? 10 : 0);
  const scale = (value: number) => (chart.log === true ? Math.log10(value) : value);
  const [low, high] = [scale(chart.x.span[0]), scale(chart.x.span[1])];
  const pad = Math.max((high - low) * 0.04, 0.08);
  const right = (value: number) => start + ((scale(value) - low + pad) / (high - low + 2 * pad)) * (box.x + box.width - start);
  const down = (value: number) => box.y + box.height * (1 - (value - chart.y.span[0]) / (chart.y.span[1] - chart.y.span[0] || 1));
  let free = 0;
  const places = chart.points.map((point): Place => {
    if (chart.log !== true || point.x > 0) return [right(point.x), down(point.y)];
    return [box.x + lane / 2 + (SIDE_STEPS[free++ % SIDE_STEPS.length] ?? 0), down(point.y)];
  });
  const first = 10 ** (low - pad);
  const ticks = chart.log === true ? logTicks(first, 10 ** (high + pad)) : niceTicks(chart.x.span, box.width / 80);
  const path = (chart.frontier ?? []).map((member, at) => {
    const [x, y] = places[member] ?? [0, 0];
    return at === 0 ? `M${x.toFixed(1)} ${y.toFixed(1)}` : `H${x.toFixed(1)}V${y.toFixed(1)}`;
  });
  const marks = chart.points.map((point, place): Mark => ({
    x: (places[place]?.[0] ?? 0) - 8, y: (places[place]?.[1] ?? 0) - 8, width: 16, height: 16,
    label: point.label, says: saysOf(chart, point, place), subject: point.subject ?? "", scenario: "",
  }));
  const body = (
    <>
      {lane > 0 && <rect x={box.x} y={box.y} width={lane} height={box.height} fill={paint("band")} />}
      {lane > 0 && <Words x={box.x + lane / 2} y={box.y + box.height + 14} size={SMALL} role="muted" anchor="middle">{fit(chart.at_zero ?? "", lane, SMALL)}</Words>}
      {niceTicks(chart.y.span, 6).map((tick) => (
        <g key={tick}>
          <line x1={box.x} x2={box.x + box.width} y1={down(tick)} y2={down(tick)} stroke={paint("faint")} />
          <Words x={box.x - 6} y={down(tick)} size={SMALL} role="muted" anchor="end">{tickText(chart.y, tick)}</Words>
        </g>
      ))}
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={right(tick)} x2={right(tick)} y1={box.y + box.height} y2={box.y + box.height + 5} stroke={paint("muted")} />
          <Words x={right(tick)} y={box.y + box.height + 14} size={SMALL} role="muted" anchor="middle">{tickText(chart.x, tick)}</Words>
        </g>
      ))}
      <Words x={box.x - 6} y={14} size={SMALL} role="muted">{chart.y.head}</Words>
      <Words x={box.x + box.width} y={box.y + box.height + 34} size={SMALL} role="muted" anchor="end">{chart.x.head}</Words>
      {path.length > 1 && <path d={path.join("")} fill="none" stroke={paint("muted")} strokeWidth={1.25} strokeDasharray="4 3" />}
      {chart.points.map((point, place) => (
        <g key={place} data-row={place}>
          <Dot x={places[place]?.[0] ?? 0} y={places[place]?.[1] ?? 0} fill={point.simulated === true ? "paper" : "accent"} edge={point.simulated === true ? "accent" : "paper"} />
        </g>
      ))}
      {namesFor(chart, places, { ...box, width: box.width + 14 }).map((name) => (
        <Words key={name.place} x={name.x} y={name.y + NAME_HEIGHT / 2} size={SMALL} role={(chart.frontier ?? []).includes(name.place) ? "ink" : "muted"} italic={chart.points[name.place]?.simulated === true}>
          {name.text}
        </Words>
      ))}
    </>
  );
  return { width, height, body, marks, brush: "area" };
}

function saysOf(chart: Scatter, point: ScatterPoint, place: number): readonly string[] {
  const x = chart.log === true && point.x <= 0 ? (chart.at_zero ?? "0") : `${asText(chart.x, point.x)} (${chart.x.head})`;
  return [
    `${chart.y.head} ${asText(chart.y, point.y)}`,
    x,
    ...((chart.frontier ?? []).includes(place) ? ["on the frontier"] : []),
    ...(point.simulated === true ? ["simulated"] : []),
  ];
}
