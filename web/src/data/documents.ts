// One copy of each document by its path. What is asked for twice is fetched once, and an answer is only ever
// stored under the path it was asked by: a slow answer cannot land on another page.
import { useCallback, useSyncExternalStore } from "react";
import { SCHEMA } from "../schema";

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly why: string };

interface Versioned {
  readonly schema: number;
}

const LOADING = { state: "loading" } as const;
const kept = new Map<string, Loaded<unknown>>();
const listeners = new Set<() => void>();

function set(path: string, loaded: Loaded<unknown>): void {
  kept.set(path, loaded);
  for (const listener of listeners) listener();
}

function reason(status: number): string {
  if (status === 404) return "This document is not part of this site.";
  if (status === 403) return "The server refused this document.";
  return `The server answered ${status}.`;
}

async function read(path: string): Promise<Loaded<unknown>> {
  let response: Response;
  try {
    response = await fetch(path, { headers: { Accept: "application/json" } });
  } catch {
    return { state: "failed", why: navigator.onLine ? "The server does not answer." : "This device is offline." };
  }
  if (!response.ok) return { state: "failed", why: reason(response.status) };
  try {
    const value = (await response.json()) as Versioned;
    if (value.schema !== SCHEMA)
      return { state: "failed", why: `Written for schema ${value.schema}; this page reads ${SCHEMA}. Reload the page.` };
    return { state: "ready", value };
  } catch {
    return { state: "failed", why: "The document was cut off or is not JSON." };
  }
}

/** Fetches a document unless it is there or on its way. */
export function request(path: string): void {
  if (kept.has(path)) return;
  kept.set(path, LOADING);
  void read(path).then((loaded) => {
    set(path, loaded);
  });
}

/** Fetches a document again after a failure, or because it changed; what is shown stays until the answer is there. */
export function refresh(path: string): void {
  if (kept.get(path)?.state === "failed") set(path, LOADING);
  void read(path).then((loaded) => {
    if (loaded.state === "ready" || kept.get(path)?.state !== "ready") set(path, loaded);
  });
}

/** Forgets what is not shown and fetches again what is: the store behind the server changed. */
export function refreshAll(shown: (path: string) => boolean): void {
  for (const path of [...kept.keys()]) {
    if (shown(path)) refresh(path);
    else kept.delete(path);
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The document of a path as far as it is there; null asks for none. */
export function useDocument<T>(path: string | null): Loaded<T> {
  const look = useCallback((): Loaded<T> => {
    if (path === null) return LOADING;
    request(path);
    return (kept.get(path) ?? LOADING) as Loaded<T>;
  }, [path]);
  return useSyncExternalStore(subscribe, look);
}

/** Several documents of one kind, in the order of their paths. The list of paths must be the same object while it is the same. */
export function useDocuments<T>(paths: readonly string[]): readonly Loaded<T>[] {
  const key = useCallback((): string => {
    paths.forEach(request);
    return paths.map((path) => `${path}:${kept.get(path)?.state ?? ""}`).join("|");
  }, [paths]);
  useSyncExternalStore(subscribe, key);
  return paths.map((path) => (kept.get(path) ?? LOADING) as Loaded<T>);
}
