import { useEffect } from "react";
import { Link, useParams } from "wouter";
import { useAddress } from "../../route/query";
import { NoSuch } from "../../shell/NoSuch";
import { Page } from "../../shell/Page";
import { Failed, Waiting } from "../../ui/Notice";
import { Blocks } from "./Blocks";
import { useReport } from "./report";

const anchor = (id: string): string => `section-${id}`;

/** The report from top to bottom: what was found, in whose words, the board, how sure that is, and the rest. */
export default function ReportPage() {
  const { section: asked = "" } = useParams();
  const address = useAddress();
  const report = useReport();
  const sections = report.state === "ready" ? report.sections : [];
  const section = sections.find((one) => one.id === asked);
  useEffect(() => {
    if (section !== undefined) document.getElementById(anchor(section.id))?.scrollIntoView();
  }, [section]);
  if (report.state === "ready" && section === undefined && asked !== "")
    return <NoSuch what="section" back={{ path: "/report", name: "Report" }} />;
  return (
    <Page title={section === undefined ? "Report" : `Report: ${section.title}`} heading="Report">
      {report.state === "loading" && <Waiting what="Loading the report" />}
      {report.state === "failed" && <Failed path={report.path} why={report.why} />}
      {report.state === "ready" && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-4 lg:grid-cols-[12rem_minmax(0,1fr)]">
          <nav aria-label="Sections" className="screen-only">
            <ul className="-ml-2 flex flex-wrap gap-1 text-sm lg:sticky lg:top-16 lg:flex-col">
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
          <div className="space-y-14">
            {sections.length === 0 && <p className="text-muted">This suite has no report.</p>}
            {sections.map((one) => (
              <section key={one.id} id={anchor(one.id)} className="scroll-mt-20">
                <h2 className="mb-3 text-[1.375rem]">
                  {one.title}
                </h2>
                <Blocks section={one} level="h3" />
              </section>
            ))}
          </div>
        </div>
      )}
    </Page>
  );
}
