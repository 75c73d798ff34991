import { useReport } from "../report/report";
import { Figure } from "../report/Blocks";
import { Waiting } from "../../ui/Notice";

/** The figures of the report's section on the board. */
export default function BoardFigures() {
  const report = useReport();
  if (report.state === "loading") return <Waiting what="Loading the figures" />;
  if (report.state === "failed") return null; // the tables above say it all
  const section = report.sections.find(({ id }) => id === "board");
  const figures = (section?.blocks ?? []).filter((block) => block.kind === "figure");
  return figures.map((figure) => <Figure key={figure.id} figure={figure} />);
}
