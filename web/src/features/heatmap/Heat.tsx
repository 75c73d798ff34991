import { useMemo, useRef, useState, type CSSProperties, type KeyboardEvent, type ReactNode } from "react";
import { Link } from "wouter";
import { useQuery } from "../../route/query";
import type { ColumnInfo } from "../../schema";
import type { Direction } from "../../text/compare";
import type { Value } from "../../text/format";
import { Downloads } from "../../ui/Downloads";
import { FilterField } from "../../ui/FilterField";
import { RowGroups } from "../../ui/RowGroups";
import { SubjectLabel } from "../../ui/SubjectName";
import { ordered, ORDERS, type HeatEntry } from "./order";

const MOST = 2000; // elements that are drawn at once

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** One side of a heatmap. */
export interface HeatAxis {
  readonly name: string; // Subject
  readonly given: string; // what its usual order is called
  readonly entries: readonly HeatEntry[];
  readonly similar: readonly string[]; // keys, similar ones beside each other
}

interface HeatProps {
  readonly name: string; // of files
  readonly title: string; // of the drawing
  readonly colours: "kept" | "middle";
  readonly rows: HeatAxis;
  readonly columns: HeatAxis;
  readonly value: (row: string, column: string) => number | null;
  readonly shown: (value: number) => string;
  readonly style: (value: number) => CSSProperties;
  readonly about: ReactNode;
  readonly children?: ReactNode; // further controls
  readonly onOpen: (row: string, column: string, cell: HTMLElement) => void;
}

