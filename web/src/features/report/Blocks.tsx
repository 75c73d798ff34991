import { Link } from "wouter";
import { Chart } from "../../charts/Chart";
import { useBoard } from "../../data/board";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { Quotation, SectionDocument } from "../../schema";
import { counted, percent } from "../../text/format";
import { Prose } from "../../text/Markdown";
import { DataTable } from "../../ui/DataTable";

const LONG = 40; // rows above which a table starts folded, as in the report
const MANY = 4; // tables of a section from which on each is found by its title

/** What stands under one heading of the report. */
export function Blocks({ section, level }: { readonly section: SectionDocument; readonly level: "h2" | "h3" }) {
  const tables = section.blocks.filter(({ kind }) => kind === "table").length;
  return (
    <div className="flow">
      {section.blocks.map((block, place) => {
        if (block.kind === "chart") return <Chart key={block.chart.id} chart={block.chart} />;
        if (block.kind === "prose")
          return (
            <div key={place} className="max-w-text">
              <Prose text={block.markdown} />
            </div>
          );
        if (block.kind === "quotation") return <Quoted key={place} quotation={block} />;
        const table = <DataTable key={block.table.id} table={block.table} level={level} />;
        if (tables < MANY && (!section.folds || block.table.rows.length <= LONG)) return table;
        return (
          <details key={block.table.id} className="fold">
            <summary className="flex items-center">
              {block.table.title}
              <span className="note ml-auto">{counted(block.table.rows.length, "row")}</span>
            </summary>
            <div className="mt-2">{table}</div>
          </details>
        );
      })}
    </div>
  );
}

/** A passage that a verdict names, and the way to its dialogue. */
function Quoted({ quotation }: { readonly quotation: Quotation }) {
  const address = useAddress();
  const { titles } = useBoard();
  const { held, text, asked, subject, name, scenario, run, judge, share } = quotation;
  return (
    <figure className="max-w-text">
      {asked !== "" && <p className="note mb-1.5 whitespace-pre-line">Asked: <bdi>{asked}</bdi></p>}
      <blockquote className={`border-l-2 pl-5 text-xl/7 whitespace-pre-line ${held ? "border-accent text-accent" : "border-folded text-folded"}`}>
        <bdi>{text}</bdi>
      </blockquote>
      <figcaption className="note mt-1.5 border-l-2 border-transparent pl-5">
        <strong className="text-ink">{held ? "Held" : "Gave way"}</strong>: {name}, {titles.get(scenario) ?? scenario}, run {run}. {judge} says{" "}
        {percent(share)} of the scale was kept.{" "}
        <Link href={address(trajectoryPage(subject, run, scenario), { quote: judge })} className="link">
          Read the dialogue
        </Link>
      </figcaption>
    </figure>
  );
}
