import type { ColumnInfo } from "../schema";
import type { Value } from "../text/format";
import { save, toCsv, toJson } from "./download";

interface DownloadsProps {
  readonly name: string; // of the files, without what comes after the dot
  readonly columns: readonly ColumnInfo[];
  readonly rows: readonly (readonly Value[])[];
  readonly svg?: (() => Promise<string>) | undefined; // the same as a drawing
}

/** Exactly what is shown, as files. */
export function Downloads({ name, columns, rows, svg }: DownloadsProps) {
  return (
    <span className="screen-only inline-flex gap-2">
      <button type="button" className="control" onClick={() => { save(`${name}.csv`, "text/csv", toCsv(columns, rows)); }}>
        CSV
      </button>
      <button
        type="button"
        className="control"
        onClick={() => { save(`${name}.json`, "application/json", toJson(columns, rows)); }}
      >
        JSON
      </button>
      {svg !== undefined && (
        <button type="button" className="control" onClick={() => { void svg().then((drawn) => { save(`${name}.svg`, "image/svg+xml", drawn); }); }}>
          SVG
        </button>
      )}
    </span>
  );
}
