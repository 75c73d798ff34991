import { useBoard } from "../../data/board";
import { Page } from "../../shell/Page";
import { count } from "../../text/format";
import { Failed, Waiting } from "../../ui/Notice";
import { Blocks } from "../report/Blocks";
import { useReport } from "../report/report";
import { Disagreements } from "./Disagreements";

/** Who judged, how far judges agree, and where they do not. */
export default function JudgesPage() {
  const { info } = useBoard();
  const report = useReport();
  const sections = report.state === "ready" ? report.sections.filter(({ id }) => id.includes("judge")) : [];
  return (
    <Page title="Judges" lead={info.judges.length === 0 ? "Nobody has judged these dialogues." : "Who judged, and how far they agree."}>
      <ul className="space-y-0.5 text-sm">
        {info.judges.map((judge) => (
          <li key={judge.slug}>
            <span className="font-medium">{judge.name}</span>{" "}
            <span className="text-muted">
              {judge.kind}, {count(judge.verdicts)} verdicts
            </span>
          </li>
        ))}
      </ul>
      <div className="mt-8 space-y-10">
        {report.state === "loading" && <Waiting what="Loading the report" />}
        {report.state === "failed" && <Failed path={report.path} why={report.why} />}
        {sections.map((section) => (
          <section key={section.id} aria-labelledby={`section-${section.id}`}>
            <h2 id={`section-${section.id}`} className="mb-2 text-lg font-semibold">
              {section.title}
            </h2>
            <Blocks section={section} level="h3" />
          </section>
        ))}
        {info.judges.length > 1 && <Disagreements />}
        {info.judges.length === 1 && (
          <p className="text-sm text-muted">
            A second judge shows how far verdicts depend on the judge: <code>independence judge --judge MODEL</code>.
          </p>
        )}
      </div>
    </Page>
  );
}
