import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "independence.theme";
const listeners = new Set<() => void>();

function current(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows the page in a theme from now on, and on the next visit. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be forbidden: the choice holds for this visit.
  }
  for (const listener of listeners) listener();
}

/** Paper is light, whatever was chosen. */
export function printLight(): void {
  const { dataset } = document.documentElement;
  let before: string | undefined;
  window.addEventListener("beforeprint", () => {
    before = dataset["theme"];
    dataset["theme"] = "light";
  });
  window.addEventListener("afterprint", () => {
    if (before === undefined) delete dataset["theme"];
    else dataset["theme"] = before;
  });
}

/** The theme that was chosen. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, current);
}
