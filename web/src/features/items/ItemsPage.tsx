import { Page } from "../../shell/Page";
import { Failed, Waiting } from "../../ui/Notice";
import { Blocks } from "../report/Blocks";
import { useReport } from "../report/report";

/** Which scenarios, and which kinds of them, still tell the subjects of a board apart. */
export default function ItemsPage() {
  const report = useReport();
  const section = report.state === "ready" ? report.sections.find(({ id }) => id === "items") : undefined;
  return (
    <Page title="Items" lead="Which scenarios, and which kinds of them, still tell these subjects apart.">
      {report.state === "loading" && <Waiting what="Loading the report" />}
      {report.state === "failed" && <Failed path={report.path} why={report.why} />}
      {report.state === "ready" && section === undefined && <p className="text-muted">This board has no items that could be compared.</p>}
      {section !== undefined && <Blocks section={section} level="h2" />}
    </Page>
  );
}
