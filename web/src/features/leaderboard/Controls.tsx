import type { ReactNode } from "react";
import { useQuery } from "../../route/query";
import { rank, type BoardColumn, type Entry } from "./entries";
import { SubjectChoice } from "../../ui/SubjectChoice";
import { FilterField } from "../../ui/FilterField";
import { facets } from "./facets";

interface ControlsProps {
  readonly all: readonly Entry[];
  readonly optional: readonly BoardColumn[];
  readonly chosen: readonly string[];
  readonly usual: readonly string[]; // until a reader chooses
  readonly found: number;
  readonly downloads: ReactNode;
}

/** How many subjects "zoom to the top" makes room for. */
export const TOP = 20;

/** Search, facets, columns and the width of the scale; all of it is in the address. */
export function Controls({ all, optional, chosen, usual, found, downloads }: ControlsProps) {
  const [query, change] = useQuery();
  const zoomed = query.get("zoom") === "top";
  const offered = facets(all);
  const names = offered.map(({ facet }) => facet.name);
  const filtered = query.has("q") || names.some((name) => query.has(name));
  const clear = () => { change(Object.fromEntries(["q", ...names].map((name) => [name, null]))); };
  return (
    <div className="bar mb-3">
      <FilterField label="Filter subjects by name" hint="Filter by name" className="sm:w-44 max-sm:w-full" />
      {offered.length > 0 && (
        <Menu name={filtered ? "Filters on" : "Filters"}>
          <div className="grid gap-2">
            {offered.map(({ facet, values }) => (
              <label key={facet.name} className="grid grid-cols-[6rem_1fr] items-center gap-2 text-sm">
                {facet.head}
                <select
                  className="control"
                  value={query.get(facet.name) ?? ""}
                  onChange={(event) => { change({ [facet.name]: event.target.value }); }}
                >
                  <option value="">all</option>
                  {values.map((value) => (
                    <option key={value}>{value}</option>
                  ))}
                </select>
              </label>
            ))}
          </div>
        </Menu>
      )}
      <Menu name="Columns">
        <div className="grid gap-1">
          {optional.map((column) => (
            <label key={column.key} className="flex items-center gap-2 text-sm" title={column.about}>
              <input
                type="checkbox"
                checked={chosen.includes(column.key)}
                onChange={(event) => {
                  const next = event.target.checked ? [...chosen, column.key] : chosen.filter((key) => key !== column.key);
                  change({ cols: next.join(" ") === usual.join(" ") ? null : next.length === 0 ? "none" : next.join(" ") });
                }}
              />
              {column.head}
            </label>
          ))}
        </div>
      </Menu>
      {all.length > TOP && (
        <button type="button" className="control" aria-pressed={zoomed} onClick={() => { change({ zoom: zoomed ? null : "top" }); }}>
          Scale for the top {TOP}
        </button>
      )}
      <SubjectChoice
        name="Shade subjects not significantly different from one (single comparison at 5%)"
        className="sm:max-w-48"
        empty="Shade subjects not different from…"
        value={query.get("ref") ?? ""}
        order={all.filter(({ row }) => rank(row) !== "").map(({ subject }) => subject.slug)}
        onChange={(slug) => { change({ ref: slug }); }}
      />
      {filtered && (
        <button type="button" className="control" onClick={clear}>
          Clear
        </button>
      )}
      <span role="status" className="text-sm text-muted tabular-nums">
        {filtered ? `${found} of ${all.length}` : ""}
      </span>
      <span className="ml-auto">{downloads}</span>
    </div>
  );
}

function Menu({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <details className="relative">
      <summary className="control flex list-none items-center [&::-webkit-details-marker]:hidden">{name}</summary>
      <div className="absolute left-0 z-20 mt-1 max-h-[70vh] w-72 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-md border border-faint bg-paper p-3 shadow-lg">
        {children}
      </div>
    </details>
  );
}
