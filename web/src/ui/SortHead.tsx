import type { ReactNode } from "react";
import type { Direction } from "../text/compare";

interface SortHeadProps {
  readonly children: ReactNode;
  readonly about?: string;
  readonly right?: boolean; // numbers stand to the right
  readonly sorted: Direction | null;
  readonly onSort: () => void;
  readonly className?: string;
}

/** A column's head that sorts by it. */
export function SortHead({ children, about, right = false, sorted, onSort, className = "" }: SortHeadProps) {
  const state = sorted === null ? undefined : sorted === "asc" ? "ascending" : "descending";
  return (
    <th
      scope="col"
      aria-sort={state}
      title={about}
      className={`px-2 py-1.5 align-bottom text-xs font-medium text-muted ${right ? "text-right" : "text-left"} ${className}`}
    >
      <button type="button" className={`hover:text-ink ${right ? "text-right" : "text-left"}`} onClick={onSort}>
        {children}
        <span aria-hidden="true" className={`ml-1 inline-block w-2 ${sorted === null ? "opacity-0" : "text-accent"}`}>
          {sorted === "asc" ? "↑" : "↓"}
        </span>
      </button>
    </th>
  );
}
