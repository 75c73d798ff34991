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
    <span className="screen-only -mr-1 inline-flex items-baseline gap-x-1 text-xs font-normal text-muted">
      Save as
      <SaveButton kind="CSV" onSave={() => { save(`${name}.csv`, "text/csv", toCsv(columns, rows)); }} />
      <SaveButton kind="JSON" onSave={() => { save(`${name}.json`, "application/json", toJson(columns, rows)); }} />
      {svg !== undefined && <SaveButton kind="SVG" onSave={() => { void svg().then((drawn) => { save(`${name}.svg`, "image/svg+xml", drawn); }); }} />}
    </span>
  );
}

function SaveButton({ kind, onSave }: { readonly kind: string; readonly onSave: () => void }) {
  return (
    <button type="button" className="link touch min-h-6 px-1 max-sm:px-2" onClick={onSave}>
      {kind}
    </button>
  );
}
