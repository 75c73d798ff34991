// Rows that show a subject beside the others.

/** A value beside the middle half of the field. */
export interface FieldRow {
  readonly label: string;
  readonly value: number | null;
  readonly low: number; // lower quartile of the field
  readonly middle: number;
  readonly high: number;
}

/** The drawing of such rows as a file. */
export function fieldSvg(id: string, title: string, rows: readonly FieldRow[]): Promise<string> {
  return import("../../charts/save").then(({ chartSvg }) =>
    chartSvg({
      kind: "intervals",
      id,
      title,
      caption: "Dot: this subject. Bar: the middle half of all subjects. Line: their median.",
      scales: [{ head: "Share", kind: "percent", span: [0, 1] }],
      rows: rows.map(({ label, value, low, middle, high }) => ({ label, values: [{ value, field: [low, middle, high] }] })),
    }),
  );
}
