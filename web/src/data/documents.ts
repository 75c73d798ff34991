// The one place that fetches: each document once, by its path. In a report's file the documents are in the page itself.
import { notifyManager, QueryClient, queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { SCHEMA } from "../schema";
import { IN_FILE } from "./boot";
import { embedded } from "./embedded";

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly why: string };

const BEHIND = "X-Independence-Behind"; // the server is making a newer one
const SOON = 2000; // milliseconds
const LOADING = { state: "loading" } as const;

interface Versioned {
  readonly schema: number;
}

const due = new Set<string>(); // asked for again soon, once however often it came

notifyManager.setScheduler(queueMicrotask);
const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity, gcTime: Infinity, networkMode: "always", retry: false, retryOnMount: false,
      refetchOnWindowFocus: false, refetchOnReconnect: false,
    },
  },
});

function query(path: string | null) {
  return queryOptions({ queryKey: [path], queryFn: () => read(path ?? ""), enabled: path !== null });
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

function askAgain(path: string): void {
  if (due.has(path)) return;
  due.add(path);
  window.setTimeout(() => {
    due.delete(path);
    void client.refetchQueries({ queryKey: [path], type: "active" });
  }, SOON);
}

async function fetched(path: string): Promise<Versioned> {
  const response = await fetch(path).catch(() => {
    throw new Error(navigator.onLine ? "The server does not answer." : "This device is offline.");
  });
  if (response.headers.has(BEHIND)) askAgain(path);
  if (!response.ok) throw new Error(await reason(response));
  return (await response.json().catch(() => {
    throw new Error("The document was cut off or is not JSON.");
  })) as Versioned;
}

async function read(path: string): Promise<unknown> {
  const value = await (IN_FILE ? embedded(path) : fetched(path));
  if (value.schema !== SCHEMA) throw new Error(`Written for schema ${value.schema}; this page reads ${SCHEMA}. Reload the page.`);
  return value;
}

/** Fetches a document unless it is there or on its way. */
export function request(path: string): void {
  void client.query(query(path)).catch(() => undefined); // who shows it says why it failed
}

/** Whether a document is on its way. */
export function isFetching(): boolean {
  return client.isFetching() > 0;
}

/** Fetches a document again after a failure, or because it changed; what is shown stays until the answer is there. */
export function refresh(path: string): void {
  void client.refetchQueries({ queryKey: [path] });
}

/** Forgets what is not shown and fetches again what is: the store behind the server changed. */
export function refreshAll(): void {
  client.removeQueries({ type: "inactive" });
  void client.refetchQueries();
}

/** Does something with a document once, as soon as it is there. */
export function onceReady(path: string, then: (value: unknown) => void): void {
  client.query(query(path)).then(then, () => undefined);
}

function loaded<T>({ data, error }: { readonly data: unknown; readonly error: Error | null }): Loaded<T> {
  if (data !== undefined) return { state: "ready", value: data as T };
  return error === null ? LOADING : { state: "failed", why: error.message };
}

/** The document of a path as far as it is there; null asks for none. */
export function useDocument<T>(path: string | null): Loaded<T> {
  return loaded<T>(useQuery(query(path), client));
}

/** Several documents of one kind, in the order of their paths. */
export function useDocuments<T>(paths: readonly string[]): readonly Loaded<T>[] {
  return useQueries({ queries: paths.map(query) }, client).map((one) => loaded<T>(one));
}
