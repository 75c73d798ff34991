import type { ReactNode } from "react";
import type { LinePanel, Lines } from "../schema";
import { asText, fit, paint, textWidth, tickText, Words, type Drawing, type Mark } from "./paint";
import { Dot } from "./shapes";

const SMALL = 11;
const LEFT = 28;
const GAP = 22;
const LEAST = 150; // pixels of a panel's width
const MOST = 4; // panels beside each other
const PANEL = 120;
const HEAD = 22;
const FOOT = 48;
const LOOKS = [
  { role: "accent", width: 2.5, dash: "" },
  { role: "folded", width: 2.5, dash: "5 3" },
  { role: "ink", width: 1, dash: "" },
] as const; // of the first series; others are rings

interface PanelProps {
  readonly chart: Lines;
  readonly panel: LinePanel;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly first: boolean; // of its line
}

function Panel({ chart, panel, x, y, width, first }: PanelProps) {
  const [low, high] = chart.x.span;
  const pad = Math.max((high - low) * 0.1, 0.1);
  const right = (value: number) => Math.round((x + (width * (value - low + pad)) / (high - low + 2 * pad)) * 100) / 100;
  const down = (value: number) => Math.round((y + (PANEL * (chart.y.span[1] - value)) / (chart.y.span[1] - chart.y.span[0] || 1)) * 100) / 100;
  const middle = (chart.y.span[0] + chart.y.span[1]) / 2;
  return (
    <g>
      <Words x={x} y={y - 12} bold italic={panel.simulated === true}>{fit(panel.label, width)}</Words>
      {[chart.y.span[0], middle, chart.y.span[1]].map((tick) => (
        <g key={tick}>
          <line x1={x} x2={x + width} y1={down(tick)} y2={down(tick)} stroke={paint(tick === 0 && chart.y.zero === true ? "muted" : "faint")} />
          {first && <Words x={x - 5} y={down(tick)} size={SMALL} role="muted" anchor="end">{tickText(chart.y, tick)}</Words>}
        </g>
      ))}
      {panel.xs.map((tick) => (
        <Words key={tick} x={right(tick)} y={y + PANEL + 11} size={SMALL} role="muted" anchor="middle">{tickText(chart.x, tick)}</Words>
      ))}
      {panel.values.map((values, series) => {
        const there = values.flatMap((value, at) => (value === null ? [] : [[right(panel.xs[at] ?? 0), down(value)] as const]));
        const look = LOOKS[series];
        if (look === undefined || there.length < 2)
          return there.map(([cx, cy], at) => <Dot key={`${series}-${at}`} x={cx} y={cy} radius={3} fill={look === undefined ? "paper" : look.role} edge={look?.role ?? "accent"} />);
        return (
          <polyline key={series} points={there.map((point) => point.join(",")).join(" ")} fill="none" stroke={paint(look.role)} strokeWidth={look.width} {...(look.dash === "" ? {} : { strokeDasharray: look.dash })} />
        );
      })}
      <Words x={x} y={y + PANEL + 28} size={SMALL} role="muted">{fit(panel.says ?? "", width, SMALL)}</Words>
    </g>
  );
}

function saysOf(chart: Lines, panel: LinePanel): readonly string[] {
  const lines = panel.xs.map((x, at) => {
    const values = chart.series.map((name, series) => `${name} ${asText(chart.y, panel.values[series]?.[at] ?? null)}`);
    return `${chart.x.head} ${tickText(chart.x, x)}: ${values.join(", ")}`;
  });
  return (panel.says ?? "") === "" ? lines : [panel.says ?? "", ...lines];
}

/** What each line is. */
function legend(chart: Lines, width: number): { readonly body: ReactNode; readonly height: number } {
  let [x, y] = [0, 10];
  const body = chart.series.map((name, series) => {
    const look = LOOKS[series];
    const room = 30 + textWidth(name, SMALL) + 16;
    if (x > 0 && x + room > width) [x, y] = [0, y + 16];
    const left = x;
    x += room;
    return (
      <g key={name}>
        {look === undefined ? (
          <Dot x={left + 11} y={y} radius={3} fill="paper" edge="accent" />
        ) : (
          <line x1={left} x2={left + 22} y1={y} y2={y} stroke={paint(look.role)} strokeWidth={look.width} {...(look.dash === "" ? {} : { strokeDasharray: look.dash })} />
        )}
        <Words x={left + 28} y={y} size={SMALL} role="muted">{name}</Words>
      </g>
    );
  });
  return { body, height: y + 14 };
}

/** Small panels beside and below each other. */
export function drawLines(chart: Lines, width: number): Drawing {
  const columns = Math.min(Math.max(Math.floor((width - LEFT + GAP) / (LEAST + GAP)), 1), MOST);
  const each = (width - LEFT + GAP) / columns - GAP;
  const key = legend(chart, width);
  const places = chart.panels.map((_, place) => ({
    x: LEFT + (place % columns) * (each + GAP),
    y: key.height + HEAD + Math.floor(place / columns) * (HEAD + PANEL + FOOT),
  }));
  const marks = chart.panels.map((panel, place): Mark => ({
    x: places[place]?.x ?? 0, y: (places[place]?.y ?? 0) - HEAD, width: each, height: HEAD + PANEL + 36,
    label: panel.label, says: saysOf(chart, panel), subject: panel.subject ?? "", scenario: "",
  }));
  const body = (
    <>
      {key.body}
      {chart.panels.map((panel, place) => (
        <Panel key={place} chart={chart} panel={panel} x={places[place]?.x ?? 0} y={places[place]?.y ?? 0} width={each} first={place % columns === 0} />
      ))}
    </>
  );
  return { width, height: key.height + Math.ceil(chart.panels.length / columns) * (HEAD + PANEL + FOOT), body, marks, brush: null };
}
