import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import type { ReportDocument } from "../../schema";
import { Page } from "../../shell/Page";
import { Failed, Waiting } from "../../ui/Notice";
import { Blocks } from "./Blocks";

/** One row a model over several suites. */
export default function ProfilePage() {
  const path = `${useBoard().boot.base}profile.json`;
  const loaded = useDocument<ReportDocument>(path);
  return (
    <Page title="Profile" lead="One row a model over several suites, never summed.">
      {loaded.state === "loading" && <Waiting what="Loading the profile" />}
      {loaded.state === "failed" && <Failed path={path} why={loaded.why} />}
      {loaded.state === "ready" && loaded.value.sections.map((one) => <Blocks key={one.id} section={one} level="h2" />)}
    </Page>
  );
}
