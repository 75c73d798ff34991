import type { CSSProperties } from "react";

const STEPS = 20;

/** The colours of a cell: the ramp of the figures, and what to write with on it. */
export function heat(share: number): CSSProperties {
  const step = Math.round(Math.min(Math.max(share, 0), 1) * STEPS);
  const ink = step > STEPS / 2 ? "deep" : "pale";
  return { backgroundColor: `var(--plot-heat-${step})`, color: `var(--plot-on-${ink})` };
}
