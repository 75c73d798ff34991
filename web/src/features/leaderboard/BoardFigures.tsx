import { Chart } from "../../charts/Chart";
import { useReport } from "../report/report";
import { Waiting } from "../../ui/Notice";

/** The charts of the report's section on the board. */
export default function BoardFigures() {
  const report = useReport();
  if (report.state === "loading") return <Waiting what="Loading the charts" />;
  if (report.state === "failed") return null; // the tables above say it all
  const section = report.sections.find(({ id }) => id === "board");
  return (section?.blocks ?? []).map((block) => block.kind === "chart" && <Chart key={block.chart.id} chart={block.chart} />);
}
