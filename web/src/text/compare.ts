import type { Value } from "./format";

export type Direction = "asc" | "desc";

function rankOf(value: Value): number | string {
  if (typeof value === "string") return value.toLowerCase();
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  return value === null ? Number.NEGATIVE_INFINITY : (value[0] + value[1]) / 2;
}

/** Which of two values comes first; what is absent comes last in both directions. */
export function compareValues(one: Value, other: Value, direction: Direction): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const [left, right] = [rankOf(one), rankOf(other)];
  const order =
    typeof left === "string" || typeof right === "string"
      ? String(left).localeCompare(String(right), "en", { numeric: true })
      : left - right;
  return direction === "asc" ? order : -order;
}
