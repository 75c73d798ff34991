// Numbers as the tables of the command line have them: a test compares both on generated cases.
import type { ColumnInfo } from "../schema";

export const DASH = "—";
export type Value = string | number | boolean | readonly [number, number] | null;
export type Format = Pick<ColumnInfo, "kind" | "digits">;

const EXACT = 9; // digits up to which numbers are what they are, and not the error of computing them
const MORE = 25; // digits that tell a tie from a number beside it
const TIE = `5${"0".repeat(MORE - 1)}`;

/** A number with its digits; a tie goes to the even digit, as it does in Python. */
export function fixed(value: number, digits: number): string {
  const short = value.toFixed(digits);
  const long = value.toFixed(digits + MORE);
  if (!long.endsWith(TIE)) return short;
  const cut = long.slice(0, -MORE).replace(/\.$/, "");
  return Number(cut.at(-1)) % 2 === 0 ? cut : short;
}

/** A number with its digits; what computing it added to 63.05 does not make 63.1 of it. */
export function decimal(value: number, digits = 1, sign = ""): string {
  const exact = Math.abs(value) < 1e12 ? Number(fixed(value, EXACT)) : value;
  const text = fixed(exact, digits);
  return sign !== "" && !text.startsWith("-") ? sign + text : text;
}

/** A number with its sign, unless it is nothing as it is written: that has none. */
export function signed(value: number, digits = 2, sign = "+"): string {
  const text = decimal(value, digits, sign);
  return Number(text) === 0 ? fixed(0, digits) : text;
}

/** An index, or an end of its interval, as it is printed: on 0 to 100. */
export function onScale(index: number): number {
  return Math.min(Math.max(index, 0), 100);
}

/** A share in percent; 100 only when nothing is missing, 0 only when nothing is there. */
export function percent(share: number): string {
  return `${fixed(Math.min(Math.max(share * 100, share > 0 ? 1 : 0), share < 1 ? 99 : 100), 0)}%`;
}

/** A whole number with its thousands apart. */
export function count(value: number): string {
  return fixed(value, 0).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** How many there are of something: 1 answer, 2 answers. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Dollars, at least to the cent. */
export function dollars(value: number, digits = 2): string {
  return `$${fixed(value, Math.max(digits, 2))}`;
}

/** A probability without its leading zero. */
export function probability(value: number): string {
  return value < 0.001 ? "<.001" : fixed(value, 3).replace(/^0/, "");
}

/** A value of a verdict: whole numbers as they are, others to two digits; of choices the one that it stands for. */
export function given(value: number | boolean, choices: readonly string[] = []): string {
  if (choices.length > 0) return choices[Number(value) - 1] ?? "neither";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Number.isInteger(value) ? String(value) : decimal(value, 2);
}

/** What an id is called. */
export function words(id: string): string {
  return id.replaceAll("_", " ");
}

/** Why there is nothing: the reason, and what was said of it. */
export function why(of: { readonly missing?: string | null; readonly detail?: string }): string {
  const detail = of.detail ?? "";
  return words(of.missing ?? "") + (detail === "" ? "" : `: ${detail}`);
}

/** A note as a sentence begins; ids stay as they are. */
export function sentence(text: string): string {
  return /^[a-z]+[ ,:]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** What a text says first; examples and steps of a scale come after it. What it quotes is not divided. */
export function firstSentence(text: string): string {
  return text.split(/(?<=[.:?!]) (?=[0-9A-Z]|true|false)(?![^“]*”)/)[0] ?? text;
}

function between(kind: string, digits: number, ends: readonly [number, number]): string {
  if (kind === "index") return `[${fixed(ends[0], 0)}, ${fixed(ends[1], 0)}]`;
  const sign = kind === "signed_interval" ? "+" : "";
  const shown = ends.map((end) => signed(kind.startsWith("index") ? onScale(end) : end, digits, sign));
  return shown.join(kind === "index_range" ? "–" : " to ");
}

function number(kind: string, digits: number, value: number): string {
  switch (kind) {
    case "count":
      return count(value);
    case "percent":
      return percent(value);
    case "dollars":
      return dollars(value, digits);
    case "p":
      return probability(value);
    default:
      return signed(kind === "index" ? onScale(value) : value, digits, kind === "signed" ? "+" : "");
  }
}

/** A value of a column as people read it; a dash where there is none. */
export function shown(column: Format, value: Value): string {
  const kind = column.kind ?? "text";
  const digits = column.digits ?? 1;
  if (value === null) return DASH;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return number(kind, digits, value);
  if (typeof value !== "string") return between(kind, digits, value);
  if (kind === "words") return value.split(/\s+/).filter(Boolean).join(" ");
  return kind === "id" ? words(value) : value;
}

const TEXTS: ReadonlySet<string> = new Set(["text", "id", "words", "flag"]);

/** Whether a column is read down, so that it stands to the right. */
export function isNumeric(column: Format): boolean {
  return !TEXTS.has(column.kind ?? "text");
}
