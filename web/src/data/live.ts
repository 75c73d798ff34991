// Follows a store that is served: asks once a second whether it has changed, and says so. What is shown changes only
// when the reader asks for it.
import { useSyncExternalStore } from "react";
import type { ChangesDocument } from "../schema";
import { refreshAll } from "./documents";

export interface Following {
  readonly changes: ChangesDocument | null; // null: nothing was heard yet
  readonly shownVersion: string; // of the store that the page shows
  readonly shows: number; // how often the reader asked for what is new
  readonly lost: boolean; // the server does not answer
}

const EVERY = 1000; // milliseconds
const HIDDEN_EVERY = 5000;
const SLOWEST = 15000;
const listeners = new Set<() => void>();
let following: Following = { changes: null, shownVersion: "", shows: 0, lost: false };
let failures = 0;

function set(next: Following): void {
  following = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function ask(): Promise<void> {
  try {
    const response = await fetch("api/changes");
    if (!response.ok) throw new Error(response.statusText);
    const changes = (await response.json()) as ChangesDocument;
    failures = 0;
    const shownVersion = following.shownVersion === "" ? changes.version : following.shownVersion;
    set({ ...following, changes, shownVersion, lost: false });
  } catch {
    failures += 1;
    if (failures > 2 && !following.lost) set({ ...following, lost: true });
  }
  const usual = document.hidden ? HIDDEN_EVERY : EVERY;
  window.setTimeout(() => void ask(), Math.min(usual * 2 ** failures, SLOWEST));
}

/** Begins to follow the store; once, where the page is served by `independence view`. */
export function followStore(): void {
  void ask();
}

/** Shows the store as it is now. */
export function showChanges(): void {
  refreshAll();
  set({ ...following, shownVersion: following.changes?.version ?? "", shows: following.shows + 1 });
}

/** What is known of the store behind the page. */
export function useFollowing(): Following {
  return useSyncExternalStore(subscribe, () => following);
}
