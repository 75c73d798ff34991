// Whether the search box is open, on whatever page.
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let isOpen = false;

/** Opens or closes the search box. */
export function openSearch(open: boolean): void {
  isOpen = open;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether it is open. */
export function useSearchIsOpen(): boolean {
  return useSyncExternalStore(subscribe, () => isOpen);
}
