import { useMemo, useState } from "react";
import { Link } from "wouter";
import { useBoard } from "../data/board";
import { scenarioPage, subjectPage } from "../route/paths";
import { useAddress } from "../route/query";
import type { TableDocument } from "../schema";
import { compareValues, type Direction } from "../text/compare";
import { isNumeric, sentence, shown } from "../text/format";
import { Downloads } from "./Downloads";
import { SortHead } from "./SortHead";
import { SubjectLabel } from "./SubjectName";

interface DataTableProps {
  readonly table: TableDocument;
  readonly level?: "h2" | "h3";
}

/** A table of the report: sorted by its heads, with its notes, its files and links to its subjects. */
export function DataTable({ table, level: Heading = "h2" }: DataTableProps) {
  const [sort, setSort] = useState<{ place: number; direction: Direction } | null>(null);
  const [all, setAll] = useState(false);
  const order = useMemo(() => {
    const places = table.rows.map((_, row) => row);
    if (sort === null) return places;
    const value = (row: number) => table.rows[row]?.[sort.place] ?? null;
    return places.sort((one, other) => compareValues(value(one), value(other), sort.direction));
  }, [table, sort]);
  const rows = all ? order : order.slice(0, table.limit ?? order.length);
  const about = table.columns.map((column) => column.about ?? "").filter((text) => text !== "");
  return (
    <section aria-labelledby={`table-${table.id}`}>
      <div className="mb-1 head">
        <Heading id={`table-${table.id}`}>
          {table.title}
        </Heading>
        {table.rows.length > 0 && <Downloads name={table.id} columns={table.columns} rows={order.map((row) => table.rows[row] ?? [])} />}
      </div>
      {table.rows.length > 0 && (
        <div className="overflow-x-auto">
          <table className="data-table max-sm:text-[0.8125rem]">
            <thead>
              <tr>
                {table.columns.map((column, place) => (
                  <SortHead
                    key={column.key}
                    right={isNumeric(column)}
                    about={column.about ?? ""}
                    sorted={sort?.place === place ? sort.direction : null}
                    onSort={() => {
                      const first = isNumeric(column) ? "desc" : "asc";
                      const turned = sort?.direction === "asc" ? "desc" : "asc";
                      setSort({ place, direction: sort?.place === place ? turned : first });
                    }}
                  >
                    {column.head}
                  </SortHead>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row}>
                  {table.columns.map((column, place) => (
                    <td key={column.key} className={`align-top ${isNumeric(column) ? "text-right whitespace-nowrap" : isLong(table.rows[row]?.[place]) ? "min-w-56" : ""}`}>
                      <Cell table={table} row={row} place={place} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {table.rows.length === 0 && (table.notes ?? []).length === 0 && <p className="text-muted">Nothing to show.</p>}
      {rows.length < order.length && (
        <button type="button" className="control mt-2" onClick={() => { setAll(true); }}>
          Show all {order.length} rows
        </button>
      )}
      <Notes lines={[...(table.notes ?? []), ...about]} />
    </section>
  );
}

const LONG = 28; // letters of a text that gets room

function isLong(value: unknown): boolean {
  return typeof value === "string" && value.length > LONG;
}

function Cell({ table, row, place }: { readonly table: TableDocument; readonly row: number; readonly place: number }) {
  const address = useAddress();
  const { scenarios } = useBoard();
  const column = table.columns[place];
  const slug = table.subjects?.[row];
  if (column === undefined) return null;
  const value = table.rows[row]?.[place] ?? null;
  const text = column.kind === "id" && typeof value === "string" ? value : shown(column, value); // an id as commands take it
  const isSubject = slug !== undefined && slug !== "" && /^(subject|label|model)$/.test(column.key);
  const isScenario = (column.kind === "id" || column.key === "scenario") && scenarios.has(text);
  if (!isSubject && !isScenario) return text;
  return (
    <Link href={address(isScenario ? scenarioPage(text) : subjectPage(slug ?? ""))} className="link">
      {isSubject ? <SubjectLabel slug={slug} /> : text}
    </Link>
  );
}

function Notes({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <ul className="note mt-2 space-y-1">
      {lines.map((line, place) => (
        <li key={place}>{sentence(line)}</li>
      ))}
    </ul>
  );
}
