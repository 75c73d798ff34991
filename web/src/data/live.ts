// Follows a store that is served: the server tells what has changed. What is shown changes when the reader asks for it,
// or by itself where the reader follows.
import { useEffect, useSyncExternalStore } from "react";
import type { ChangesDocument, LiveDocument } from "../schema";
import { refreshAll } from "./documents";

export interface Following {
  readonly changes: ChangesDocument | null; // null: nothing was heard yet
  readonly shownVersion: string; // of the store that the page shows
  readonly shows: number; // how often what is new was shown
  readonly lost: boolean; // the server does not answer
  readonly follows: boolean | null; // what is new is shown as it comes; null: nobody has chosen
  readonly live: LiveDocument | null; // of the board that a page watches
}

const FIRST_RETRY = 1000; // milliseconds
const SLOWEST_RETRY = 15000;
const BETWEEN_SHOWS = 2000;
const CHOICE = "follow";
const listeners = new Set<() => void>();
let following: Following = { changes: null, shownVersion: "", shows: 0, lost: false, follows: chosen(), live: null };
let stream: EventSource | null = null;
let watched = ""; // the board whose dialogues are counted
let failures = 0;
let retry = 0;
let nextShow = 0;

function chosen(): boolean | null {
  try {
    const kept = sessionStorage.getItem(CHOICE);
    return kept === null ? null : kept === "yes";
  } catch {
    return null; // a browser that keeps nothing
  }
}

function set(next: Partial<Following>): void {
  following = { ...following, ...next };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function open(): void {
  window.clearTimeout(retry);
  stream?.close();
  stream = null;
  if (document.hidden) return; // nobody looks; a browser has few connections for one server
  const source = new EventSource(watched === "" ? "api/changes" : `api/changes?board=${encodeURIComponent(watched)}`);
  stream = source;
  source.addEventListener("changes", ({ data }: MessageEvent<string>) => {
    failures = 0;
    const changes = JSON.parse(data) as ChangesDocument;
    set({ changes, shownVersion: following.shownVersion === "" ? changes.version : following.shownVersion, lost: false });
    showSoon();
  });
  source.addEventListener("board", ({ data }: MessageEvent<string>) => { set({ live: JSON.parse(data) as LiveDocument }); });
  source.onerror = () => {
    if (stream !== source) return;
    source.close();
    failures += 1;
    if (failures > 2) set({ lost: true });
    retry = window.setTimeout(open, Math.min(FIRST_RETRY * 2 ** (failures - 1), SLOWEST_RETRY));
  };
}

/** Begins to follow the store; once, where the page is served by `independence view`. */
export function followStore(): void {
  document.addEventListener("visibilitychange", open);
  window.addEventListener("online", open);
  window.addEventListener("pagehide", () => stream?.close());
  open();
}

/** Shows the store as it is now. */
export function showChanges(): void {
  refreshAll();
  set({ shownVersion: following.changes?.version ?? "", shows: following.shows + 1 });
}

/** Shows what is new to who follows, at most every two seconds. */
function showSoon(): void {
  if (following.follows !== true || following.changes === null || following.changes.version === following.shownVersion) return;
  if (nextShow !== 0) return;
  showChanges();
  nextShow = window.setTimeout(() => {
    nextShow = 0;
    showSoon();
  }, BETWEEN_SHOWS);
}

/** Shows from now on what is new as it comes, or no longer; for as long as this tab is open. */
export function setFollows(follows: boolean): void {
  try {
    sessionStorage.setItem(CHOICE, follows ? "yes" : "no");
  } catch {
    // It holds until the page is loaded again.
  }
  set({ follows });
  showSoon();
}

/** What is known of the store behind the page. */
export function useFollowing(): Following {
  return useSyncExternalStore(subscribe, () => following);
}

/** How far the dialogues of a board are, as long as it is shown; who comes from here follows unless they chose otherwise. */
export function useLive(board: string): LiveDocument | null {
  const { live } = useFollowing();
  useEffect(() => {
    watched = board;
    open();
    if (following.follows === null) setFollows(true);
    return () => {
      watched = "";
      open();
    };
  }, [board]);
  return live?.board === board ? live : null;
}
