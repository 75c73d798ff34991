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

const SHORT = 12; // letters of a head that is not broken

/** A column's head that sorts by it. */
export function SortHead({ children, about, right = false, sorted, onSort, className = "" }: SortHeadProps) {
  const short = typeof children !== "string" || children.length <= SHORT;
  const state = sorted === null ? undefined : sorted === "asc" ? "ascending" : "descending";
  return (
    <th
      scope="col"
      aria-sort={state}
      title={about}
      className={`${right ? "text-right" : ""} ${short ? "whitespace-nowrap" : ""} ${className}`}
    >
      <button type="button" className={`relative max-sm:py-2 hover:text-ink ${right ? "text-right" : "text-left"} ${sorted === null ? "" : "text-ink"}`} onClick={onSort}>
        {children}
        {sorted !== null && (
          <span aria-hidden="true" className={`absolute top-0 text-accent ${right ? "right-full pr-0.5" : "left-full pl-0.5"}`}>
            {sorted === "asc" ? "↑" : "↓"}
          </span>
        )}
      </button>
    </th>
  );
}
