// The address is the hash: `#/path?query`, so that one file serves every page from any folder.
import { useSyncExternalStore } from "react";
import type { BaseLocationHook, BaseSearchHook } from "wouter";

interface EntryState {
  readonly key: number;
}

const listeners = new Set<() => void>();
const scrolled = new Map<number, number>();
let lastKey = Date.now();
let arrival: "first" | "forward" | "back" = "first";
let wanted: number | null = null; // how far down to go, until the page is that long or the reader moves
let reached = 0;

function parts(): [path: string, query: string] {
  const hash = window.location.hash.slice(1);
  const mark = hash.indexOf("?");
  const path = mark < 0 ? hash : hash.slice(0, mark);
  return [path.startsWith("/") ? path : `/${path}`, mark < 0 ? "" : hash.slice(mark + 1)];
}

function entryKey(): number {
  const state: unknown = window.history.state;
  return typeof state === "object" && state !== null && "key" in state ? (state as EntryState).key : 0;
}

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Starts following the address: Back and Forward, links, and how far each page was scrolled. */
export function followAddress(): void {
  window.history.scrollRestoration = "manual";
  window.addEventListener("popstate", () => {
    arrival = "back";
    wanted = scrolled.get(entryKey()) ?? 0;
    reached = window.scrollY;
    notify();
  });
  window.addEventListener("hashchange", notify);
  window.addEventListener("scroll", noteScroll, { passive: true });
  // Long lists are drawn a part at a time, and charts when they come: the page may be too short at first.
  new ResizeObserver(scrollOn).observe(document.body);
}

function scrollOn(): void {
  if (wanted === null) return;
  window.scrollTo({ top: wanted, behavior: "instant" });
  reached = window.scrollY;
}

function noteScroll(): void {
  const end = document.documentElement.scrollHeight - window.innerHeight; // where a page stops that became shorter
  if (wanted !== null && [reached, end].some((place) => Math.abs(window.scrollY - place) <= 1)) return;
  wanted = null;
  scrolled.set(entryKey(), window.scrollY);
}

/** Scrolls a page to where it was read before, or to its top; false where it is the first page of all. */
export function arrive(): boolean {
  const first = arrival === "first";
  if (arrival === "forward") wanted = 0;
  arrival = "forward";
  scrollOn();
  wanted ||= null; // a top is there at once
  return !first;
}

/** Goes to `#to`; `replace` leaves no step for Back. */
export function navigate(to: string, options: { readonly replace?: boolean } = {}): void {
  wanted = null;
  if (options.replace === true) {
    window.history.replaceState(window.history.state, "", `#${to}`);
  } else {
    lastKey += 1;
    arrival = "forward";
    window.history.pushState({ key: lastKey } satisfies EntryState, "", `#${to}`);
  }
  notify();
}

export const useHashPath: BaseLocationHook = () => [useSyncExternalStore(subscribe, () => parts()[0]), navigate];
export const useHashQuery: BaseSearchHook = () => useSyncExternalStore(subscribe, () => parts()[1]);

/** Whether the names in an address can be read. */
export function isWritten(address: string): boolean {
  try {
    return decodeURIComponent(address).length >= 0; // a call whose result nobody reads is left out when the page is built
  } catch {
    return false;
  }
}
