import { Chart } from "../../charts/Chart";
import type { SectionDocument } from "../../schema";
import { Prose } from "../../text/Markdown";
import { DataTable } from "../../ui/DataTable";

const LONG = 40; // rows above which a table starts folded, as in the report

/** What stands under one heading of the report. */
export function Blocks({ section, level }: { readonly section: SectionDocument; readonly level: "h2" | "h3" }) {
  return (
    <div className="space-y-8">
      {section.blocks.map((block, place) => {
        if (block.kind === "chart") return <Chart key={block.chart.id} chart={block.chart} />;
        if (block.kind === "prose")
          return (
            <div key={place} className="max-w-3xl">
              <Prose text={block.markdown} />
            </div>
          );
        const table = <DataTable key={block.table.id} table={block.table} level={level} />;
        if (!section.folds || block.table.rows.length <= LONG) return table;
        return (
          <details key={block.table.id}>
            <summary className="font-semibold">
              {block.table.title}, {block.table.rows.length} rows
            </summary>
            <div className="mt-2">{table}</div>
          </details>
        );
      })}
    </div>
  );
}