/** Coloured cells that are sorted both ways by any row or column head, with heads that stay in sight. */
export function Heat({ name, title, colours, rows: rowAxis, columns: columnAxis, value, shown, style, about, children, onOpen }: HeatProps) {
  const [query, change] = useQuery();
  const [active, setActive] = useState<readonly [row: number, column: number]>([0, 0]);
  const table = useRef<HTMLTableElement>(null);
  const sort = query.get("sort") ?? "";
  const direction: Direction = query.get("dir") === "desc" ? "desc" : "asc";
  const across = query.get("columns") ?? "";
  const columns = useMemo(
    () => ordered(columnAxis.entries, across, across === "spread" ? "desc" : "asc", columnAxis.similar, () => null),
    [columnAxis, across],
  );
  const rows = useMemo(
    () => ordered(rowAxis.entries, sort, direction, rowAxis.similar, (row) => value(row, sort)),
    [rowAxis, sort, direction, value],
  );
  const sortBy = (key: string) => {
    if (sort !== key) change({ sort: key, dir: null });
    else change(direction === "asc" ? { dir: "desc" } : { sort: null, dir: null });
  };
  const open = (row: number, column: number) => {
    const [first, second] = [rows[row]?.key, columns[column]?.key];
    const cell = table.current?.querySelector<HTMLElement>(`[data-cell="${row}/${column}"]`);
    if (first !== undefined && second !== undefined && cell) onOpen(first, second, cell);
  };
  const moved = (event: KeyboardEvent<HTMLTableElement>) => {
    if (!(event.target instanceof HTMLTableCellElement)) return; // links and buttons have keys of their own
    const step = STEPS[event.key];
    if (event.key === "Enter") open(active[0], active[1]);
    if (step === undefined) return;
    event.preventDefault();
    const row = Math.min(Math.max(active[0] + step[0], 0), rows.length - 1);
    const column = Math.min(Math.max(active[1] + step[1], 0), columns.length - 1);
    setActive([row, column]);
    table.current?.querySelector<HTMLElement>(`[data-cell="${row}/${column}"]`)?.focus();
  };
  const heatRow = (row: HeatEntry | undefined, line: number) =>
    row !== undefined && (
      <tr key={row.key}>
        <th scope="row" className="sticky left-0 z-10 max-w-72 bg-paper pr-2 text-left font-normal max-sm:max-w-36 sm:min-w-48">
          <Link href={row.to} className="block min-h-6 hover:text-accent hover:underline">
            {rowAxis.name === "Subject" ? <SubjectLabel slug={row.key} /> : row.label}
          </Link>
        </th>
        {columns.map(({ key }, column) => {
          const own = value(row.key, key);
          return (
            <td
              key={key}
              data-cell={`${line}/${column}`}
              tabIndex={active[0] === line && active[1] === column ? 0 : -1}
              className="h-6 cursor-pointer px-1 py-0.5 text-center tabular-nums"
              style={own === null ? {} : style(own)}
              onClick={() => { open(line, column); }}
              onFocus={() => { setActive([line, column]); }}
            >
              {own === null ? "—" : shown(own).replace("%", "")}
            </td>
          );
        })}
      </tr>
    );
  const files: Value[][] = rows.map((row) => [row.label, ...columns.map((column) => value(row.key, column.key))]);
  const heads: ColumnInfo[] = [
    { key: rowAxis.name.toLowerCase(), head: rowAxis.name },
    ...columns.map((column): ColumnInfo => ({ key: column.key, head: column.label, kind: "number", digits: 4 })),
  ];
  const svg = () =>
    import("../../charts/save").then(({ chartSvg }) =>
      chartSvg({
        kind: "heat",
        id: name,
        title,
        caption: title,
        colours,
        scale: colours === "kept" ? { head: "Share kept", kind: "percent", span: [0, 1] } : { head: title, kind: "signed", span: [-1, 1], digits: 2 },
        columns: columns.map(({ label }) => ({ label })),
        rows: rows.map((row) => ({ label: row.label, values: columns.map((column) => value(row.key, column.key)) })),
      }),
    );
  const isColumn = !(ORDERS as readonly string[]).includes(sort) && sort !== "";
  const byValue = isColumn || sort === "mean" || sort === "spread";
  const turned = byValue ? (direction === "asc" ? "lowest first" : "highest first") : direction === "asc" ? "in order" : "reversed";
  return (
    <>
      <div className="bar mb-2">
        <select aria-label="Order of rows" className="control sm:max-w-64" value={sort} onChange={(event) => { change({ sort: event.target.value, dir: event.target.value === "spread" ? "desc" : null }); }}>
          <option value="">Rows: {rowAxis.given}</option>
          <option value="name">Rows: by name</option>
          <option value="mean">Rows: by mean</option>
          <option value="spread">Rows: by spread over {columnAxis.name.toLowerCase()}s</option>
          <option value="similar">Rows: similar beside each other</option>
          {isColumn && <option value={sort}>Rows: by {columns.find(({ key }) => key === sort)?.label ?? sort}</option>}
        </select>
        <button type="button" className="control" aria-label={`Rows: ${turned}; reverse`} onClick={() => { change({ dir: direction === "asc" ? "desc" : null }); }}>
          {direction === "asc" ? "↑" : "↓"} {turned}
        </button>
        <select aria-label="Order of columns" className="control sm:max-w-64" value={across} onChange={(event) => { change({ columns: event.target.value }); }}>
          <option value="">Columns: {columnAxis.given}</option>
          <option value="name">Columns: by name</option>
          <option value="mean">Columns: by mean, lowest first</option>
          <option value="spread">Columns: by spread over {rowAxis.name.toLowerCase()}s, largest first</option>
          <option value="similar">Columns: similar beside each other</option>
        </select>
        <FilterField label="Filter by subject" hint="Filter by subject" className="w-44" />
        {children}
        <span className="ml-auto">
          <Downloads name={name} columns={heads} rows={files} svg={svg} />
        </span>
      </div>
      <p className="note mb-3">{about}</p>
      <div className="max-h-[80vh] overflow-auto print:max-h-none" tabIndex={0} role="group" aria-label="Heatmap, scrolls both ways">
        <table ref={table} onKeyDown={moved} className="w-full border-separate border-spacing-px text-xs" role="grid" aria-label={`${rowAxis.name}s by ${columnAxis.name.toLowerCase()}s`}>
          <thead>
            <tr>
              <th scope="col" className="sticky top-0 left-0 z-30 w-60 bg-paper pr-2 text-left align-bottom font-medium text-muted max-sm:w-32">
                {rowAxis.name}
              </th>
              {columns.map(({ key, label, head = label }) => (
                <th
                  key={key}
                  scope="col"
                  aria-sort={sort === key ? (direction === "asc" ? "ascending" : "descending") : undefined}
                  className="sticky top-0 z-20 min-w-14 bg-paper px-0.5 pb-1 text-center align-bottom font-medium text-muted"
                >
                  <button
                    type="button"
                    title={`${label}: sort by it`}
                    className={`text-[0.6875rem] leading-tight text-balance hover:text-ink ${sort === key ? "text-accent" : ""}`}
                    onClick={() => { sortBy(key); }}
                  >
                    {head}
                    {sort === key ? (direction === "asc" ? " ↑" : " ↓") : ""}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <RowGroups count={rows.length} many={Math.floor(MOST / (columns.length + 8))} row={(line) => heatRow(rows[line], line)} />
        </table>
      </div>
    </>
  );
}
