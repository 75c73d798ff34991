import type { ColumnInfo } from "../schema";
import type { Value } from "../text/format";

const WIDE: ReadonlySet<string> = new Set(["interval", "signed_interval", "index_interval", "index_range"]);

/** Text for a cell of CSV: no formula begins in it. */
function safe(text: string): string {
  const oneLine = text.replaceAll("\r", " ");
  return /^[=+\-@]/.test(oneLine.trimStart()) ? `'${oneLine}` : oneLine;
}

function cell(value: Value): string {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "True" : "False";
  const text = typeof value === "string" ? safe(value) : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function plain(column: ColumnInfo, value: Value): readonly Value[] {
  if (!WIDE.has(column.kind ?? "text")) return [Array.isArray(value) ? (value as readonly number[]).join(" to ") : value];
  return Array.isArray(value) ? (value as readonly number[]) : [null, null];
}

/** A header of keys and one line a row; an interval becomes KEY_low and KEY_high. */
export function toCsv(columns: readonly ColumnInfo[], rows: readonly (readonly Value[])[]): string {
  const keys = columns.flatMap((column) =>
    WIDE.has(column.kind ?? "text") ? [`${column.key}_low`, `${column.key}_high`] : [column.key],
  );
  const lines = rows.map((row) => columns.flatMap((column, place) => plain(column, row[place] ?? null)));
  return [keys, ...lines].map((line) => `${line.map(cell).join(",")}\n`).join("");
}

/** Rows as objects by the columns' keys. */
export function toJson(columns: readonly ColumnInfo[], rows: readonly (readonly Value[])[]): string {
  const objects = rows.map((row) => Object.fromEntries(columns.map((column, place) => [column.key, row[place] ?? null])));
  return `${JSON.stringify(objects, null, 2)}\n`;
}

/** Lets the reader keep a text as a file. */
export function save(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  window.setTimeout(() => { URL.revokeObjectURL(link.href); }, 1000);
}
