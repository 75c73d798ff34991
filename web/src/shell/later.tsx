import { createElement, useEffect, useSyncExternalStore, type ComponentType } from "react";
import { Waiting } from "../ui/Notice";

/** A page whose script is fetched when it is first shown; with `lazy`, React would keep what is there hidden for 300 ms. */
export function later(load: () => Promise<{ readonly default: ComponentType }>): ComponentType {
  const listeners = new Set<() => void>();
  let found: ComponentType | Error | null = null;
  const settle = (next: ComponentType | Error) => {
    found = next;
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return function Later() {
    const page = useSyncExternalStore(subscribe, () => found);
    useEffect(() => {
      if (found === null)
        load().then(
          (loaded) => { settle(loaded.default); },
          (error: unknown) => { settle(error instanceof Error ? error : new Error(String(error))); },
        );
      return () => {
        if (found instanceof Error) found = null; // it is asked for again when it is shown again
      };
    }, []);
    if (page instanceof Error) throw page;
    return page === null ? <Waiting /> : createElement(page);
  };
}
