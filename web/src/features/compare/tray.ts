// Subjects that the reader set aside to compare: up to four, kept for this visit.
import { useSyncExternalStore } from "react";

/** The names of compared subjects in addresses, as many as there is room for. */
export const COMPARED = ["a", "b", "c", "d"] as const;
export const MOST = COMPARED.length;
const KEY = "independence.compare";
const listeners = new Set<() => void>();

function stored(): readonly string[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

let chosen = stored();

function set(next: readonly string[]): void {
  chosen = next;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // Storage may be forbidden: the choice holds for this page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Adds a subject to the comparison, or takes it out; the oldest makes room for a fifth. */
export function toggle(slug: string): void {
  set(chosen.includes(slug) ? chosen.filter((one) => one !== slug) : [...chosen, slug].slice(-MOST));
}

/** Sets these subjects aside, as many as there is room for, in place of those before. */
export function setAside(slugs: readonly string[]): void {
  if (slugs.length > 0) set(slugs.slice(0, MOST));
}

/** Empties the comparison. */
export function clear(): void {
  set([]);
}

/** The subjects that were set aside, in the order in which they were. */
export function useTray(): readonly string[] {
  return useSyncExternalStore(subscribe, () => chosen);
}
