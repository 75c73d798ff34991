import { useRef } from "react";
import { useKeys } from "../keys/keys";
import { useQuery } from "../route/query";

interface FilterFieldProps {
  readonly label: string; // what it filters, and by what
  readonly hint: string; // shown while it is empty
  readonly className?: string;
}

/** The words that rows are filtered by: `q` of the address. The key f leads to it. */
export function FilterField({ label, hint, className = "" }: FilterFieldProps) {
  const [query, change] = useQuery();
  const field = useRef<HTMLInputElement>(null);
  useKeys({ f: () => field.current?.focus() });
  return (
    <input
      ref={field}
      type="search"
      aria-label={label}
      aria-keyshortcuts="f"
      placeholder={hint}
      className={`control cursor-text ${className}`}
      value={query.get("q") ?? ""}
      onChange={(event) => { change({ q: event.target.value }); }}
    />
  );
}
