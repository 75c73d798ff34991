// Colours of cells. Ink means lost: pale is kept, dark is given up. Scales with a middle run from cool to warm.
import type { CSSProperties } from "react";

const STEPS = 10;

/** Fill and text of a cell, as colours of the palette. */
export interface CellColours {
  readonly fill: string;
  readonly ink: string;
}

function on(ramp: "heat" | "cool", share: number): CellColours {
  const full = Math.min(Math.max(share, 0), 1);
  const step = Math.max(Math.round(full * STEPS), full > 0 ? 1 : 0); // only nothing at all has the palest one
  return { fill: `var(--plot-${ramp}-${step})`, ink: `var(--plot-on-${step > STEPS / 2 ? "deep" : "pale"})` };
}

/** Of a share that was lost, 0 to 1. */
export function lostColours(lost: number): CellColours {
  return on("heat", lost);
}

/** Of a value around 0, -1 to 1: cool below, warm above. */
export function middleColours(value: number): CellColours {
  return on(value < 0 ? "cool" : "heat", Math.abs(value));
}

function styled({ fill, ink }: CellColours): CSSProperties {
  return { backgroundColor: fill, color: ink };
}

/** The style of a cell by what was lost, 0 to 1; of a share kept that is 1 less the share. */
export function heat(lost: number): CSSProperties {
  return styled(lostColours(lost));
}

/** The style of a cell by a value around 0, -1 to 1. */
export function diverging(value: number): CSSProperties {
  return styled(middleColours(value));
}
