import type { Span } from "../../charts/scale";
import type { DrawnEstimate, Intervals } from "../../schema";

/** A subject's share beside the quartiles of everybody's. */
export interface FieldRow {
  readonly label: string;
  readonly value: number | null;
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

export const SHARES: Span = { low: 0, high: 1, step: 0.25 };

/** What is drawn of a row. */
export function estimateOf({ value, low, middle, high }: FieldRow): DrawnEstimate {
  return { value, field: [low, middle, high] };
}

/** The same rows as a chart. */
export function fieldChart(id: string, title: string, rows: readonly FieldRow[]): Intervals {
  return {
    kind: "intervals",
    id,
    title,
    caption: "Dot: this subject. Bar: the middle half of all subjects. Line: their median.",
    scales: [{ head: "Share", kind: "percent", span: [0, 1] }],
    rows: rows.map((row) => ({ label: row.label, values: [estimateOf(row)] })),
  };
}
