// One copy of each document by its path. What is asked for twice is fetched once, and an answer is only ever
// stored under the path it was asked by: a slow answer cannot land on another page.
import { useCallback, useSyncExternalStore } from "react";
import { SCHEMA } from "../schema";

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly why: string };

const BEHIND = "X-Independence-Behind"; // the server is making a newer one
const SOON = 2000; // milliseconds

interface Versioned {
  readonly schema: number;
}

const LOADING = { state: "loading" } as const;
const kept = new Map<string, Loaded<unknown>>();
const asked = new Map<string, number>(); // how often; only the newest answer counts
const readers = new Map<string, number>(); // components that show it
const listeners = new Set<() => void>();

function set(path: string, loaded: Loaded<unknown>): void {
  kept.set(path, loaded);
  for (const listener of listeners) listener();
}

/** What the server says, or what its status means. */
async function reason(response: Response): Promise<string> {
  try {
    const told = (await response.json()) as { readonly error?: unknown };
    if (typeof told.error === "string") return told.error;
  } catch {
    // A server of files says it in HTML.
  }
  return response.status === 404 ? "This document is not part of this site." : `The server answered ${response.status}.`;
}

async function read(path: string): Promise<Loaded<unknown>> {
  let response: Response;
  try {
    response = await fetch(path);
  } catch {
    return { state: "failed", why: navigator.onLine ? "The server does not answer." : "This device is offline." };
  }
  if (response.headers.has(BEHIND)) window.setTimeout(() => { if (isRead(path)) refresh(path); }, SOON);
  if (!response.ok) return { state: "failed", why: await reason(response) };
  try {
    const value = (await response.json()) as Versioned;
    if (value.schema !== SCHEMA)
      return { state: "failed", why: `Written for schema ${value.schema}; this page reads ${SCHEMA}. Reload the page.` };
    return { state: "ready", value };
  } catch {
    return { state: "failed", why: "The document was cut off or is not JSON." };
  }
}

function isRead(path: string): boolean {
  return (readers.get(path) ?? 0) > 0;
}

/** Fetches a document unless it is there or on its way. */
export function request(path: string): void {
  if (kept.has(path)) return;
  kept.set(path, LOADING);
  fetchInto(path);
}

function fetchInto(path: string): void {
  const number = (asked.get(path) ?? 0) + 1;
  asked.set(path, number);
  void read(path).then((loaded) => {
    if (asked.get(path) !== number) return;
    if (loaded.state === "ready" || kept.get(path)?.state !== "ready") set(path, loaded);
  });
}

/** Fetches a document again after a failure, or because it changed; what is shown stays until the answer is there. */
export function refresh(path: string): void {
  if (kept.get(path)?.state === "failed") set(path, LOADING);
  fetchInto(path);
}

/** Forgets what is not shown and fetches again what is: the store behind the server changed. */
export function refreshAll(): void {
  for (const path of [...kept.keys()]) {
    if (isRead(path)) refresh(path);
    else kept.delete(path);
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Does something with a document once, as soon as it is there. */
export function onceReady(path: string, then: (value: unknown) => void): void {
  request(path);
  const look = (): boolean => {
    const loaded = kept.get(path);
    if (loaded?.state === "ready") then(loaded.value);
    return loaded?.state !== "loading";
  };
  if (look()) return;
  const stop = subscribe(() => { if (look()) stop(); });
}

/** The document of a path as far as it is there; null asks for none. */
export function useDocument<T>(path: string | null): Loaded<T> {
  const follow = useCallback(
    (listener: () => void) => {
      if (path !== null) readers.set(path, (readers.get(path) ?? 0) + 1);
      const stop = subscribe(listener);
      return () => {
        if (path !== null) readers.set(path, (readers.get(path) ?? 1) - 1);
        stop();
      };
    },
    [path],
  );
  const look = useCallback((): Loaded<T> => {
    if (path === null) return LOADING;
    request(path);
    return (kept.get(path) ?? LOADING) as Loaded<T>;
  }, [path]);
  return useSyncExternalStore(follow, look);
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
