import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { pairsPath } from "../../data/paths";
import { useQuery } from "../../route/query";
import type { PairsDocument } from "../../schema";

const LEVEL = 0.05;

/** The subject that others are held against, and those that one comparison does not tell apart from it. */
export interface Reference {
  readonly slug: string;
  readonly alike: ReadonlySet<string>;
}

/** What the address names as `ref`; null where it names nobody, or the differences are not there. */
export function useReference(): Reference | null {
  const board = useBoard();
  const [query] = useQuery();
  const slug = query.get("ref");
  const loaded = useDocument<PairsDocument>(slug === null ? null : pairsPath(board, slug));
  if (slug === null || loaded.state !== "ready") return null;
  const alike = loaded.value.pairs.filter(({ p }) => p != null && p >= LEVEL).map((pair) => pair.slug);
  return { slug, alike: new Set(alike) };
}
