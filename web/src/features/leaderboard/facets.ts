import { isNamed } from "../../data/board";
import { type Entry, runsOf } from "./entries";

/** A property that subjects can be chosen by. */
export interface Facet {
  readonly name: string; // in the address
  readonly head: string;
  readonly of: (entry: Entry) => string;
}

/** All of them, in the order of the choices. */
export const FACETS: readonly Facet[] = [
  { name: "maker", head: "Maker", of: ({ subject }) => subject.maker ?? "" },
  { name: "family", head: "Family", of: ({ subject }) => subject.family },
  { name: "endpoint", head: "Endpoint", of: ({ subject }) => subject.endpoint ?? "" },
  { name: "effort", head: "Effort", of: ({ subject }) => subject.effort ?? "" },
  { name: "temperature", head: "Temperature", of: ({ subject }) => String(subject.temperature ?? "") },
  { name: "provider", head: "Provider", of: ({ subject }) => subject.pin ?? "" },
  { name: "thinking", head: "Reasoning", of: ({ row }) => (row.thinking ? "reasons" : "does not reason") },
  { name: "simulated", head: "Simulated", of: ({ row }) => (row.simulated ? "simulated" : "models") },
  { name: "origin", head: "Origin", of: ({ row }) => row.origin ?? "" },
  { name: "runs", head: "Runs", of: ({ row }) => String(runsOf(row)) },
];

/** The facets by which these subjects differ, each with its values. */
export function facets(all: readonly Entry[]): readonly { facet: Facet; values: readonly string[] }[] {
  return FACETS.map((facet) => ({
    facet,
    values: [...new Set(all.map(facet.of))].filter((value) => value !== "").sort((a, b) => a.localeCompare(b, "en", { numeric: true })),
  })).filter(({ values }) => values.length > 1);
}

/** Whether a subject is among those that the address asks for. */
export function matches(entry: Entry, query: URLSearchParams): boolean {
  if (!isNamed(entry.subject, query.get("q") ?? "")) return false;
  return FACETS.every((facet) => {
    const asked = query.get(facet.name);
    return asked === null || facet.of(entry) === asked;
  });
}
