import { useCallback, useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import { navigate } from "./hash";

/** What to set in the query; null or an empty text takes a name out of it. */
export type Query = Readonly<Record<string, string | number | null | undefined>>;

const KEPT = ["board", "judge", "scoring"] as const;

function written(parameters: URLSearchParams): string {
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

function apply(parameters: URLSearchParams, query: Query): void {
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "") parameters.delete(name);
    else parameters.set(name, String(value));
  }
}

/** The query of this page, and how to change it; changes replace the address unless `push` is set. */
export function useQuery(): [URLSearchParams, (query: Query, push?: boolean) => void] {
  const [path] = useLocation();
  const search = useSearch();
  const parameters = useMemo(() => new URLSearchParams(search), [search]);
  const change = useCallback(
    (query: Query, push = false) => {
      const next = new URLSearchParams(search);
      apply(next, query);
      navigate(path + written(next), { replace: !push });
    },
    [path, search],
  );
  return [parameters, change];
}

/** Addresses of pages about the same board, judge and scoring as this one. */
export function useAddress(): (path: string, query?: Query) => string {
  const search = useSearch();
  return useCallback(
    (path: string, query: Query = {}) => {
      const here = new URLSearchParams(search);
      const next = new URLSearchParams();
      apply(next, Object.fromEntries(KEPT.map((name) => [name, here.get(name)])));
      apply(next, query);
      return path + written(next);
    },
    [search],
  );
}
