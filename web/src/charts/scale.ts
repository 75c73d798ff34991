/** A span of an axis in points, and the distance of its lines. */
export interface Span {
  readonly low: number;
  readonly high: number;
  readonly step: number;
}

const STEPS = [0.5, 1, 2, 5, 10, 20, 25] as const;
const LINES = 5;

/** A span from a round number below the lowest value to the top of the scale. */
export function spanFrom(lowest: number, high = 100): Span {
  const room = Math.max(high - lowest, 0.5);
  const step = STEPS.find((size) => room / size <= LINES) ?? 50;
  return { low: Math.max(0, high - Math.ceil(room / step) * step), high, step };
}

/** Where a value stands on a span, in percent of its width; what is outside stands at the edge. */
export function at(span: Span, value: number): number {
  const share = (value - span.low) / (span.high - span.low);
  return Math.round(Math.min(Math.max(share, 0), 1) * 10000) / 100;
}

/** The values at which lines are drawn, from low to high. */
export function ticks(span: Span): readonly number[] {
  const lines = Math.round((span.high - span.low) / span.step);
  return Array.from({ length: lines + 1 }, (_, line) => span.low + line * span.step);
}

/** The distance of lines as a share of the width. */
export function stepShare(span: Span): number {
  return span.step / (span.high - span.low);
}
