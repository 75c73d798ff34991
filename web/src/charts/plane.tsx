import type { Plane, PlanePoint, Scale } from "../schema";
import { signed } from "../text/format";
import { asText, paint, tickText, Words, type Drawing, type Mark } from "./paint";
import { NAME_HEIGHT, namesFor, SMALL, type Box, type Place } from "./scatter";
import { Dot } from "./shapes";

const LARGEST = 460; // side of the square
const ABOVE = 46;
const BELOW = 62;
const LEFT = 40;
const TICKS = [0, 0.25, 0.5, 0.75, 1] as const;
const SAME = 6; // pixels within which dots would hide each other
const STEP = 14;
const STACK = 70; // the most that dots of one place take
const AWAY = [3, 12, 26]; // pixels from a dot to its name
const THINNEST = 0.003; // half-axis: one of 0 would not be drawn

/** Where dots are drawn: those of one place one below another, within the square. */
function apart(places: readonly Place[], box: Box): readonly Place[] {
  const groups: number[][] = [];
  places.forEach(([x, y], place) => {
    const near = groups.find(([first = 0]) => Math.hypot((places[first]?.[0] ?? 0) - x, (places[first]?.[1] ?? 0) - y) < SAME);
    if (near === undefined) groups.push([place]);
    else near.push(place);
  });
  const drawn = [...places];
  for (const members of groups) {
    const step = Math.min(STEP, STACK / members.length);
    const height = step * (members.length - 1);
    const [x, y] = places[members[0] ?? 0] ?? [0, 0];
    const top = Math.min(Math.max(y - height / 2, box.y), box.y + box.height - height);
    members.forEach((member, place) => { drawn[member] = [x, top + place * step]; });
  }
  return drawn;
}

/** Dots in a square of two shares with the region of each, lines of the same difference, and what the corners mean. */
export function drawPlane(chart: Plane, width: number): Drawing {
  const side = Math.min(width - LEFT - 14, LARGEST);
  const box = { x: LEFT, y: ABOVE, width: side, height: side };
  const right = (value: number) => box.x + value * side;
  const down = (value: number) => box.y + (1 - value) * side;
  const places = apart(chart.points.map(({ x, y }): Place => [right(x), down(y)]), box);
  const marks = chart.points.map((point, place): Mark => ({
    x: (places[place]?.[0] ?? 0) - 7, y: (places[place]?.[1] ?? 0) - 7, width: 14, height: 14,
    label: point.label, says: saysOf(chart, point), subject: point.subject ?? "", scenario: "",
  }));
  const levels = chart.levels.map((level) => {
    const [from, to] = [Math.max(0, -level), Math.min(1, 1 - level)];
    const at = from + (to - from) * 0.25;
    return { level, from, to, x: right(at) - 6, y: down(at + level) - 6 };
  });
  const labels = levels.map(({ x, y }): Box => ({ x: x - 20, y: y - 20, width: 40, height: 40 }));
  const room = { x: box.x, y: box.y - NAME_HEIGHT / 2, width: width - box.x, height: side + NAME_HEIGHT };
  const body = (
    <>
      <rect x={box.x} y={box.y} width={side} height={side} fill="none" stroke={paint("faint")} />
      {TICKS.map((tick) => (
        <g key={tick}>
          <path d={`M${box.x} ${down(tick)}h${side}M${right(tick)} ${box.y}v${side}`} stroke={paint("faint")} fill="none" />
          <Words x={box.x - 6} y={down(tick)} size={SMALL} role="muted" anchor="end">{tickText(chart.y, tick)}</Words>
          <Words x={right(tick)} y={box.y + side + 13} size={SMALL} role="muted" anchor="middle">{tickText(chart.x, tick)}</Words>
        </g>
      ))}
      {levels.map(({ level, from, to, x, y }) => (
        <g key={level} data-level={level}>
          <line x1={right(from)} y1={down(from + level)} x2={right(to)} y2={down(to + level)} stroke={paint("muted")} strokeDasharray="4 3" />
          <Words x={x} y={y} size={SMALL} role="muted" anchor="middle" turned={-45}>{`${chart.quantity} ${signed(level, 1)}`}</Words>
        </g>
      ))}
      {chart.corners.map((corner, place) => (
        <Words key={corner} x={place % 2 === 0 ? box.x : box.x + side} y={place < 2 ? box.y - 17 : box.y + side + 32} size={SMALL} bold anchor={place % 2 === 0 ? "start" : "end"}>
          {corner}
        </Words>
      ))}
      <Words x={2} y={8} size={SMALL} role="muted">{head(chart.y, "↑")}</Words>
      <Words x={box.x + side} y={box.y + side + 50} size={SMALL} role="muted" anchor="end">{head(chart.x, "→")}</Words>
      <svg x={box.x} y={box.y} width={side} height={side} viewBox="0 0 1 1" overflow="hidden">
        {chart.points.map(({ ellipse }, place) =>
          ellipse == null ? null : (
            <ellipse
              key={place} cx={ellipse.x} cy={1 - ellipse.y} rx={Math.max(ellipse.first, THINNEST)} ry={Math.max(ellipse.second, THINNEST)}
              transform={`rotate(${-ellipse.degrees} ${ellipse.x} ${1 - ellipse.y})`}
              fill={paint("accent")} fillOpacity={0.08} stroke={paint("soft")} vectorEffect="non-scaling-stroke"
            />
          ),
        )}
      </svg>
      {chart.points.map(({ simulated, ellipse, x, y, x_ci, y_ci }, place) => (
        <g key={place} data-row={place}>
          {ellipse == null && x_ci != null && <line x1={right(x_ci[0])} x2={right(x_ci[1])} y1={down(y)} y2={down(y)} stroke={paint("soft")} strokeWidth={1.5} />}
          {ellipse == null && y_ci != null && <line x1={right(x)} x2={right(x)} y1={down(y_ci[0])} y2={down(y_ci[1])} stroke={paint("soft")} strokeWidth={1.5} />}
          <Dot x={places[place]?.[0] ?? 0} y={places[place]?.[1] ?? 0} fill={simulated === true ? "paper" : "accent"} edge={simulated === true ? "accent" : "paper"} />
        </g>
      ))}
      {namesFor(chart, places, room, labels, AWAY).map((name) => (
        <Words key={name.place} x={name.x} y={name.y + NAME_HEIGHT / 2} size={SMALL} over italic={chart.points[name.place]?.simulated === true}>
          {name.text}
        </Words>
      ))}
    </>
  );
  return { width, height: ABOVE + side + BELOW, body, marks, brush: "area" };
}

/** What an axis is, and what lies at its far end. */
function head(scale: Scale, arrow: string): string {
  return scale.high === undefined ? scale.head : `${scale.head} ${arrow} ${scale.high}`;
}

function saysOf(chart: Plane, { x, y, x_ci, y_ci, says = "", simulated }: PlanePoint): readonly string[] {
  const axes = [[chart.y, y, y_ci], [chart.x, x, x_ci]] as const;
  return [
    ...axes.map(([scale, value, ci]) => `${scale.head} ${asText(scale, value)}${ci == null ? "" : `, ${asText(scale, ci[0])} to ${asText(scale, ci[1])}`}`),
    ...(says === "" ? [] : [says]),
    ...(simulated === true ? ["simulated"] : []),
  ];
}
