import type { CSSProperties } from "react";

const STEPS = 20;

function inked(lost: number): CSSProperties {
  const step = Math.round(Math.min(Math.max(lost, 0), 1) * STEPS);
  const ink = step > STEPS / 2 ? "deep" : "pale";
  return { backgroundColor: `var(--plot-heat-${step})`, color: `var(--plot-on-${ink})` };
}

/** The colours of a share kept: pale is kept, deep is given up. */
export function heat(share: number): CSSProperties {
  return inked(1 - share);
}

/** The colours of a value between -1 and +1; INTERIM until the chart layer is merged. */
export function diverging(value: number): CSSProperties {
  return inked(Math.abs(value));
}
