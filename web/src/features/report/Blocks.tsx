import { useBoard } from "../../data/board";
import { figurePath } from "../../data/paths";
import type { FigureBlock, SectionDocument } from "../../schema";
import { Prose } from "../../text/Markdown";
import { DataTable } from "../../ui/DataTable";

const LONG = 40; // rows above which a table starts folded, as in the report

/** What stands under one heading of the report. */
export function Blocks({ section, level }: { readonly section: SectionDocument; readonly level: "h2" | "h3" }) {
  return (
    <div className="space-y-8">
      {section.blocks.map((block, place) => {
        if (block.kind === "figure") return <Figure key={block.id} figure={block} />;
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

/** A figure as a file of its own, which follows the theme; the same drawn narrower for a phone. */
export function Figure({ figure }: { readonly figure: FigureBlock }) {
  const board = useBoard();
  const wide = figurePath(board, figure.file);
  return (
    <figure className="max-w-5xl">
      <div className="overflow-x-auto" {...(figure.narrow === null ? { tabIndex: 0, role: "group", "aria-label": "Figure, scrolls sideways" } : {})}>
        <picture>
          {figure.narrow !== null && <source media="(max-width: 40rem)" srcSet={figurePath(board, figure.narrow)} />}
          <img src={wide} alt={figure.caption} loading="lazy" className={`h-auto max-w-full ${figure.narrow === null ? "max-sm:max-w-none" : ""}`} />
        </picture>
      </div>
      <figcaption className="mt-1 flex flex-wrap gap-x-3 text-[0.8125rem] text-muted">
        <span className="max-w-3xl">{figure.caption}</span>
        <a className="link screen-only" href={wide} download>
          SVG
        </a>
      </figcaption>
    </figure>
  );
}
