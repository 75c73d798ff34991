// What all drawings have: colours by role, text that fits, axes.
import type { ReactNode } from "react";
import type { Scale } from "../schema";
import { shown, type Value } from "../text/format";

/** A colour of the palette. */
export const paint = (role: string): string => `var(--plot-${role})`;

/** What can be pointed at: where it lies, what it says, and what it is about. */
export interface Mark {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly label: string;
  readonly says: readonly string[];
  readonly subject: string;
  readonly scenario: string;
}

/** A chart at a width: its size, its shapes, and what can be pointed at. `brush`: how marks are selected by dragging. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly body: ReactNode;
  readonly marks: readonly Mark[];
  readonly brush: "area" | "rows" | null;
}

export const NARROW = 560; // pixels below which a drawing is for a phone
const WIDE_SIGN = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;

/** Pixels that a text takes, rather too many than too few. */
export function textWidth(text: string, size = 12): number {
  return size * (0.6 * text.length + 0.4 * (text.match(WIDE_SIGN)?.length ?? 0));
}

/** A text in a room of so many pixels, cut in its middle so that both ends stay readable. */
export function fit(text: string, room: number, size = 12): string {
  if (textWidth(text, size) <= room) return text;
  const signs = Array.from(text);
  const kept = Math.max(Math.floor((signs.length * room) / textWidth(text, size)) - 1, 2);
  return `${signs.slice(0, Math.ceil(kept / 2)).join("")}…${signs.slice(signs.length - Math.floor(kept / 2)).join("")}`;
}

/** Names without the settings behind the last @, where the rest tells them apart. */
export function shortNames(labels: readonly string[]): readonly string[] {
  const bases = labels.map((label) => label.replace(/(.)@[^@]*$/, "$1"));
  const uses = new Map<string, number>();
  for (const base of bases) uses.set(base, (uses.get(base) ?? 0) + 1);
  return bases.map((base, place) => (uses.get(base) === 1 ? base : (labels[place] ?? base)));
}

/** Names in a room of so many pixels. */
export function fitNames(labels: readonly string[], room: number): readonly string[] {
  if (labels.every((label) => textWidth(label) <= room)) return labels;
  return shortNames(labels).map((name) => fit(name, room));
}

/** A number as its scale writes it. */
export function asText(scale: Pick<Scale, "kind" | "digits">, value: Value): string {
  const { kind, digits = 1 } = scale;
  if (!Array.isArray(value)) return shown({ kind, digits }, value);
  return shown({ kind: kind === "index" ? "index_range" : kind === "signed" ? "signed_interval" : "interval", digits }, value);
}

/** Round numbers on a span, about as many as asked. */
export function niceTicks([low, high]: readonly [number, number], about: number): readonly number[] {
  const rough = (high - low) / Math.max(about, 1) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5].find((size) => size * power >= rough * 0.999) ?? 10);
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + 1e-9 * step; at += 1) ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}

/** The number of a tick: as its scale writes numbers, without digits that are nothing. */
export function tickText(scale: Pick<Scale, "kind">, value: number): string {
  if (scale.kind === "percent") return asText(scale, value);
  const text = String(Number(value.toPrecision(6)));
  return scale.kind === "signed" && value > 0 ? `+${text}` : scale.kind === "dollars" ? `$${text}` : text;
}

interface WordsProps {
  readonly x: number;
  readonly y: number; // of the middle of its letters
  readonly children: string;
  readonly role?: string;
  readonly size?: number;
  readonly anchor?: "start" | "middle" | "end";
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly turned?: number; // degrees, clockwise
  readonly over?: boolean; // lies over lines
}

/** One line of text. */
export function Words({ x, y, children, role = "ink", size = 12, anchor = "start", bold = false, italic = false, turned = 0, over = false }: WordsProps) {
  return (
    <text
      x={x}
      y={y}
      dy="0.35em"
      fontSize={size}
      fill={paint(role)}
      textAnchor={anchor}
      {...(bold ? { fontWeight: 600 } : {})}
      {...(italic ? { fontStyle: "italic" } : {})}
      {...(over ? { stroke: paint("paper"), strokeWidth: 3, paintOrder: "stroke" } : {})}
      {...(turned === 0 ? {} : { transform: `rotate(${turned} ${x} ${y})` })}
    >
      {children}
    </text>
  );
}
