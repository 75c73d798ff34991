import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useAddress } from "../../route/query";
import type { SectionDocument } from "../../schema";
import { Page } from "../../shell/Page";
import { count } from "../../text/format";
import { Failed, Waiting } from "../../ui/Notice";
import { Blocks } from "../report/Blocks";
import { useReport } from "../report/report";
import { Graded } from "./Graded";
import { Disagreements } from "./Disagreements";

const KINDS: Readonly<Record<string, string>> = {
  model: "a model, by the rubric",
  cues: "rules: words and phrases, no model",
  picks: "rules: which of two names is taken; a model where one is named and they cannot tell",
  human: "a person, blind",
};

/** Whether a block of the report has something to show here: the list of disagreements stands below, with links. */
function says(block: SectionDocument["blocks"][number]): boolean {
  return block.kind !== "table" || (block.table.rows.length > 0 && !block.table.id.startsWith("judge-disagreement"));
}

/** Who judged, how far judges agree, and where they do not. */
export default function JudgesPage() {
  const { info } = useBoard();
  const address = useAddress();
  const report = useReport();
  const sections = report.state === "ready" ? report.sections.filter(({ id, blocks }) => id.includes("judge") && blocks.some(says)) : [];
  return (
    <Page title="Judges" lead={info.judges.length === 0 ? "Nobody has judged these dialogues." : "Who judged, and how far they agree."}>
      {info.judges.length > 0 && (
        <table className="data-table">
          <thead>
            <tr>
              <th scope="col">Judge</th>
              <th scope="col">Kind</th>
              <th scope="col" className="text-right">
                Verdicts
              </th>
            </tr>
          </thead>
          <tbody>
            {info.judges.map((judge) => (
              <tr key={judge.slug}>
                <th scope="row" className="w-80 font-medium max-sm:w-auto">
                  {judge.name}
                </th>
                <td className="text-muted">{KINDS[judge.kind] ?? judge.kind}</td>
                <td className="text-right">{count(judge.verdicts)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="mt-10 space-y-12">
        {report.state === "loading" && <Waiting what="Loading the report" />}
        {report.state === "failed" && <Failed path={report.path} why={report.why} />}
        {sections.map((section) => (
          <section key={section.id} aria-labelledby={`section-${section.id}`}>
            <h2 id={`section-${section.id}`} className="mb-2">
              {section.id === "judges" ? "Agreement" : section.title}
            </h2>
            <Blocks section={{ ...section, blocks: section.blocks.filter(says) }} level="h3" />
          </section>
        ))}
        {info.judges.length > 1 && <Disagreements />}
        {info.judges.length === 1 && (
          <p className="note">
            One judge alone cannot show how far verdicts depend on it. A second judge can: <code>independence judge --judge MODEL</code>. So can people, on the page <Link href={address("/rate")} className="link">Rate</Link>.
          </p>
        )}
        {info.judges.length > 0 && <Graded />}
      </div>
    </Page>
  );
}
