import { createElement, useEffect, useSyncExternalStore, type ComponentType } from "react";
import { Waiting } from "../ui/Notice";

/** The script of a page could not be fetched: no network, or another version of the page lies there by now. */
export class ScriptMissing extends Error {}

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
          (error: unknown) => { settle(new ScriptMissing(String(error))); },
        );
      return () => {
        if (found instanceof Error) found = null; // it is asked for again when it is shown again
      };
    }, []);
    if (page instanceof Error) throw page;
    return page === null ? <Waiting /> : createElement(page);
  };
}
