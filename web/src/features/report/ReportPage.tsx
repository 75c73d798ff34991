import { Link, useParams } from "wouter";
import { useAddress } from "../../route/query";
import { NoSuch } from "../../shell/NoSuch";
import { Page } from "../../shell/Page";
import { Failed, Waiting } from "../../ui/Notice";
import { Blocks } from "./Blocks";
import { useReport } from "./report";

/** The report section by section: tables, figures and sentences of whatever analysis the suite has. */
export default function ReportPage() {
  const { section: asked = "" } = useParams();
  const address = useAddress();
  const report = useReport();
  const sections = report.state === "ready" ? report.sections : [];
  const section = asked === "" ? sections[0] : sections.find((one) => one.id === asked);
  if (report.state === "ready" && section === undefined && asked !== "")
    return <NoSuch what="section" back={{ path: "/report", name: "Report" }} />;
  return (
    <Page title={`Report: ${section?.title ?? "loading"}`} heading={section?.title ?? "Report"}>
      {report.state === "loading" && <Waiting what="Loading the report" />}
      {report.state === "failed" && <Failed path={report.path} why={report.why} />}
      {report.state === "ready" && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-4 lg:grid-cols-[13rem_minmax(0,1fr)]">
          <nav aria-label="Sections" className="screen-only">
            <ul className="flex flex-wrap gap-1 text-sm lg:sticky lg:top-16 lg:flex-col">
              {sections.map((one) => (
                <li key={one.id}>
                  <Link
                    href={address(`/report/${one.id}`)}
                    aria-current={one === section ? "page" : undefined}
                    className="block rounded-md px-2 py-1 text-muted hover:bg-band hover:text-ink aria-[current=page]:bg-band aria-[current=page]:font-medium aria-[current=page]:text-ink"
                  >
                    {one.title}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          {section === undefined ? <p className="text-muted">This suite has no report.</p> : <Blocks section={section} level="h2" />}
        </div>
      )}
    </Page>
  );
}
