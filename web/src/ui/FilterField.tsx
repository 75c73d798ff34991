import type { RefObject } from "react";
import { useQuery } from "../route/query";

interface FilterFieldProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly label: string; // what it filters, and by what
  readonly hint: string; // shown while it is empty
  readonly className?: string;
}

/** The words that rows are filtered by: `q` of the address. */
export function FilterField({ field, label, hint, className = "" }: FilterFieldProps) {
  const [query, change] = useQuery();
  return (
    <input
      ref={field}
      type="search"
      aria-label={label}
      placeholder={hint}
      className={`control cursor-text ${className}`}
      value={query.get("q") ?? ""}
      onChange={(event) => { change({ q: event.target.value }); }}
    />
  );
}
