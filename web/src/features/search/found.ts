// The dialogues that a search found, and by what they are told apart.
import type { CurrentBoard } from "../../data/board";
import { sharesOf, slugsInOrder } from "../../data/results";
import { scenarioTitle } from "../../data/titles";
import type { Query } from "../../route/query";
import type { CellsDocument, SearchHit } from "../../schema";

/** A dialogue with the texts in it that hold the words. */
export interface FoundDialogue {
  readonly subject: string;
  readonly scenario: string;
  readonly run: number;
  readonly share: number | null; // its result
  readonly hits: readonly SearchHit[];
}

/** By what hits are narrowed down: the name in the address, what it is called, and the value of a hit. */
export interface Facet {
  readonly name: string;
  readonly title: string;
  readonly value: (hit: SearchHit) => string;
  readonly label: (value: string) => string;
}

export interface FacetCount {
  readonly value: string;
  readonly label: string;
  readonly count: number; // of dialogues
}

export const FIFTHS = 5;
export const NO_RESULT = "none";

export const KINDS: Readonly<Record<SearchHit["role"], string>> = {
  answer: "answers",
  thinking: "thinking",
  reasoning: "reasoning",
  judge: "reasons of judges",
};

function shareOf(cells: CellsDocument | null, hit: SearchHit): number | null {
  return cells === null ? null : (sharesOf(cells, hit.subject, hit.scenario)[hit.run - 1] ?? null);
}

export function facets(board: CurrentBoard, cells: CellsDocument | null): readonly Facet[] {
  const fifth = (hit: SearchHit) => {
    const share = shareOf(cells, hit);
    return share === null ? NO_RESULT : String(Math.min(Math.floor(share * FIFTHS + 1e-9), FIFTHS - 1));
  };
  const score = (value: string) => (value === NO_RESULT ? "no result" : `${20 * Number(value)}–${20 * Number(value) + 20}%`);
  return [
    { name: "kind", title: "Kind of text", value: (hit) => hit.role, label: (value) => KINDS[value as SearchHit["role"]] },
    { name: "s", title: "Scenario", value: (hit) => hit.scenario, label: (value) => scenarioTitle(board, value) },
    { name: "m", title: "Subject", value: (hit) => hit.subject, label: (value) => board.labels.get(value) ?? value },
    { name: "score", title: "Result", value: fifth, label: score },
    { name: "by", title: "Judge", value: (hit) => hit.judge ?? "", label: (value) => value },
    { name: "run", title: "Run", value: (hit) => String(hit.run), label: (value) => `run ${value}` },
  ];
}

/** What a search is in an address: its words, and by what they are narrowed down. */
const SEARCH = ["q", "whole", "kind", "s", "m", "score", "by", "run"] as const;

/** The search of an address. */
export function searchOf(query: URLSearchParams): Query {
  return Object.fromEntries(SEARCH.map((name) => [name, query.get(name)]));
}

/** Hits of the values that the address chooses; `but`: a facet that does not count. */
export function narrowed(hits: readonly SearchHit[], all: readonly Facet[], query: URLSearchParams, but?: Facet): readonly SearchHit[] {
  const chosen = all.filter((facet) => facet !== but && (query.get(facet.name) ?? "") !== "");
  return hits.filter((hit) => chosen.every((facet) => facet.value(hit) === query.get(facet.name)));
}

const keyOf = (hit: SearchHit): string => `${hit.subject}/${hit.run}/${hit.scenario}`;

/** How many dialogues each value of a facet has, the most first; of those that no hit has none. */
export function counted(hits: readonly SearchHit[], facet: Facet): readonly FacetCount[] {
  const found = new Map<string, Set<string>>();
  for (const hit of hits) {
    const value = facet.value(hit);
    if (value === "") continue;
    const own = found.get(value) ?? new Set();
    found.set(value, own.add(keyOf(hit)));
  }
  const counts = [...found].map(([value, own]) => ({ value, label: facet.label(value), count: own.size }));
  return counts.sort((one, other) => other.count - one.count || one.label.localeCompare(other.label, "en", { numeric: true }));
}

/** The dialogues of hits, in the order of the board, its scenarios and runs. */
export function dialogues(board: CurrentBoard, cells: CellsDocument | null, hits: readonly SearchHit[]): readonly FoundDialogue[] {
  const found = new Map<string, SearchHit[]>();
  for (const hit of hits) found.set(keyOf(hit), [...(found.get(keyOf(hit)) ?? []), hit]);
  const [subjects, scenarios] = [slugsInOrder(board), board.index.scenarios.map((one) => one.id)].map((ids) => new Map(ids.map((id, at) => [id, at])));
  const place = (order: ReadonlyMap<string, number> | undefined, id: string) => order?.get(id) ?? Number.MAX_SAFE_INTEGER;
  return [...found.values()]
    .flatMap((own): FoundDialogue[] => {
      const [first] = own;
      if (first === undefined) return [];
      return [{ subject: first.subject, scenario: first.scenario, run: first.run, share: shareOf(cells, first), hits: own }];
    })
    .sort(
      (one, other) =>
        place(subjects, one.subject) - place(subjects, other.subject) ||
        place(scenarios, one.scenario) - place(scenarios, other.scenario) ||
        one.run - other.run,
    );
}
