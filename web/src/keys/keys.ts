// Keys of the keyboard. Pages register what they understand; single letters can be switched off (WCAG 2.1.4).
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";

/** What each key does, as the help lists it. */
export const KEYS: readonly (readonly [key: string, does: string])[] = [
  ["/", "search, on every page"],
  ["Ctrl K", "the same, also while typing"],
  ["f", "filter the rows of this page"],
  ["n  N", "next, previous place of the words"],
  ["j  k", "next, previous item"],
  ["[  ]", "previous, next run"],
  ["{  }", "previous, next scenario"],
  ["J  K", "next, previous subject"],
  ["c", "add to the comparison"],
  ["t", "show or hide thinking"],
  ["r", "text as it came, or formatted"],
  ["g then a letter", "go to a page"],
  ["0 … 9  x", "rating: a score, x for ten"],
  ["a  b  e  s", "rating of two: A, B, equal, skip"],
  ["Enter", "rating: next"],
  ["Backspace", "rating: back a field"],
  ["?", "this list"],
  ["Escape", "close, or take marks away"],
];

export type Bindings = Readonly<Record<string, () => void>>;

const STORED = "independence.letters";
const registered: { current: Bindings }[] = [];
const listeners = new Set<() => void>();
let helpIsOpen = false;
let before = ""; // the key before this one, where it was g

function stored(): boolean {
  try {
    return localStorage.getItem(STORED) !== "off";
  } catch {
    return true;
  }
}

let letters = stored();

function changed(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Opens the list of keys. */
export function showKeys(): void {
  helpIsOpen = true;
  changed();
}

/** Closes the list of keys. */
export function hideKeys(): void {
  helpIsOpen = false;
  changed();
}

/** Switches single letters on or off, also for the next visit. */
export function allowLetters(allowed: boolean): void {
  letters = allowed;
  try {
    localStorage.setItem(STORED, allowed ? "on" : "off");
  } catch {
    // Storage may be forbidden: the choice holds for this visit.
  }
  changed();
}

/** Whether the list of keys is open, and whether single letters are on. */
export function useKeySettings(): { open: boolean; letters: boolean } {
  const open = useSyncExternalStore(subscribe, () => helpIsOpen);
  const allowed = useSyncExternalStore(subscribe, () => letters);
  return { open, letters: allowed };
}

/** What keys do while a component is shown; the newest component that knows a key has it. */
export function useKeys(bindings: Bindings): void {
  const own = useRef(bindings);
  useEffect(() => {
    own.current = bindings;
  });
  useLayoutEffect(() => { // what is seen has its keys
    registered.push(own);
    return () => {
      registered.splice(registered.indexOf(own), 1);
    };
  }, []);
}

// Fields in which letters are text or choose something. A box that was just ticked is none.
const WRITTEN = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]";

/**
 * Whether a key already means something where the focus is; an open dialog has its own keys alone. In one that was just
 * closed the focus stays until the next frame.
 */
function isTaken({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest(`${WRITTEN}, dialog[open]`) !== null || (key === "Enter" && /^(BUTTON|A|SUMMARY)$/.test(target.tagName));
}

function pressed(event: KeyboardEvent): void {
  const name = before === "g" && event.key !== "g" ? `g ${event.key}` : event.key;
  const ours = !(event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event));
  before = ours ? event.key : "";
  if (!ours || (event.key !== "Escape" && !letters)) return;
  const found = registered.findLast((bindings) => bindings.current[name] !== undefined)?.current[name];
  if (found === undefined) return;
  event.preventDefault();
  found();
}

document.addEventListener("keydown", pressed);
